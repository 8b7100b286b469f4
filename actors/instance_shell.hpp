#pragma once

#include "actors/alarm.hpp"
#include "actors/shell.hpp"
#include "producers/affliction_book.hpp"
#include "producers/health/container_probes.hpp"
#include "producers/instance.hpp"

#include <memory>
#include <optional>
#include <string>

namespace spillover {

/// The process of one instance.
class instance_shell final : public shell<instance_actor>, private instance_effects {
public:
  struct setup {
    entity_id id = nobody;
    std::string path;
    std::uint32_t index = 0;
    std::uint32_t incarnation = 1;
    entity_id revision_id = nobody;
    const instance_blueprint* blueprint = nullptr; // outlives the actor
    /// Serves at once, as instances of the run's start do.
    bool warm = false;
    start_terms terms = {};
    /// The revision wants to know what it counts as for service health (B-68).
    bool tells_readiness_count = false;
  };

  /// @param revision whom it tells that it can serve
  instance_shell(caf::actor_config& config, site& where, const setup& with,
                 revision_actor revision);

  void on_record(const record& x) override;
  void fetch(const record& x) const noexcept override { instance_.fetch(x.arg); }
  void on_exit() override;

protected:
  behavior_type make_behavior() override;

private:
  enum timer : std::uint16_t { cpu_timer, wait_timer, probe_timer, boost_timer };

  void respond(std::uint32_t key, std::uint64_t serial, outcome how) override;
  void wake_cpu(instant due) override;
  void wake_wait(instant due, std::uint32_t index, std::uint64_t serial) override;
  caf::result<probe_answer> answer_probe(const probe& x);
  [[gnu::cold]] void answer_connect(const record& x);
  void begin_start();
  void look_at_start();
  void begin_to_serve();
  void tell_failure(bool at_start);
  void on_timer(const record& x);
  void run_probes();

  // In the order of use: what every request touches first.
  alarm_clock cpu_alarm_;
  entity_id revision_id_;
  std::uint32_t index_;
  instance instance_;
  std::uint32_t incarnation_;
  revision_actor revision_;
  const instance_blueprint* blueprint_;
  duration cold_start_{};
  bool serving_;
  bool tells_readiness_count_;
  instant began_{};
  std::optional<startup_course> start_;      // with a startup probe
  std::unique_ptr<container_probes> probes_; // with any other
  alarm_clock probe_alarm_;
};

} // namespace spillover
