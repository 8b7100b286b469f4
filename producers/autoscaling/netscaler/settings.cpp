#include "producers/autoscaling/netscaler/settings.hpp"

#include "producers/autoscaling/netscaler/statistics.hpp"

namespace spillover::netscaler {

namespace {

using std::chrono::hours;
using std::chrono::seconds;

void check(const char* field, const threshold& x, double most, std::vector<std::string>& problems) {
  if (!x.selected)
    return;
  const auto fail = [field, &problems](const char* which, const char* reason) {
    problems.emplace_back(field).append(which).append(reason);
  };
  const auto* const range =
    most == most_percent ? "must be within 0..100" : "must be within 0..1e9";
  // What is not a number lies within nothing.
  const auto within = [most](double y) { return y >= 0 && y <= most; };
  if (!within(x.min))
    fail(".min: ", range);
  if (!within(x.max))
    fail(".max: ", range);
  else if (within(x.min) && in_thousandths(x.max) <= in_thousandths(x.min))
    fail(".max: ", "must be above min, by a thousandth at least");
}

void check(const char* field, duration x, hours most, std::vector<std::string>& problems) {
  if (x < duration::zero() || x > most)
    problems.emplace_back(field).append(most == hours{1} ? ": must be within 0s..1h"
                                                         : ": must be within 0s..24h");
}

} // namespace

std::vector<std::string> validate(const settings& x) {
  std::vector<std::string> problems;
  check("cpu", x.cpu, most_percent, problems);
  check("memory", x.memory, most_percent, problems);
  check("throughput", x.throughput, most_throughput, problems);
  if (!x.cpu.selected && !x.memory.selected && !x.throughput.selected)
    problems.emplace_back(
      "memory.selected: must be true while cpu and throughput are not selected");
  if (x.interval < seconds{1} || x.interval > hours{1})
    problems.emplace_back("interval: must be within 1s..1h");
  else if (x.interval % seconds{1} != duration::zero())
    problems.emplace_back("interval: must be whole seconds");
  check("watch_time", x.watch_time, hours{24}, problems);
  check("cooldown", x.cooldown, hours{24}, problems);
  check("provisioning_time", x.provisioning_time, hours{24}, problems);
  check("deprovisioning_time", x.deprovisioning_time, hours{24}, problems);
  check("drain_connection_timeout", x.drain_connection_timeout, hours{24}, problems);
  check("dns_ttl", x.dns_ttl, hours{24}, problems);
  check("update_time", x.update_time, hours{1}, problems);
  if (x.max_nodes < 1 || x.max_nodes > 10'000)
    problems.emplace_back("max_nodes: must be within 1..10000");
  if (x.min_nodes < 1)
    problems.emplace_back("min_nodes: must be at least 1");
  else if (x.min_nodes > x.max_nodes)
    problems.emplace_back("min_nodes: must be at most max_nodes");
  return problems;
}

} // namespace spillover::netscaler
