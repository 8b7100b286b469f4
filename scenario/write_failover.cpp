#include "scenario/write_failover.hpp"

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

json back(const failback_config& x) {
  switch (x.back) {
    case failback_mode::immediate: break;
    case failback_mode::manual: return "manual";
    case failback_mode::after: return {{"after", to_string(x.back_span)}};
    case failback_mode::over: return {{"over", to_string(x.back_span)}, {"steps", x.steps}};
  }
  return "immediate";
}

json leave(const failback_config& x) {
  switch (x.leave) {
    case failover_mode::automatic: break;
    case failover_mode::manual: return "manual";
    case failover_mode::after: return {{"after", to_string(x.leave_span)}};
  }
  return "automatic";
}

json write(const balancer_action& x) {
  json result = {{"at", to_string(x.at.time_since_epoch())}};
  switch (x.step) {
    case balancer_step::failover_on: result["failover"] = "on"; break;
    case balancer_step::failover_off: result["failover"] = "off"; break;
    case balancer_step::fail_over: result["fail_over"] = x.region; break;
    case balancer_step::fail_back: result["fail_back"] = x.region; break;
  }
  return result;
}

} // namespace

json write_failover(const load_balancer_config& x) {
  auto actions = json::array();
  for (const auto& action : x.actions)
    actions.push_back(write(action));
  json result = json::object();
  // Other kinds have nothing of it.
  if (!has_psc_negs(x))
    return result;
  result["failback"] = back(x.failback);
  result["failover"] = leave(x.failback);
  result["actions"] = std::move(actions);
  return result;
}

} // namespace spillover
