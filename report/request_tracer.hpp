#pragma once

#include "model/record.hpp"
#include "model/time.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace spillover {

/// What happened to a request at one of its hops, in the order of the way there and back.
enum class request_step : std::uint8_t {
  /// It was due at its client.
  intended,
  /// Its client sent a try; `attempt` counts the client's tries from 0.
  client_sent,
  /// The load balancer sent a try to the region `who`; from here to `balancer_got`, `attempt` counts
  /// the balancer's tries.
  balancer_sent,
  /// The balancer's try for the region `who` waits for a connection; its time is over, and it is given up, or
  /// goes on; it was cut off at the end of draining.
  try_queued,
  try_timed_out,
  try_overdue,
  try_cut,
  /// The published service in the region took it: it is past the link.
  service_took,
  revision_took,
  /// The revision handed it to the instance `who`.
  dispatched,
  /// Its CPU part is over; it waits until `until`.
  cpu_done,
  instance_answered,
  /// The published service sent the answer, or would have if it were not `lost`.
  service_answered,
  /// The answer of the region `who` came to the load balancer, in time.
  balancer_got,
  /// It came too late to count.
  balancer_late,
  balancer_answered,
  /// A try of the client ended so; its next one is due at `until`.
  client_waits,
  ended,
};

/// One hop of a traced request.
struct request_hop {
  instant at{};
  request_step what = request_step::intended;
  /// 0 where the step has none.
  std::uint16_t attempt = 0;
  std::string who;
  outcome how = outcome::ok;
  instant until{};
  /// Of `balancer_sent`: which of the load balancer's proxies chose the region, from 1; 0 where there is only
  /// one that decides.
  std::uint32_t proxy = 0;
};

/// A request that is followed, with its hops in the order in which they happened.
struct traced_request {
  std::string consumer;
  std::uint64_t number = 0;
  std::vector<request_hop> hops;

  [[nodiscard]] bool ended() const noexcept {
    return !hops.empty() && hops.back().what == request_step::ended;
  }
};

/// Follows single requests through a run.
///
/// A request is known by its load balancer's address and its number, which are part of its records
/// on every leg but that between a revision and its instances, where a number of the revision's own
/// stands for it.
class request_tracer {
public:
  /// An address, and what names a request there.
  using key = std::pair<entity_id, std::uint64_t>;

  void follow(key balancer, std::string consumer) {
    followed_[balancer] = {std::move(consumer), balancer.second, {}};
    ++open_;
  }

  /// Takes a hop down, if it is one of a request that is followed and has not ended.
  /// @param balancer the load balancer's address and the request's number
  void add(key balancer, request_hop x) {
    const auto found = followed_.find(balancer);
    if (found == followed_.end() || found->second.ended())
      return;
    open_ -= x.what == request_step::ended;
    found->second.hops.push_back(std::move(x));
  }

  /// A revision hands a request to an instance.
  /// @param instance the instance's address and the revision's number
  void dispatch(key balancer, key instance, request_hop x) {
    if (!followed_.contains(balancer))
      return;
    at_instances_[instance] = {balancer, x.attempt};
    add(balancer, std::move(x));
  }

  /// Takes a hop inside of an instance down, with the attempt that `dispatch` was told.
  void add_at_instance(key instance, request_hop x) {
    const auto found = at_instances_.find(instance);
    if (found == at_instances_.end())
      return;
    x.attempt = found->second.second;
    add(found->second.first, std::move(x));
  }

  /// Requests that are followed and have not ended.
  [[nodiscard]] std::size_t open() const noexcept { return open_; }

  /// @returns every request that is followed, by consumer as the world numbers them and by number.
  [[nodiscard]] std::vector<traced_request> requests() const {
    std::vector<traced_request> result;
    for (const auto& [balancer, x] : followed_)
      result.push_back(x);
    return result;
  }

private:
  std::map<key, traced_request> followed_;
  std::map<key, std::pair<key, std::uint16_t>> at_instances_;
  std::size_t open_ = 0;
};

} // namespace spillover
