#include "app/status_table.hpp"

#include "report/format.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace spillover::app {

std::string status_table(const std::string& status) {
  const auto x = nlohmann::json::parse(status, nullptr, false);
  if (!x.is_object())
    return status + "\n";
  const auto span = [](std::int64_t ns) { return duration{ns}; };
  std::string result =
    fmt::format("{}  {} of {}, speed {:g}  {} requests, {} failed\n\n", x.value("scenario", ""),
                instant_text(run_start + span(x.value("at_ns", 0LL))),
                exact_text(span(x.value("end_ns", 0LL))), x.value("speed", 1.0),
                thousands(x.value("requests", 0ULL)), thousands(x.value("failed", 0ULL)));
  auto to = std::back_inserter(result);
  fmt::format_to(to, "{:24} {:10} {:>8} {:>10} {:>12}\n", "site", "state", "process", "late",
                 "clock");
  for (const auto& y : x.value("sites", nlohmann::json::array()))
    fmt::format_to(
      to, "{:24} {:10} {:>8} {:>10} {:>12}\n", y.value("site", ""), y.value("state", ""),
      y.value("process", 0), latency_text(span(y.value("late_ns", 0LL))),
      fmt::format("{:+.3f} ms", static_cast<double>(y.value("clock_offset_ns", 0LL)) * 1e-6));
  fmt::format_to(to, "\n{:40} {:>6} {:>8} {:>8} {:>8} {:>8}\n", "backend service", "ready",
                 "starting", "crashed", "queue", "req/s");
  for (const auto& y : x.value("backends", nlohmann::json::array()))
    fmt::format_to(to, "{:40} {:>6} {:>8} {:>8} {:>8} {:>8}\n", y.value("backend_service", ""),
                   y.value("ready", 0), y.value("starting", 0), y.value("crashed", 0),
                   y.value("queue", 0), y.value("arrivals_per_second", 0));
  const auto services = x.value("services", nlohmann::json::object());
  for (const auto& [path, state] : services.items())
    fmt::format_to(to, "{:40} {}\n", path, state.is_string() ? state.get<std::string>() : "");
  fmt::format_to(to, "\n{:24} {:32} {:>8} {:>8} {:>8}\n", "consumer", "route", "req/s", "ok/s",
                 "failed/s");
  for (const auto& y : x.value("consumers", nlohmann::json::array()))
    fmt::format_to(to, "{:24} {:32} {:>8} {:>8} {:>8}\n", y.value("consumer", ""),
                   y.value("route", ""), y.value("started_per_second", 0),
                   y.value("ok_per_second", 0), y.value("failed_per_second", 0));
  for (const auto& y : x.value("faults", nlohmann::json::array()))
    fmt::format_to(to, "\nfault {}: {}", y.value("fault", 0), y.value("what", ""));
  return result + (x.value("faults", nlohmann::json::array()).empty() ? "" : "\n");
}

} // namespace spillover::app
