#pragma once

#include "model/fault.hpp"
#include "model/random.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// What a directed link does to one plane.
struct link_config {
  /// One way, at least 0.
  duration latency{};

  /// Added to the latency, uniform in [0, this].
  duration jitter{};

  /// Share of what is sent that never arrives, 0..1.
  double loss = 0;

  friend bool operator==(const link_config&, const link_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const link_config& x);

/// Decides for each message of one direction and plane whether and when it arrives.
///
/// Draws the same number of random values for every message, so that a fault on the link does not
/// change what later messages meet. Faults stack: the link is cut while any of them cuts it, and
/// delays add up; each is taken back by its own number.
class link_model {
public:
  link_model(const link_config& config, const random_stream& random) noexcept
    : config_(config), random_(random) {}

  /// @returns how long the message travels, or nothing when it is lost.
  std::optional<duration> decide() noexcept {
    ++taken_;
    const auto lost = random_.unit() < config_.loss;
    const auto steps = static_cast<std::uint64_t>(config_.jitter.count()) + 1;
    const auto jitter = duration{static_cast<duration::rep>(random_.below(steps))};
    if (lost || cuts_ != 0) {
      ++lost_;
      return std::nullopt;
    }
    return config_.latency + delay_ + jitter;
  }

  /// Lays a fault on the link.
  /// @param number the fault's number in the scenario; not laid on already
  void add_fault(std::uint32_t number, const link_symptom& suffer);

  /// Takes a fault off again; does nothing when it is not there.
  void remove_fault(std::uint32_t number);

  /// Messages that were sent, and those of them that never arrive.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

private:
  struct laid {
    std::uint32_t number;
    link_symptom suffer;
  };
  // From all faults that lie, in their order, so that taking one off leaves no trace of it.
  void recompute() noexcept;

  link_config config_;
  random_stream random_;
  std::uint32_t cuts_ = 0;
  duration delay_{};
  std::uint64_t taken_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<laid> faults_;
};

} // namespace spillover
