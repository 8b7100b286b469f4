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
};

} // namespace

std::string to_string(const service_action& x) {
  return std::visit(words{}, x.what);
}

} // namespace spillover
