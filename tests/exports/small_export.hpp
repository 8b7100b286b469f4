#pragma once

#include "exports/run_export.hpp"
#include "model/histogram.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace spillover::test {

inline constexpr std::chrono::milliseconds ms{1};

/// A hop at a time in milliseconds.
inline request_hop hop(int at, request_step what, std::string who, int attempt = 0,
                       outcome how = outcome::ok) {
  return {run_start + at * ms, what, static_cast<std::uint16_t>(attempt), std::move(who), how, {}};
}

/// The hops of a try of the load balancer that goes well: 10 ms there, 20 ms in `instance`, half of it CPU, and
/// 10 ms back.
inline void add_try(std::vector<request_hop>& to, int at, const std::string& region,
                    const std::string& instance, int attempt = 0) {
  using enum request_step;
  const auto backend = region + "/checkout/web";
  to.push_back(hop(at, balancer_sent, region, attempt));
  to.push_back(hop(at + 10, service_took, region + "/checkout", attempt));
  to.push_back(hop(at + 10, revision_took, backend, attempt));
  to.push_back(hop(at + 10, dispatched, backend + instance, attempt));
  to.push_back(hop(at + 20, cpu_done, backend + instance, attempt));
  to.push_back(hop(at + 30, instance_answered, backend + instance, attempt));
  to.push_back(hop(at + 30, service_answered, region + "/checkout", attempt));
  to.push_back(hop(at + 40, balancer_got, region, attempt));
}

/// A request that nothing happened to; it ends 40 ms after `at`.
inline traced_request plain_request(std::uint64_t number, int at, const std::string& instance) {
  using enum request_step;
  traced_request result{"shop", number, {}};
  result.hops.push_back(hop(at, intended, "shop/clients"));
  result.hops.push_back(hop(at, client_sent, "shop/clients"));
  add_try(result.hops, at, "east", instance);
  result.hops.push_back(hop(at + 40, balancer_answered, "shop/lb"));
  result.hops.push_back(hop(at + 40, ended, "shop/clients"));
  return result;
}

/// A run of four seconds: a consumer, a region with one backend service, a fault from 1.5 s to 2.5 s, and
/// three requests, of which two overlap at one instance.
class small_export {
public:
  small_export() : log_({"director", "east", "shop"}) {
    const std::chrono::seconds s{1};
    log_.record(run_start, "director", {}, run_started{"small, \"quoted\"", "a run", 7, 4 * s, {}});
    const auto fault = log_.record(run_start + 1'500 * ms, "director", {},
                                   fault_started{0, "a crash", "east/checkout/web"});
    log_.record(run_start + 1'700 * ms, "east/checkout/web", fault,
                scaling_decided{"fixed", 2, 3, 2, 0, "MIN", {{"min", 3}}});
    log_.record(run_start + 1'800 * ms, "east/checkout/web", fault,
                scaling_decided{"fixed", 3, 3, 2, 1, "MIN", {}});
    log_.record(run_start + 2'500 * ms, "director", fault,
                fault_ended{0, "a crash", "east/checkout/web"});
    for (auto second = 1; second <= 4; ++second)
      add_second(run_start + second * s, static_cast<std::uint32_t>(second));
    log_.record(run_start + 4 * s, "shop/clients", {},
                books_closed{"consumer", "", 10, {8, 0, 0, 0, 2}, 0, 0, 0});
    log_.record(run_start + 4 * s, "director", {}, run_ended{});
    const instance_starts starts{event_index{log_}};
    for (const auto& x : {plain_request(1, 100, "/0"), plain_request(2, 110, "/0"),
                          plain_request(3, 2'200, "/1")}) {
      requests_.push_back(spans_of(x, starts));
      const auto& root = requests_.back().root();
      kept_.requests.push_back({{0, x.number, root.from, root.to}, false, false, true});
    }
    kept_.consumers = {"shop"};
    judged_ = judge(log_, {}, {});
  }

  [[nodiscard]] run_export get() const {
    return {log_, judged_, kept_, requests_, "spillover 1.2"};
  }

private:
  void add_second(instant at, std::uint32_t second) {
    revision_sample x;
    x.arrivals = second;
    x.queue = second * 10;
    x.queue_peak = 50 - second;
    x.ready = second;
    x.cpu_milli = second * 100;
    log_.record(at, "east/checkout/web", {}, x);
    attempt_sample y;
    y.region = "east";
    y.sent = second;
    y.ended[0] = second;
    log_.record(at, "shop/lb", {}, y);
    client_sample z;
    z.started = second;
    z.ended[0] = second == 4 ? 2 : second;
    z.ended[static_cast<std::size_t>(outcome::unavailable)] = second == 4 ? 2 : 0;
    if (second != 3)
      z.latency = {{latency_histogram::bucket_of(second * 10 * ms), 1}};
    log_.record(at, "shop/clients", {}, z);
  }

  event_log log_;
  kept_requests kept_;
  std::vector<request_spans> requests_;
  verdict judged_;
};

} // namespace spillover::test
