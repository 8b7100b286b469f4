#include "report/why_words.hpp"

#include "report/event_index.hpp"
#include "report/format.hpp"
#include "report/why_outlier.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

namespace spillover {

namespace {

/// @returns a number of thousandths without zeros at its end, e.g. "0.6".
std::string milli_text(std::int64_t x) {
  const auto size = std::abs(x);
  auto fraction = std::to_string(size % 1000 + 1000).substr(1);
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return (x < 0 ? "-" : "") + std::to_string(size / 1000)
         + (fraction.empty() ? "" : "." + fraction);
}

std::string plural(std::uint64_t count, const char* one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string name_of(health x) {
  return std::string{to_string(x)};
}

/// Looks inputs up by name.
class inputs {
public:
  explicit inputs(const scaling_decided& x) : all_(x.inputs) {}

  [[nodiscard]] std::optional<std::int64_t> find(std::string_view name) const {
    const auto found =
      std::find_if(all_.begin(), all_.end(), [name](const auto& x) { return x.first == name; });
    return found == all_.end() ? std::nullopt : std::optional{found->second};
  }

  [[nodiscard]] std::int64_t get(std::string_view name) const { return find(name).value_or(0); }

private:
  const std::vector<std::pair<std::string, std::int64_t>>& all_;
};

/// @returns e.g. "CPU 4.286 / (1 x 0.6) = 7.143 -> 8".
std::string driver_text(const inputs& x, const std::string& name, const std::string& usage,
                        std::optional<std::int64_t> capacity_milli) {
  std::string key{name == "CPU" ? "cpu" : name == "ACT" ? "act" : "concurrency"};
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

std::vector<std::string> cloud_run_words(const scaling_decided& d) {
  const inputs x{d};
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
  result.push_back("min " + std::to_string(x.get("min")) + ", max " + std::to_string(x.get("max")));
  return result;
}

/// Knative's: e.g. "stable 50 / 7 -> 8, panic 50 / 7 -> 8; 1 ready, so at least 0 and at most 1000".
std::vector<std::string> knative_words(const scaling_decided& d) {
  const inputs x{d};
  const auto window = [&x](const std::string& name) {
    return name + " " + milli_text(x.get(name + "_milli")) + " / "
           + milli_text(x.get("target_milli")) + " -> " + std::to_string(x.get(name + "_pods"));
  };
  const auto desired = x.get("desired");
  std::vector<std::string> result;
  result.push_back("desired " + (desired < 0 ? "unknown" : std::to_string(desired)) + ": "
                   + window("stable") + ", " + window("panic")
                   + (x.get("panicking") != 0 ? ", in panic" : ""));
  result.push_back(std::to_string(x.get("ready")) + " ready, so at least "
                   + std::to_string(x.get("rate_min")) + " and at most "
                   + std::to_string(x.get("rate_max")));
  const auto most = x.get("max");
  result.push_back("min " + std::to_string(x.get("min")) + ", max "
                   + (most == 0 ? "none" : std::to_string(most)) + "; excess burst capacity "
                   + std::to_string(x.get("excess_burst_capacity")));
  return result;
}

std::string wait_text(std::int64_t milliseconds) {
  return latency_text(std::chrono::milliseconds{milliseconds});
}

std::vector<std::string> on_demand_words(const scaling_decided& d) {
  const inputs x{d};
  std::vector<std::string> result;
  result.push_back((x.get("overdue") != 0 ? "a request waited for longer than the pending limit, "
                                          : "no slot is free, ")
                   + plural(static_cast<std::uint64_t>(x.get("queue")), "request") + " waiting; "
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

/// @returns one input of a policy that is not known here, e.g. "cpu 2.5" for cpu_milli 2500.
std::string input_text(std::string_view name, std::int64_t value) {
  const auto ends = [&name](std::string_view end) {
    if (!name.ends_with(end))
      return false;
    name.remove_suffix(end.size());
    return true;
  };
  std::string text;
  if (ends("_milli"))
    text = milli_text(value);
  else if (value < 0 && ends("_ns"))
    text = "none";
  else if (value >= 0 && ends("_ns"))
    text = exact_text(duration{value});
  else if (value >= 0 && ends("_ms"))
    text = exact_text(std::chrono::milliseconds{value});
  else
    text = std::to_string(value);
  std::string words{name};
  std::replace(words.begin(), words.end(), '_', ' ');
  return words + " " + text;
}

struct sentences {
  const event& of;

  [[nodiscard]] std::string parent() const { return std::string{parent_of(of.entity)}; }

  event_words operator()(const run_started& x) const {
    return {"the run " + x.name + " begins, seed " + std::to_string(x.seed), {}};
  }
  event_words operator()(const run_ended&) const { return {"the run ends", {}}; }
  event_words operator()(const run_stopped& x) const {
    return {"the run is stopped: " + x.reason, {}};
  }
  event_words operator()(const fault_started& x) const {
    return {"fault" + (x.name.empty() ? "" : " " + x.name) + " sets in: " + x.what, {}};
  }
  event_words operator()(const fault_ended& x) const {
    return {"the fault is over: " + x.what, {}};
  }
  event_words operator()(const fault_applied& x) const {
    const auto again = std::string{x.active ? " " : " no longer "} + x.effect;
    if (last_part(parent()) == "link")
      return {"the link " + std::string{first_part(of.entity)} + " -> "
                + std::string{last_part(of.entity)} + " is" + again,
              {}};
    return {std::to_string(x.affected) + " of " + std::to_string(x.present) + " of " + of.entity
              + (x.affected == 1 ? " is" : " are") + again,
            {}};
  }
  event_words operator()(const instance_afflicted& x) const {
    return {of.entity + (x.active ? " becomes " : " is no longer ") + x.effect, {}};
  }
  event_words operator()(const instance_changed& x) const {
    event_words result{of.entity + " is " + std::string{to_string(x.after)} + ", "
                         + std::string{to_string(x.before)} + " before",
                       {x.reason}};
    if (x.incarnation > 1)
      result.numbers.front() += ", process " + std::to_string(x.incarnation);
    if (!x.zone.empty())
      result.numbers.front() += ", zone " + x.zone;
    return result;
  }
  event_words operator()(const endpoint_changed& x) const {
    return {
      "probers find " + of.entity + " " + name_of(x.after) + ", " + name_of(x.before) + " before",
      {std::to_string(x.agreeing) + " of " + plural(x.probers, "prober") + " agree; " + x.reason}};
  }
  event_words operator()(const source_changed& x) const {
    return {"source " + parent() + " turns " + name_of(x.after) + ", " + name_of(x.before)
              + " before",
            {std::to_string(x.healthy) + " of " + plural(x.total, "endpoint") + " healthy, "
             + std::to_string(x.needed) + " needed"}};
  }
  event_words operator()(const composite_changed& x) const {
    return {"composite of " + parent() + " turns " + name_of(x.after) + ", " + name_of(x.before)
              + " before",
            {"generation " + std::to_string(x.generation)
             + (x.sources.empty() ? "" : "; sources: " + x.sources)}};
  }
  event_words operator()(const neg_changed& x) const {
    event_words result{std::string{first_part(of.entity)} + " learns that " + x.region + " is "
                         + name_of(x.after) + ", " + name_of(x.before) + " before",
                       {"generation " + std::to_string(x.generation)}};
    if (x.age_ns > 0)
      result.numbers.front() += ", " + clock_text(duration{x.age_ns}) + " old by the sites' clocks";
    return result;
  }
  event_words operator()(const outlier_changed& x) const { return words_of_outlier(of, x); }
  event_words operator()(const routing_changed& x) const {
    event_words result{of.entity + " prefers " + x.after
                         + (x.before.empty() ? ", the first time" : ", " + x.before + " before"),
                       {}};
    if (x.fail_open)
      result.numbers.push_back(
        "every region is unhealthy"
        + std::string{x.states.find("(ejected:") == std::string::npos ? "" : " or ejected"}
        + ", so all of them are used");
    if (!x.states.empty())
      result.numbers.push_back("takes them for " + x.states);
    if (x.last_sent_ns >= 0)
      result.numbers.push_back("last request to " + x.before + " at "
                               + instant_text(run_start + duration{x.last_sent_ns}));
    return result;
  }
  event_words operator()(const first_request& x) const {
    return {of.entity + " sends its first request to " + x.region, {}};
  }
  event_words operator()(const scaling_decided& x) const {
    auto numbers = words_of_inputs(x);
    numbers.push_back(std::to_string(x.running) + " running, " + std::to_string(x.starting)
                      + " starting");
    if (!numbers.empty())
      numbers.front().insert(0, x.policy + ", driver " + x.driver + ": ");
    return {of.entity + " wants " + plural(x.after, "instance") + ", " + std::to_string(x.before)
              + " before",
            std::move(numbers)};
  }
  event_words operator()(const start_denied& x) const {
    return {of.entity + " may start " + std::to_string(x.granted) + " of "
              + plural(x.wanted, "instance"),
            {x.reason}};
  }
  event_words operator()(const queue_changed& x) const {
    return {x.length == 0 ? "no request waits at " + of.entity + " any more"
                          : "requests begin to wait at " + of.entity,
            {}};
  }
  event_words operator()(const path_changed& x) const {
    return {"requests to " + of.entity
              + (x.activator ? " go through the activator" : " go past the activator"),
            {"excess burst capacity " + std::to_string(x.excess_burst_capacity)}};
  }
  event_words operator()(const action_taken& x) const {
    auto result = x.what + (x.name.empty() ? "" : " (" + x.name + ")") + " at " + of.entity;
    return {x.refused.empty() ? result : result + " is not possible", {x.refused}};
  }
  event_words operator()(const rollout_stepped& x) const {
    return {of.entity + " is " + x.step,
            {std::to_string(x.instances) + " of " + plural(x.needed, "needed instance"), x.reason}};
  }
  event_words operator()(const traffic_changed& x) const {
    std::string shares;
    for (const auto& [revision, percent] : x.shares)
      shares.append(shares.empty() ? "" : ", ")
        .append(revision)
        .append(" ")
        .append(std::to_string(percent))
        .append(" %");
    return {of.entity + " sends its requests to " + shares,
            {x.reason, x.tags.empty() ? "" : "tags " + x.tags}};
  }
  template <class T>
  event_words operator()(const T&) const {
    auto kind = std::string{kind_of(of)};
    std::replace(kind.begin(), kind.end(), '_', ' ');
    return {of.entity + ": " + kind, {fields_text(of)}};
  }
};

} // namespace

std::vector<std::string> words_of_inputs(const scaling_decided& x) {
  const inputs known{x};
  if (x.policy == "cloud_run"
      && (known.find("cpu_raw_milli") || known.find("concurrency_raw_milli")))
    return cloud_run_words(x);
  if (x.policy == "knative_kpa" && known.find("stable_milli"))
    return knative_words(x);
  if (x.driver == "ON_DEMAND" && known.find("wait_existing_ms"))
    return on_demand_words(x);
  std::string line;
  for (const auto& [name, value] : x.inputs)
    line.append(line.empty() ? "" : ", ").append(input_text(name, value));
  return line.empty() ? std::vector<std::string>{} : std::vector{line};
}

event_words words_of(const event& x) {
  auto result = std::visit(sentences{x}, x.what);
  std::erase(result.numbers, "");
  return result;
}

} // namespace spillover
