#include "producers/service_action.hpp"

namespace spillover {

namespace {

std::string name_of(const traffic_target& x) {
  return x.revision.empty() ? "latest" : x.revision;
}

struct words {
  std::string operator()(const deploy_action& x) const {
    auto result = "deploy " + x.revision;
    if (x.plan.steps.size() < 2 && x.plan.steps.front() == 100)
      return result;
    for (std::size_t i = 0; i < x.plan.steps.size(); ++i)
      result.append(i == 0 ? " by " : ", ").append(std::to_string(x.plan.steps[i])).append(" %");
    if (x.plan.steps.size() > 1)
      result += " every " + to_string(x.plan.every);
    return result;
  }

  std::string operator()(const split_action& x) const {
    std::string result = "split";
    for (const auto& target : x.traffic) {
      result.append(&target == &x.traffic.front() ? " " : ", ").append(name_of(target));
      if (target.tag.empty())
        result.append(" ").append(std::to_string(target.percent)).append(" %");
      else
        result.append(" as ").append(target.tag);
    }
    return result;
  }

  std::string operator()(const roll_back_action& x) const { return "roll back to " + x.revision; }

  std::string operator()(const scale_action& x) const {
    std::string result = "scale";
    const auto add = [&result](std::string_view key, const std::optional<std::uint32_t>& value) {
      if (value)
        result.append(result == "scale" ? " " : ", ")
          .append(key)
          .append(" ")
          .append(std::to_string(*value));
    };
    add("min_instances", x.scaling.min_instances);
    add("max_instances", x.scaling.max_instances);
    add("manual_instances", x.scaling.manual_instances);
    return result;
  }

  std::string operator()(const patch_policy_action& x) const {
    std::string result = "patch health policy:";
    add_to(result, "healthy_percent_threshold", number_text(x.healthy_percent_threshold));
    add_to(result, "min_healthy_threshold", number_text(x.min_healthy_threshold));
    return result;
  }

  std::string operator()(const update_check_action& x) const {
    const auto time_text = [](const std::optional<duration>& y) {
      return y ? to_string(*y) : std::string{};
    };
    std::string result = "update health check:";
    add_to(result, "interval", time_text(x.interval));
    add_to(result, "timeout", time_text(x.timeout));
    add_to(result, "healthy_threshold", number_text(x.healthy_threshold));
    add_to(result, "unhealthy_threshold", number_text(x.unhealthy_threshold));
    return result;
  }

private:
  static std::string number_text(const std::optional<std::uint32_t>& x) {
    return x ? std::to_string(*x) : std::string{};
  }

  static void add_to(std::string& result, std::string_view key, const std::string& value) {
    if (!value.empty())
      result.append(result.back() == ':' ? " " : ", ").append(key).append(" ").append(value);
  }
};

} // namespace

health_check_config updated(health_check_config x, const update_check_action& by) {
  x.interval = by.interval.value_or(x.interval);
  x.timeout = by.timeout.value_or(x.timeout);
  x.healthy_threshold = by.healthy_threshold.value_or(x.healthy_threshold);
  x.unhealthy_threshold = by.unhealthy_threshold.value_or(x.unhealthy_threshold);
  return x;
}

std::string to_string(const service_action& x) {
  return std::visit(words{}, x.what);
}

} // namespace spillover
