#pragma once

#include "model/fault.hpp"
#include "model/random.hpp"
#include "model/slot_table.hpp"
#include "producers/cpu_sharing.hpp"
#include "producers/instance_config.hpp"

#include <cstdint>
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

  /// Asks for `instance::on_wait(index, serial)` at `due`.
  virtual void wake_wait(instant due, std::uint32_t index, std::uint64_t serial) = 0;
};

/// What all instances of a revision have in common.
struct instance_blueprint {
  explicit instance_blueprint(const instance_config& x)
    : cpu(x.cpu),
      cpu_per_request(x.cpu_per_request),
      service_time(x.service_time),
      cold_start(x.cold_start) {}

  double cpu;
  duration cpu_per_request;
  sampler service_time;
  sampler cold_start;
};

/// Serves requests: first their CPU part, shared with the others, then the rest of their time.
///
/// Faults stack: it is silent while any fault silences it, and otherwise fails as the latest failing
/// fault says.
class instance {
public:
  /// What a probe meets.
  enum class probe_answer : std::uint8_t { healthy, error, silence };

  /// @param blueprint outlives the instance
  /// @param path names its random streams, e.g. "us-east1/checkout/web/7"
  instance(const instance_blueprint& blueprint, std::uint64_t seed, std::string_view path);

  /// Takes a request; the instance does not count against its limit, whoever routes to it does.
  /// @param key what the answer brings back, together with `serial`
  void on_request(instant now, std::uint32_t key, std::uint64_t serial, instance_effects& out);

  /// The time that `wake_cpu` asked for has come.
  void on_cpu(instant now, instance_effects& out);

  /// The time that `wake_wait` asked for has come.
  void on_wait(std::uint32_t index, std::uint64_t serial, instance_effects& out);

  /// Lays a fault on the instance.
  void afflict(instant now, std::uint32_t fault, const symptom& suffer);

  /// Takes a fault off again. The last silencing one drops all that was held, as `lost`.
  void heal(std::uint32_t fault, instance_effects& out);

  probe_answer probe();

  /// @returns the CPU time used since the last call.
  duration take_cpu(instant now);

  /// Requests that it holds.
  [[nodiscard]] std::size_t size() const noexcept { return jobs_.size(); }

private:
  struct job {
    std::uint64_t serial = 0;
    std::uint32_t key = 0;
    duration wait{};
  };
  struct laid {
    std::uint32_t fault;
    symptom suffer;
  };
  [[nodiscard]] const symptom* failing() const noexcept;
  void finish(std::uint32_t index, outcome how, instance_effects& out);
  void begin_wait(instant now, std::uint32_t index, instance_effects& out);
  void arm(instance_effects& out);

  // What every request touches comes first: at ten thousand instances each cache line counts.
  const instance_blueprint* blueprint_;
  std::uint32_t silenced_ = 0;
  slot_table<job> jobs_;
  cpu_sharing cpu_;
  random_stream service_random_;
  std::vector<laid> faults_;
  duration cpu_taken_{};
  random_stream failure_random_;
};

} // namespace spillover
