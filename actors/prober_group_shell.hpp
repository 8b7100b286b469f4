#pragma once

#include "actors/shell.hpp"
#include "model/random.hpp"
#include "producers/health/auto_healing.hpp"
#include "producers/health/health_check.hpp"
#include "producers/health/prober_roster.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace spillover {

/// The probers of one backend service: each probes every endpoint, at a phase of its own.
class prober_group_shell final : public shell<prober_group_actor> {
public:
  struct setup {
    entity_id id = nobody;
    std::string path;
    health_check_config config;
    /// It is the health check of auto-healing, with this initial delay (B-67).
    std::optional<duration> healing = std::nullopt;
  };

  /// @param source who counts the endpoints; none when no composite health check asks for them
  /// @param service who tells consumers of them; none when no consumer wants to know
  prober_group_shell(caf::actor_config& config, site& where, setup with, health_source_actor source,
                     published_service_actor service = {});

  void on_record(const record& x) override;
  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  enum timer : std::uint16_t { probe_timer, success_timer, silence_timer, delay_timer };

  struct endpoint {
    instance_actor who; // none once it left
    std::string path;
    std::string zone;
    std::optional<endpoint_tracker> tracker;
    /// By prober: what kept it from hearing the last answer that it did not hear.
    std::vector<event_id> unheard = {};
    /// It was a fault of the probers that turned it unhealthy.
    bool wronged = false;
    /// The last lift of such a fault before that.
    event_id lift_before = {};
    /// Until then every other probe is refused.
    instant lag_until = {};
    /// By prober: whether the last probe in that time was.
    std::vector<bool> refusals = {};
  };

  void add(const endpoint_added& x);
  void replace(const endpoint_replaced& x);
  void watch_start(std::uint32_t index);
  void end_delay(std::uint32_t index);
  void remove(const endpoint_removed& x);
  void begin_probe(std::uint32_t index, std::uint32_t prober);
  void hear(std::uint32_t index, std::uint32_t prober, probe_result result, instant due);
  void finish_probe(std::uint32_t index, std::uint32_t prober, probe_result result,
                    event_id unheard = {});
  void tell(std::uint32_t index, const endpoint_tracker::transition& x, event_id cause);
  void make_anew(std::uint32_t index, event_id cause);
  [[nodiscard]] std::string words(health after) const;
  event_id take_cause(endpoint& e, health after, event_id unheard);
  void obey(const prober_order& x);
  void update(const action_order& x);
  void set_timer(timer what, duration span, std::uint32_t index, std::uint32_t prober, instant due);
  void report(const endpoint& of, endpoint_report::step what, health before, health after,
              event_id cause);

  setup setup_;
  health_source_actor source_;
  published_service_actor service_;
  random_stream phases_;
  std::vector<endpoint> endpoints_; // by index
  prober_roster roster_;
  event_id last_lift_; // of a fault of the probers
  bool paced_;
  bool traffic_ = false; // the backend service had a request
  std::optional<auto_healing> healing_;
  revision_actor group_; // whom it tells to make instances anew, or of their health
};

} // namespace spillover
