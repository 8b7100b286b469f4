#include "producers/health/endpoint_gate.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace spillover {
namespace {

using lines = std::vector<std::string>;

constexpr auto passthrough = producer_balancer::internal_passthrough_network;
constexpr auto application = producer_balancer::regional_internal_application;
constexpr auto proxy = producer_balancer::regional_internal_proxy_network;

/// @param steps "0H 1U 0-": endpoint 0 is healthy, 1 unhealthy ('?': not known), 0 leaves
/// @returns for each step who is avoided (a) or not (u), then how a request ends that is refused
lines follow(const producer_balancer_config& config, std::string_view steps) {
  endpoint_gate subject{config};
  lines result;
  for (std::size_t i = 0; i + 1 < steps.size(); i += 3) {
    const auto index = static_cast<std::uint32_t>(steps[i] - '0');
    const auto state = steps[i + 1] == 'H'   ? health::healthy
                       : steps[i + 1] == 'U' ? health::unhealthy
                                             : health::unknown;
    const auto changes = steps[i + 1] == '-' ? subject.remove(index) : subject.set(index, state);
    std::string line;
    for (const auto& x : changes)
      line.append(x.avoided ? "a" : "u").append(std::to_string(x.index));
    if (const auto how = subject.refusal())
      line.append(" ").append(to_string(*how));
    result.push_back(line);
  }
  return result;
}

TEST(EndpointGate, B_69_KeepsRequestsFromWhatIsUnhealthy) {
  struct {
    const char* why;
    producer_balancer_config config;
    const char* steps;
    lines expected;
  } const cases[] = {
    {"healthy ones and unknown ones are used", {application}, "0H 1?", {"", ""}},
    {"an unhealthy one is not, while there is another",
     {application},
     "0H 1U 1H",
     {"", "a1", "u1"}},
    {"all unhealthy: an application load balancer answers 503",
     {application},
     "0H 0U 0H",
     {"", "a0 unavailable", "u0"}},
    {"so does a proxy", {proxy}, "0U", {"a0 unavailable"}},
    {"a passthrough one uses all", {passthrough}, "0H 1U 0U", {"", "a1", "u1"}},
    {"and the healthy ones alone when there is one again",
     {passthrough},
     "0U 1U 1H",
     {"", "", "a0"}},
    {"or drops what comes", {passthrough, true}, "0H 0U", {"", "a0 lost"}},
    {"the last healthy one leaves", {application}, "0H 1U 0-", {"", "a1", " unavailable"}},
    {"of a passthrough one", {passthrough}, "0H 1U 0-", {"", "a1", "u1"}},
    {"no endpoints are the platform's concern", {application}, "0U 0-", {"a0 unavailable", ""}},
    {"B-38: a new one waits", {application}, "0H 1U 1H", {"", "a1", "u1"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(follow(x.config, x.steps), x.expected);
  }
}

} // namespace
} // namespace spillover
