#pragma once

#include "actors/shell.hpp"
#include "model/random.hpp"
#include "producers/health/aggregation.hpp"
#include "producers/health/policy_resource.hpp"

#include <string>
#include <utility>
#include <vector>

namespace spillover {

/// A health source: counts endpoints, and judges at its ticks.
class health_source_shell final : public shell<health_source_actor> {
public:
  struct setup {
    std::string path;
    aggregation_policy policy;
    propagation_config timing;
    /// Place among the composite's sources.
    std::uint32_t place = 0;
  };

  health_source_shell(caf::actor_config& config, site& where, setup with,
                      composite_actor composite);

  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  void take(const endpoint_report& x);
  void patch(const action_order& x);
  void follow(const policy_due& x);
  void expect_verdict(event_id cause);
  [[nodiscard]] const std::string& read_at(instant when) const;
  void judge();
  void wake_at_next_tick();
  [[nodiscard]] duration until_tick_after(instant when) const noexcept;

  setup setup_;
  composite_actor composite_;
  health_source source_;
  policy_resource policy_;
  std::vector<std::pair<instant, std::string>> fingerprints_; // of its versions, and since when
  std::size_t followed_ = 1;                                  // the version that it judges by
  duration phase_{};
  bool awake_ = false;
  health pending_ = health::unknown; // what a judgement would say now
  event_id cause_;                   // what made it say so
};

/// A composite health check: joins its sources, and tells the published service behind its health
/// destination.
class composite_shell final : public shell<composite_actor> {
public:
  struct setup {
    std::string path;
    std::string region;
    /// Backend services, in the order of the sources.
    std::vector<std::string> sources;
  };

  composite_shell(caf::actor_config& config, site& where, setup with,
                  published_service_actor destination);

  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  void take(const source_report& x);

  setup setup_;
  published_service_actor destination_;
  std::vector<health> sources_;
  health state_ = health::unknown;
  std::uint64_t generation_ = 0;
};

} // namespace spillover
