#pragma once

#include "actors/shell.hpp"
#include "model/books.hpp"
#include "model/random.hpp"
#include "producers/health/aggregation.hpp"
#include "regions/backend_split.hpp"
#include "regions/utilization_meter.hpp"

#include <optional>
#include <vector>

namespace spillover {

/// A published service: the forwarding rule that requests come in by, and the service attachment
/// that consumers connect to and learn its health from.
class published_service_shell final : public shell<published_service_actor> {
public:
  struct backend {
    entity_id revision = nobody;
    std::uint32_t weight = 1;
  };

  /// A connected consumer.
  struct consumer {
    std::string name;
    /// Its load balancer, for answers.
    port answers;
    /// The link that carries health to it.
    link_actor link;
    /// Where its requests go when it uses the URL of a tag; else nobody.
    entity_id tagged = nobody;
    /// It balances over endpoints, and is told of them.
    bool wants_endpoints = false;
    /// Its clients make connections (B-87).
    bool makes_connections = false;
    books tries{};
    books calls{}; // for connections, and pings over them
    books ends{};  // of connections
  };

  struct setup {
    entity_id id = nobody;
    std::string path;
    std::vector<backend> backends;
    /// None without a composite health check: nothing is propagated then (B-22).
    std::optional<propagation_config> timing;
    /// Counts the processes that carried this service, from 1: what a newer one says counts (B-24).
    std::uint32_t incarnation = 1;
    /// When consumers that want them are told of endpoints (B-82).
    propagation_config endpoint_timing = {};
    /// Requests reach it without any instance, and start one: it then has one endpoint that is always
    /// there, its address (B-66).
    bool answers_from_zero = false;
  };

  published_service_shell(caf::actor_config& config, site& where, setup with,
                          std::vector<consumer> consumers);

  void on_record(const record& x) override;
  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  void publish();
  void count(const endpoint_report& x);
  void measure(const utilization_report& x);
  void tell_at_next_tick();
  void tell_endpoints(const publish_endpoints& x);
  [[nodiscard]] endpoint_view seen_by_consumers() const;
  // Apart from the code of every request, whose registers it would take.
  [[gnu::cold]] void trace(const record& x);
  [[gnu::cold]] void on_connection(const record& x);
  void take_call(const record& x);
  void answer_call(const record& x);
  void tell_lost(const record& x);
  void close_connections();
  consumer& consumer_at(entity_id load_balancer);

  setup setup_;
  std::vector<consumer> consumers_;
  std::vector<random_stream> jitter_; // of each consumer
  backend_split split_;
  std::optional<service_health> state_;
  std::vector<random_stream> endpoint_jitter_; // of each consumer
  service_endpoints endpoints_;                // as they are
  endpoint_view told_;                         // as consumers were told of them
  event_id told_cause_;                        // and why
  bool telling_ = false;                       // a change is about to be told
  utilization_meter meter_;
  std::size_t call_turn_ = 0; // of the backend services
  bool from_zero_ = true;     // none was healthy since there was none at all
};

} // namespace spillover
