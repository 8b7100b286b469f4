#include "scenario/write_actions.hpp"

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

/// An entry of `actions`, its key and what stands there.
struct action_writer {
  std::pair<const char*, json> operator()(const deploy_action& x) const {
    return {"deploy",
            {{"revision", x.revision},
             {"steps", x.plan.steps},
             {"every", to_string(x.plan.every)},
             {"deadline", to_string(x.plan.deadline)}}};
  }
  std::pair<const char*, json> operator()(const split_action& x) const {
    return {"split", write(x.traffic)};
  }
  std::pair<const char*, json> operator()(const roll_back_action& x) const {
    return {"roll_back", {{"revision", x.revision}}};
  }
  std::pair<const char*, json> operator()(const scale_action& x) const {
    return {"scale", write(x.scaling)};
  }
  std::pair<const char*, json> operator()(const patch_policy_action& x) const {
    auto result = json::object();
    add(result, "healthy_percent_threshold", x.healthy_percent_threshold);
    add(result, "min_healthy_threshold", x.min_healthy_threshold);
    if (x.read_at)
      result["read_at"] = to_string(x.read_at->time_since_epoch());
    result["takes_effect_after"] = to_string(x.takes_effect_after);
    return {"patch_health_policy", std::move(result)};
  }
  std::pair<const char*, json> operator()(const update_check_action& x) const {
    auto result = json::object();
    if (x.interval)
      result["interval"] = to_string(*x.interval);
    if (x.timeout)
      result["timeout"] = to_string(*x.timeout);
    add(result, "healthy_threshold", x.healthy_threshold);
    add(result, "unhealthy_threshold", x.unhealthy_threshold);
    return {"update_health_check", std::move(result)};
  }

private:
  static void add(json& to, const char* key, const std::optional<std::uint32_t>& value) {
    if (value)
      to[key] = *value;
  }
};

} // namespace

json write(const std::vector<traffic_target>& x) {
  auto result = json::array();
  for (const auto& target : x) {
    json entry = {{"revision", target.revision.empty() ? "latest" : target.revision}};
    if (target.tag.empty())
      entry["percent"] = target.percent;
    else
      entry["tag"] = target.tag;
    result.push_back(std::move(entry));
  }
  return result;
}

json write(const service_scaling& x) {
  auto result = json::object();
  const auto add = [&result](const char* key, const std::optional<std::uint32_t>& value) {
    if (value)
      result[key] = *value;
  };
  add("min_instances", x.min_instances);
  add("max_instances", x.max_instances);
  add("manual_instances", x.manual_instances);
  return result;
}

json write(const service_action& x) {
  json result = {{"at", to_string(x.at.time_since_epoch())}, {"of", x.of}};
  if (!x.name.empty())
    result["name"] = x.name;
  auto [key, value] = std::visit(action_writer{}, x.what);
  result[key] = std::move(value);
  return result;
}

} // namespace spillover
