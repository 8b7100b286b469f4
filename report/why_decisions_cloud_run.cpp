#include "report/format.hpp"
#include "report/why_decisions.hpp"

#include <cstdlib>

namespace spillover {

namespace {

/// @returns e.g. "CPU 4.286 / (1 x 0.6) = 7.143 -> 8".
std::string driver_text(const decision_inputs& x, const std::string& name, const std::string& usage,
                        std::optional<std::int64_t> capacity_milli) {
  const std::string key{name == "CPU" ? "cpu" : name == "ACT" ? "act" : "concurrency"};
  const auto target = milli_text(x.get((key == "act" ? "concurrency" : key) + "_target_milli"));
  const auto count = x.get(key + "_count");
  const auto raw = x.get(key + "_raw_milli");
  auto result = name + " " + usage + " / ";
  result += capacity_milli ? "(" + milli_text(*capacity_milli) + " x " + target + ")" : target;
  result += " = " + milli_text(raw) + " -> " + std::to_string(count);
  // Inside of the dead band the count stays, whatever it would be rounded up to.
  const auto rounded = (raw + 999) / 1000;
  if (count == x.get("n") && std::abs(rounded - count) >= 1 && count > 0)
    result +=
      x.find("trigger_milli") ? " (below 90 % of the capacity: stays)" : " (dead band: stays)";
  return result;
}

std::string wait_text(std::int64_t milliseconds) {
  return latency_text(std::chrono::milliseconds{milliseconds});
}

} // namespace

std::vector<std::string> cloud_run_words(const scaling_decided& d) {
  const decision_inputs x{d};
  if (!x.find("cpu_raw_milli") && !x.find("concurrency_raw_milli"))
    return {};
  std::vector<std::string> result;
  if (x.find("cpu_raw_milli"))
    result.push_back(
      driver_text(x, "CPU", milli_text(x.get("cpu_avg60_milli")), x.find("cpu_capacity_milli")));
  if (x.find("concurrency_raw_milli")) {
    auto limit = x.find("concurrency_limit");
    if (limit)
      *limit *= 1000;
    auto usage = milli_text(x.get("concurrency_avg60_milli"));
    if (const auto longer = x.find("concurrency_avg600_milli"))
      usage = "max(" + usage + ", " + milli_text(*longer) + ")";
    result.push_back(driver_text(x, "CONCURRENCY", usage, limit));
  }
  if (x.find("act_raw_milli"))
    result.push_back(driver_text(x, "ACT", milli_text(x.get("concurrency_avg60_milli")),
                                 x.find("act_limit_milli")));
  result.push_back(bounds_text(x, d.driver == "MIN", d.driver == "MAX"));
  return result;
}

std::vector<std::string> on_demand_words(const scaling_decided& d) {
  const decision_inputs x{d};
  if (!x.find("wait_existing_ms"))
    return {};
  std::vector<std::string> result;
  result.push_back((x.is_set("overdue") ? "a request waited for longer than the pending limit, "
                                        : "no slot is free, ")
                   + counted(static_cast<std::uint64_t>(x.get("queue")), "request") + " waiting; "
                   + std::to_string(x.get("members")) + " of at most "
                   + std::to_string(x.get("max")) + " instances");
  const auto existing = x.get("wait_existing_ms");
  const auto coming = x.get("wait_coming_ms");
  result.push_back("wait for a slot of the present ones "
                   + (existing < 0 ? "none" : wait_text(existing))
                   + ", for one that starts already " + (coming < 0 ? "none" : wait_text(coming))
                   + ", for a new one " + wait_text(x.get("cold_start_ms")));
  return result;
}

} // namespace spillover
