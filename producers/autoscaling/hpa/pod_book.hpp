#pragma once

#include "producers/autoscaling/autoscaler.hpp"
#include "producers/autoscaling/hpa/meter.hpp"
#include "producers/autoscaling/hpa/proposal.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace spillover::hpa {

/// What one pod, or all of them, do that can be a metric.
enum class quantity : std::uint8_t { cpu, concurrency, requests };

inline constexpr std::size_t quantity_count = 3;

/// @returns what a metric means, when the emulator has it.
std::optional<quantity> quantity_of(const metric_spec& x) noexcept;

/// Knows the pods of a deployment as the metrics server shows them, and keeps them counted by what
/// their samples are good for, so that a decision need not look at any.
///
/// A pod is counted anew when its state changed, when it was measured, and when its
/// `cpu_initialization_period` is over; nothing else changes its use (`use_of`). Memory is kept for as
/// many pods as there were at most: once that is reached nothing allocates.
class pod_book {
public:
  /// @param x valid, with metrics that `quantity_of` knows
  /// @param request of each pod's CPU, thousandths of a vCPU, above 0
  pod_book(settings x, std::int64_t request);

  /// Takes one second into account, and measures at the multiples of `metrics_resolution` from the
  /// run's start.
  /// @param ended its end, a whole second; one second after that of the last call
  /// @param pods those that there are, in the order of their indices; who is missing has gone, and
  ///        whoever comes has a larger index than all before
  void observe(instant ended, std::span<const instance_usage> pods);

  /// @returns what an autoscaler sees; valid until the next call.
  /// @param now never earlier than the last second observed, nor than in an earlier call
  /// @param spec replicas asked for last
  snapshot seen(instant now, std::int32_t spec);

private:
  struct known_pod {
    std::uint32_t index = 0;
    instance_state state = instance_state::starting;
    bool served = false; // it was ready once
    bool ready = false;
    std::array<pod_use, 2> uses{}; // of its other samples, and of its CPU's
    instant started{};             // its first process
    instant ready_changed{};
    instant initialized{}; // when only time changes its use; `never` after that
    std::array<meter, quantity_count> meters{};
  };

  /// How many pods have which use, of their other samples and of their CPU's.
  using use_counts = std::array<std::array<std::int32_t, 4>, 2>;

  void add(const instance_usage& x);
  void meet(known_pod& pod, const instance_usage& x);
  void use(known_pod& pod, const instance_usage& x);
  void renew(known_pod& pod, const instance_usage& x);
  void judge(known_pod& known, instant now) noexcept;
  void count(const known_pod& pod, std::int32_t sign) noexcept;
  void sum_up(std::span<const instance_usage> pods);
  [[nodiscard]] pod_tally tally_of(const metric_spec& metric) const noexcept;

  settings settings_;
  std::int64_t request_;
  std::int32_t window_; // whole seconds
  std::vector<quantity> of_pods_;
  std::vector<quantity> of_all_;

  std::vector<known_pod> pods_; // by index
  std::array<meter, quantity_count> totals_{};
  instant observed_ = run_start;
  bool measures_ = false; // at the end of the second observed last
  instant measured_{};

  use_counts counts_{};
  std::array<wide, quantity_count> usages_{}; // of the samples that are counted
  std::int32_t ready_ = 0;
  instant next_initialized_ = never;

  std::vector<metric_reading> readings_; // one for each metric
};

} // namespace spillover::hpa
