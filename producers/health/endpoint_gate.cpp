#include "producers/health/endpoint_gate.hpp"

#include "model/check.hpp"

namespace spillover {

namespace {

bool is_passthrough(const producer_balancer_config& x) noexcept {
  return x.kind == producer_balancer::internal_passthrough_network;
}

} // namespace

endpoint_gate::endpoint_gate(const producer_balancer_config& config) noexcept
  : last_resort_(is_passthrough(config) && !config.drop_traffic_if_unhealthy),
    refusal_(is_passthrough(config) ? outcome::lost : outcome::unavailable) {}

std::vector<endpoint_gate::change> endpoint_gate::set(std::uint32_t index, health state) {
  if (index >= endpoints_.size())
    endpoints_.resize(index + 1);
  auto& x = endpoints_[index];
  if (!x.present) {
    x = {.present = true, .unhealthy = true};
    ++count_;
  }
  const auto unhealthy = state == health::unhealthy;
  if (x.unhealthy && !unhealthy)
    ++usable_;
  else if (!x.unhealthy && unhealthy)
    --usable_;
  x.unhealthy = unhealthy;
  return settle();
}

std::vector<endpoint_gate::change> endpoint_gate::remove(std::uint32_t index) {
  SPILLOVER_CHECK(index < endpoints_.size() && endpoints_[index].present);
  --count_;
  usable_ -= !endpoints_[index].unhealthy;
  endpoints_[index] = {};
  return settle();
}

std::optional<outcome> endpoint_gate::refusal() const noexcept {
  if (count_ == 0 || usable_ > 0 || last_resort_)
    return std::nullopt;
  return refusal_;
}

// Changes of health are rare: all endpoints are looked at, since the last resort is about all of them.
std::vector<endpoint_gate::change> endpoint_gate::settle() {
  const auto all = last_resort_ && usable_ == 0;
  std::vector<change> result;
  for (std::uint32_t i = 0; i < endpoints_.size(); ++i) {
    auto& x = endpoints_[i];
    const auto avoided = x.present && x.unhealthy && !all;
    if (!x.present || avoided == x.avoided)
      continue;
    x.avoided = avoided;
    result.push_back({i, avoided});
  }
  return result;
}

} // namespace spillover
