#include "report/format.hpp"
#include "report/why_decisions.hpp"

#include <algorithm>

namespace spillover {

namespace {

/// One metric of a decision: its numbers stand together, and the first one is its target.
class metric_words {
public:
  /// @param target name of that first number, e.g. "cpu_target_percent"
  metric_words(const decision_inputs& all, std::string_view target)
    : all_(all),
      prefix_(target.substr(0, target.rfind("target_"))),
      percent_(target.ends_with("_percent")) {}

  /// @returns e.g. "CPU 90 % / 60 % = 1.5 x 4 pods -> 6".
  [[nodiscard]] std::string text(bool several) const {
    auto result = name();
    if (is_set("failed"))
      return result + " is unknown: " + failure() + "; " + pods();
    const auto total = find("total_milli");
    result += " " + (total ? milli_text(*total) : level("current")) + " / " + level("target");
    if (!total || is_set("within_tolerance"))
      result += " = " + milli_text(get("ratio_milli"));
    if (!total)
      result += find("unready") ? of_pods() : factor(get("ready"), "ready pod");
    else if (is_set("within_tolerance"))
      result += " of what is there";
    if (is_set("within_tolerance"))
      result += ", within " + milli_text(1000 - all_.get("tolerance_down_milli")) + " to "
                + milli_text(1000 + all_.get("tolerance_up_milli")) + ": stays at "
                + std::to_string(get("count"));
    else if (is_set("turned"))
      result += ", which would turn around: stays at " + std::to_string(get("count"));
    else
      result += " -> " + std::to_string(get("count"));
    return result + (several && is_set("won") ? " (wins)" : "");
  }

private:
  [[nodiscard]] std::optional<std::int64_t> find(const char* what) const {
    return all_.find(prefix_ + what);
  }
  [[nodiscard]] std::int64_t get(const char* what) const { return find(what).value_or(0); }
  [[nodiscard]] bool is_set(const char* what) const { return get(what) != 0; }

  /// @returns "CPU" for "cpu_", "requests per second" for "requests_per_second_".
  [[nodiscard]] std::string name() const {
    auto result = prefix_.substr(0, prefix_.size() - 1);
    std::replace(result.begin(), result.end(), '_', ' ');
    return result.starts_with("cpu") ? "CPU" + result.substr(3) : result;
  }

  [[nodiscard]] std::string level(const std::string& what) const {
    if (percent_)
      return std::to_string(get((what + "_percent").c_str())) + " %";
    return milli_text(get((what + "_milli").c_str()));
  }

  [[nodiscard]] std::string failure() const {
    if (is_set("unavailable"))
      return "nobody tells it";
    if (is_set("no_pods"))
      return "there are no pods";
    if (is_set("no_requests"))
      return "a pod requests nothing of it";
    return "no pod has a sample that counts";
  }

  [[nodiscard]] std::string factor(std::int64_t count, std::string_view what) const {
    if (is_set("within_tolerance") || is_set("turned"))
      return "";
    return " x " + counted(static_cast<std::uint64_t>(count), what);
  }

  /// @returns e.g. "2 pods without a sample and 1 unready one".
  [[nodiscard]] std::string pods() const {
    return std::to_string(get("missing")) + " without a sample, " + std::to_string(get("unready"))
           + " unready, " + std::to_string(get("ignored")) + " leaving";
  }

  [[nodiscard]] std::string of_pods() const {
    const auto up = get("ratio_milli") > 1000;
    const auto again = is_set("missing") || (is_set("unready") && up);
    if (!again)
      return factor(get("ready"), "pod");
    const auto all = get("ready") + get("missing") + (up ? get("unready") : 0);
    return ", of all " + std::to_string(all) + " pods " + milli_text(get("adjusted_ratio_milli"))
           + " (" + pods() + ")" + factor(all, "pod");
  }

  const decision_inputs& all_;
  std::string prefix_;
  bool percent_;
};

/// @returns e.g. "proposed 9, held at 12 by the highest proposal of the last 300 s; the rate allows at
///          least 10 (acts)".
std::string limits_text(const decision_inputs& x) {
  auto result = "proposed " + std::to_string(x.get("proposed"));
  const auto up = x.is_set("scale_up_stabilized");
  if (up || x.is_set("scale_down_stabilized"))
    result += ", held at " + std::to_string(x.get("stabilized"))
              + (up ? " by the lowest" : " by the highest") + " proposal of the last "
              + exact_text(duration{x.get("window_ns")});
  if (const auto rate = x.find("rate_limit")) {
    const auto more = x.get("stabilized") > x.get("n");
    const auto acts = x.is_set("scale_up_limit") || x.is_set("scale_down_limit");
    result += std::string{"; the rate allows at "} + (more ? "most " : "least ")
              + std::to_string(*rate) + (acts ? " (acts)" : "");
  }
  return result;
}

} // namespace

std::vector<std::string> hpa_words(const scaling_decided& d) {
  const decision_inputs x{d};
  if (!x.find("tolerance_up_milli"))
    return {};
  std::vector<metric_words> metrics;
  for (const auto& [name, value] : d.inputs)
    if (name.ends_with("_target_percent") || name.ends_with("_target_milli"))
      metrics.emplace_back(x, name);
  std::vector<std::string> result;
  result.reserve(metrics.size() + 2);
  for (const auto& metric : metrics)
    result.push_back(metric.text(metrics.size() > 1));
  if (x.find("proposed"))
    result.push_back(limits_text(x));
  else if (metrics.empty())
    result.emplace_back("no metric is asked outside of the bounds");
  result.push_back(bounds_text(x, x.is_set("too_few_replicas"), x.is_set("too_many_replicas")));
  return result;
}

} // namespace spillover
