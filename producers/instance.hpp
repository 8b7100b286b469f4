#pragma once

#include "model/fault.hpp"
#include "model/random.hpp"
#include "model/slot_table.hpp"
#include "producers/cpu_sharing.hpp"
#include "producers/health/probe_result.hpp"
#include "producers/instance_config.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace spillover {

/// What an instance asks of the world around it.
class instance_effects {
public:
  virtual ~instance_effects() = default;

  /// Answers a request that came through `instance::on_request`.
  virtual void respond(std::uint32_t key, std::uint64_t serial, outcome how) = 0;

  /// Asks for `instance::on_cpu` at `due`, unless it comes earlier anyway.
  virtual void wake_cpu(instant due) = 0;

  /// Asks for `instance::on_wait(now, index, serial)` at `due`.
  virtual void wake_wait(instant due, std::uint32_t index, std::uint64_t serial) = 0;
};

/// How many requests an instance works on at a time, and lets wait, by its own count: what Knative's
/// queue-proxy does in front of a pod (C-30).
struct own_limit {
  /// 0 is no limit.
  std::uint32_t concurrency = 0;
  /// Beyond these it answers `unavailable`.
  std::uint32_t queue = 0;
};

/// What all instances of a revision have in common.
struct instance_blueprint {
  /// @param own for a platform whose instances count for themselves
  explicit instance_blueprint(const instance_config& x, own_limit own = {})
    : cpu(x.cpu),
      limit(own),
      cpu_per_request(x.cpu_per_request),
      service_time(x.service_time),
      cold_start(x.cold_start),
      boosted_cpu(x.startup_cpu_boost ? spillover::boosted_cpu(x.cpu) : x.cpu),
      startup_probe(x.startup_probe),
      liveness_probe(x.liveness_probe),
      readiness_probe(x.readiness_probe) {}

  double cpu;
  own_limit limit;
  duration cpu_per_request;
  sampler service_time;
  sampler cold_start;
  /// While the startup boost holds; `cpu` without one.
  double boosted_cpu;
  std::optional<startup_probe_config> startup_probe;
  std::optional<liveness_probe_config> liveness_probe;
  std::optional<readiness_probe_config> readiness_probe;
};

/// Serves requests: first their CPU part, shared with the others, then the rest of their time.
///
/// Faults stack, and requests and probes meet them apart: it is silent to either while any fault
/// silences it, and otherwise fails as the latest failing fault says. A request that comes while slow
/// faults lie takes the product of their factors times its CPU and its waiting; then waiting faults add
/// their sum to the waiting, which no factor stretches, as it is another's time. Leaking faults burn
/// the sum of what they have grown to, but leave requests a hundredth of the CPU. What lies on it is
/// worked out anew from the list of faults whenever that changes, in the order of their numbers: once
/// all are off, every parameter is what it was, to the last bit.
class instance {
public:
  /// @param blueprint outlives the instance
  /// @param path names its random streams, e.g. "us-east1/checkout/web/7"
  instance(const instance_blueprint& blueprint, std::uint64_t seed, std::string_view path);

  /// Takes a request, at once or, beyond its own limit, when another has ended. Without a limit of its
  /// own it counts nothing: whoever routes to it does.
  /// @param key what the answer brings back, together with `serial`
  void on_request(instant now, std::uint32_t key, std::uint64_t serial, instance_effects& out);

  /// The time that `wake_cpu` asked for has come.
  void on_cpu(instant now, instance_effects& out);

  /// The time that `wake_wait` asked for has come.
  void on_wait(instant now, std::uint32_t index, std::uint64_t serial, instance_effects& out);

  /// Lays a fault on the instance.
  void afflict(instant now, std::uint32_t fault, const symptom& suffer);

  /// Takes a fault off again. The last one that silenced it to requests drops all that was held, as
  /// `lost`.
  void heal(instant now, std::uint32_t fault, instance_effects& out);

  /// Gives it other vCPUs from now on, the blueprint's at least: the startup boost and its end.
  void set_cpu(instant now, double vcpus, instance_effects& out);

  /// @returns what a probe meets now that wants an answer.
  probe_result probe();

  /// @returns what a probe meets now that only connects: `answered` whatever the process makes of it,
  ///          unless nothing reaches it.
  [[nodiscard]] probe_result connect() const noexcept {
    return condition_.unreachable ? probe_result::silent : probe_result::answered;
  }

  /// Called once a second, which is when leaks grow: to the rate times the whole seconds since the
  /// leak's onset.
  /// @returns the CPU time used since the last call, leaks included
  duration take_cpu(instant now);

  /// @returns whether its start can succeed: no `unstartable` lies on it.
  [[nodiscard]] bool startable() const noexcept;

  /// Lets the processor fetch what `on_wait(index, ...)` will touch.
  void fetch(std::uint32_t index) const noexcept { jobs_.fetch(index); }

  /// Requests that it holds, those that wait for others to end included.
  [[nodiscard]] std::size_t size() const noexcept { return jobs_.size() + waiting_count(); }

private:
  struct job {
    std::uint64_t serial = 0;
    std::uint32_t key = 0;
    duration wait{};
  };
  struct laid {
    std::uint32_t fault = 0;
    symptom suffer = {};
    instant since{};
    std::uint64_t order = 0;  // counts the faults that came
    std::int64_t seconds = 0; // that a leak has grown
  };
  /// How some requests fail.
  struct failure {
    double share = 0;
    outcome status = outcome::ok;
  };
  /// What all faults together make of it.
  struct condition {
    bool silent = false; // to requests
    bool silent_to_probes = false;
    bool unreachable = false; // to probes that only connect
    failure requests = {};
    double probe_errors = 0;
    double factor = 1;
    duration by{};
    bool leaks = false;
  };
  /// A request that waits for another one to end.
  struct waiting {
    std::uint64_t serial = 0;
    std::uint32_t key = 0;
    duration cpu{};
    duration wait{};
  };
  [[nodiscard]] bool full() const noexcept {
    return blueprint_->limit.concurrency != 0 && jobs_.size() >= blueprint_->limit.concurrency;
  }
  [[nodiscard]] std::size_t waiting_count() const noexcept {
    return waiting_.size() - first_waiting_;
  }
  void line_up(const waiting& x, instance_effects& out);
  void take_next(instant now, instance_effects& out);
  void take_ill(instant now, std::uint32_t key, std::uint64_t serial, duration cpu, duration wait,
                instance_effects& out);
  void take(instant now, std::uint32_t key, std::uint64_t serial, duration cpu, duration wait,
            instance_effects& out);
  void diagnose(instant now);
  void grow_leaks(instant now) noexcept;
  void leak(instant now);
  void finish(instant now, std::uint32_t index, outcome how, instance_effects& out);
  void begin_wait(instant now, std::uint32_t index, instance_effects& out);
  void arm(instance_effects& out);

  // What every request touches comes first: at ten thousand instances each cache line counts.
  const instance_blueprint* blueprint_;
  bool ill_ = false; // any fault lies on it
  random_stream service_random_;
  slot_table<job> jobs_;
  cpu_sharing cpu_;
  condition condition_{};
  std::vector<laid> faults_; // by number
  std::uint64_t order_ = 0;
  duration cpu_taken_{};
  random_stream failure_random_; // of requests
  random_stream probe_random_;   // of probes
  // Beyond its own limit; those before `first_waiting_` are gone.
  std::vector<waiting> waiting_;
  std::size_t first_waiting_ = 0;
};

} // namespace spillover
