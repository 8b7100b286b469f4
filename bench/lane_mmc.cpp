#include "bench/lane_mmc.hpp"

#include "actors/lane.hpp"
#include "actors/virtual_coordinator.hpp"
#include "model/distribution.hpp"

#include <caf/actor_system.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <deque>
#include <vector>

namespace spillover::bench {

namespace {

constexpr duration mean_service = std::chrono::milliseconds{10};

/// An actor that takes records.
class node : public caf::event_based_actor, public entity {
public:
  node(caf::actor_config& config, lane& events, entity_id id)
    : caf::event_based_actor(config), events_(events), id_(id) {
    events_.bind(id, *this);
  }

protected:
  caf::behavior make_behavior() override {
    return {
      [](caf::tick_atom) {},
    };
  }

  lane& events_;
  entity_id id_;
};

class server final : public node {
public:
  server(caf::actor_config& config, lane& events, entity_id id, entity_id queue,
         const sampler& service, std::uint64_t seed)
    : node(config, events, id),
      queue_(queue),
      service_(service),
      random_(seed, "server/" + std::to_string(id)) {}

  void on_record(const record& x) override {
    record next = x;
    if (x.what == op::request) {
      next.to = id_;
      next.what = op::timer;
      events_.after(service_.draw(random_), next);
    } else {
      next.to = queue_;
      next.what = op::response;
      next.arg = id_;
      events_.post(next);
    }
  }

private:
  entity_id queue_;
  const sampler& service_;
  random_stream random_;
};

class queue final : public node {
public:
  queue(caf::actor_config& config, lane& events, entity_id id,
        const std::vector<entity_id>& servers, std::uint64_t& served)
    : node(config, events, id), idle_(servers), served_(served) {}

  void on_record(const record& x) override {
    if (x.what == op::request) {
      if (idle_.empty()) {
        waiting_.push_back(x);
      } else {
        send(x, idle_.back());
        idle_.pop_back();
      }
      return;
    }
    ++served_;
    if (waiting_.empty()) {
      idle_.push_back(x.arg);
    } else {
      send(waiting_.front(), x.arg);
      waiting_.pop_front();
    }
  }

private:
  void send(record request, entity_id server) {
    request.to = server;
    events_.post(request);
  }

  std::vector<entity_id> idle_;
  std::deque<record> waiting_;
  std::uint64_t& served_;
};

class source final : public node {
public:
  source(caf::actor_config& config, lane& events, entity_id id, entity_id queue, const sampler& gap,
         std::uint64_t requests, std::uint64_t seed)
    : node(config, events, id), queue_(queue), gap_(gap), left_(requests), random_(seed, "source") {
    arm();
  }

  void on_record(const record& x) override {
    record request = x;
    request.to = queue_;
    request.what = op::request;
    events_.post(request);
    if (--left_ > 0)
      arm();
  }

private:
  void arm() {
    record x;
    x.to = id_;
    events_.after(gap_.draw(random_), x);
  }

  entity_id queue_;
  const sampler& gap_;
  std::uint64_t left_;
  random_stream random_;
};

} // namespace

std::uint64_t lane_mmc(std::uint32_t servers, double load, std::uint64_t requests,
                       std::uint64_t seed) {
  virtual_time_config config;
  caf::actor_system system{config};
  auto& coordinator = virtual_coordinator::of(system);
  auto& events = coordinator.events();
  const sampler service{exponential_distribution{mean_service}};
  const sampler gap{
    exponential_distribution{from_seconds(seconds_of(mean_service) / (load * servers))}};
  std::uint64_t served = 0;
  const auto queue_id = events.allocate();
  std::vector<entity_id> ids;
  std::vector<caf::actor> actors;
  for (std::uint32_t i = 0; i < servers; ++i) {
    ids.push_back(events.allocate());
    actors.push_back(system.spawn<server>(events, ids.back(), queue_id, service, seed));
  }
  actors.push_back(system.spawn<queue>(events, queue_id, ids, served));
  actors.push_back(system.spawn<source>(events, events.allocate(), queue_id, gap, requests, seed));
  coordinator.settle();
  while (events.next_due() != never)
    coordinator.run_until(events.next_due() + std::chrono::seconds{1});
  for (const auto& x : actors)
    caf::anon_send_exit(x, caf::exit_reason::user_shutdown);
  coordinator.settle();
  return served;
}

} // namespace spillover::bench
