#pragma once

#include "actors/alarm.hpp"
#include "actors/shell.hpp"
#include "lb/load_balancer.hpp"
#include "model/random.hpp"
#include "producers/health/aggregation.hpp"

#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace spillover {

/// A consumer's load balancer.
class load_balancer_shell final : public shell<load_balancer_actor>, private load_balancer_effects {
public:
  /// One PSC NEG.
  struct backend {
    std::string name;
    /// The published service there.
    port service;
    /// From a state's arrival to its effect on routing (B-23); none when the service has no composite
    /// health check and tells nothing (B-22).
    std::optional<duration> apply;
    /// The same for endpoints, which are told without a composite health check too.
    duration apply_endpoints = propagation_config{}.apply;
  };

  struct setup {
    entity_id id = nobody;
    std::string path;
    load_balancer_config config;
    /// Closest first.
    std::vector<backend> regions;
  };

  load_balancer_shell(caf::actor_config& config, site& where, setup with);

  void on_record(const record& x) override;
  void fetch(const record& x) const noexcept override { balancer_.fetch(x.arg); }

protected:
  behavior_type make_behavior() override;

private:
  enum timer : std::uint16_t {
    second_timer,
    deadline_timer,
    sweep_timer,
    route_timer,
    answer_timer
  };

  /// What is known of one PSC NEG.
  struct neg {
    health known = health::unknown;
    std::uint32_t incarnation = 0;
    std::uint64_t generation = 0;
    service_endpoints endpoints;  // the newest
    books counted;                // attempts up to the last second
    overflow_count overflow = {}; // as well
    try_count tries = {};         // as well
    std::uint64_t answers = 0;    // that came from there, in time or late
    std::uint64_t told = 0;       // what came of connections
    bool announced = true;        // its first request since the last change of route was told
    event_id announce;            // that change
    event_id applied;             // what counted last of the region
  };

  void send(std::uint32_t region, std::uint32_t key, std::uint16_t attempt,
            const record& request) override;
  void answer(const record& request, outcome how) override;
  void try_noticed(std::uint32_t region, std::uint16_t attempt, const record& request,
                   try_notice what) override;
  void outlier_changed(std::uint32_t proxy, const outlier_change& x) override;
  void call(std::uint32_t key, const connection_call& x) override;
  void connection_changed(std::uint32_t proxy, const connection_change& x) override;

  void obey(const balancer_order& x);
  void learn(const service_health& x);
  void apply(const apply_health& x);
  void learn(const service_endpoints& x);
  void apply(const apply_endpoints& x);
  void on_route_due();
  void act();
  // What a change of route follows from that came by itself, after a wait.
  [[nodiscard]] event_id cause_of_change() const;
  void arm_route();
  [[nodiscard]] std::uint32_t place_of(const std::string& region) const;
  void close_second();
  void tell_tries(std::uint32_t region, bool always);
  void close();
  void close_tries();
  void close_connections();
  // Apart from the code of every request: only who makes connections has answers to them.
  [[gnu::cold]] void on_connected(const record& x);
  neg& neg_at(entity_id service);
  // Apart from the code of every request, whose registers it would take.
  [[gnu::cold]] void trace(const record& x);
  [[nodiscard]] std::string states_text() const;
  void append_share(std::string& to, std::uint32_t region) const;
  [[nodiscard]] std::string route_name(const region_route& x) const;
  void announce_route(event_id cause);

  setup setup_;
  // Answers of its own that wait, in the order in which they leave.
  std::deque<record> own_answers_;
  load_balancer balancer_;
  alarm_clock deadline_alarm_;
  alarm_clock route_alarm_;
  std::vector<neg> negs_;
  region_route announced_; // what the last event told
  event_id route_cause_;   // what was applied last
  bool taking_ = false;    // a request is being taken: an answer is the balancer's own
  std::size_t acted_ = 0;  // operators' actions so far
  // The event of the ejection that lasts, by proxy and region; no event where none does.
  std::vector<std::vector<event_id>> ejections_;
  // The last event of each connection, by proxy and region, and of each channel with its time.
  std::vector<std::vector<event_id>> connections_;
  std::vector<std::pair<event_id, instant>> channels_;
};

} // namespace spillover
