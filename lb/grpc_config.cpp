#include "lb/grpc_config.hpp"

namespace spillover {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void add_span(std::vector<std::string>& to, const char* field, duration x, duration from,
              duration until, const char* range) {
  if (x < from || x > until)
    to.push_back(std::string{field} + ": must be from " + range);
}

} // namespace

std::vector<std::string> validate(const grpc_config& x) {
  std::vector<std::string> result;
  add_span(result, "connect_timeout", x.connect_timeout, milliseconds{1}, seconds{3'600},
           "1ms to 3600s");
  if (x.addresses < 1 || x.addresses > 100)
    result.emplace_back("addresses: must be from 1 to 100");
  add_span(result, "back_off.base_interval", x.back_off.base_interval, milliseconds{1},
           seconds{3'600}, "1ms to 3600s");
  if (x.back_off.multiplier < 100 || x.back_off.multiplier > 1'000)
    result.emplace_back("back_off.multiplier: must be from 100 to 1000");
  if (x.back_off.jitter > 100)
    result.emplace_back("back_off.jitter: must be at most 100");
  add_span(result, "back_off.max_interval", x.back_off.max_interval, x.back_off.base_interval,
           seconds{86'400}, "base_interval to 86400s");
  add_span(result, "failover_timeout", x.failover_timeout, milliseconds{1}, seconds{3'600},
           "1ms to 3600s");
  if (x.keepalive) {
    add_span(result, "keepalive.interval", x.keepalive->interval, milliseconds{100},
             seconds{86'400}, "100ms to 86400s");
    add_span(result, "keepalive.timeout", x.keepalive->timeout, milliseconds{1}, seconds{3'600},
             "1ms to 3600s");
  }
  add_span(result, "idle_timeout", x.idle_timeout, seconds{1}, seconds{86'400}, "1s to 86400s");
  return result;
}

} // namespace spillover
