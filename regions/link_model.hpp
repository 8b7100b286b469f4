#pragma once

#include "model/fault.hpp"
#include "model/random.hpp"
#include "model/time.hpp"
#include "regions/message_limit.hpp"

#include <cstdint>
#include <map>
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

/// When a message arrives, and its duplicate if it has one.
struct passage {
  /// How long the message travels; nothing when it is lost.
  std::optional<duration> first = std::nullopt;

  /// How long its duplicate travels; only of a message that is not lost.
  std::optional<duration> second = std::nullopt;

  friend bool operator==(const passage&, const passage&) = default;
};

/// Decides for each message of one direction and plane whether and when it arrives.
///
/// Draws the same number of random values for every message, and each fault draws from a stream of
/// its own, so that a fault on the link changes neither what later messages meet nor what another
/// fault does. Faults stack in any overlap, and each is taken back by its own number without a trace:
/// - the link is cut while any fault cuts it, and each `lossy` fault loses its share of the rest;
/// - what `delayed`, `jittery` and `reordering` faults add to the latency adds up;
/// - `limited` faults stand one behind the other at the entrance: what is lost on the way takes
///   nobody's place there, what one refuses is lost, and waits add up;
/// - a message arrives twice when any `duplicating` fault says so, its duplicate with jitter and
///   additions of its own. What is lost has no duplicate, and no duplicate is lost.
class link_model {
public:
  /// @param seed of the run
  /// @param path of the link and its plane, which names the streams
  link_model(const link_config& config, std::uint64_t seed, std::string path);

  /// @param now never earlier than last time
  passage decide(instant now) {
    ++taken_;
    const auto lost = random_.unit() < config_.loss;
    const auto jitter = up_to(config_.jitter, random_);
    if (!faults_.empty()) [[unlikely]]
      return decide_ailing(now, lost, jitter);
    if (lost) {
      ++lost_;
      return {};
    }
    return {config_.latency + jitter, std::nullopt};
  }

  /// Lays a fault on the link.
  /// @param number the fault's number in the scenario; not laid on already
  void add_fault(std::uint32_t number, const link_symptom& suffer);

  /// Takes a fault off again; does nothing when it is not there. What waits at its limit or was held
  /// back by it arrives as it would have.
  void remove_fault(std::uint32_t number);

  /// Messages that the link took: sent, and duplicated by itself.
  [[nodiscard]] std::uint64_t taken() const noexcept { return taken_; }

  /// Of those taken, the duplicates.
  [[nodiscard]] std::uint64_t duplicated() const noexcept { return duplicated_; }

  /// Of those taken, the ones that never arrive.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

private:
  struct laid {
    std::uint32_t number = 0;
    link_symptom suffer;
    random_stream random;
    std::optional<message_limit> limit;
  };

  // Uniform in [0, most].
  static duration up_to(duration most, random_stream& random) noexcept {
    const auto steps = static_cast<std::uint64_t>(most.count()) + 1;
    return duration{static_cast<duration::rep>(random.below(steps))};
  }

  // The same under the faults that lie.
  passage decide_ailing(instant now, bool lost, duration jitter);

  link_config config_;
  random_stream random_;
  std::uint64_t taken_ = 0;
  std::uint64_t lost_ = 0;
  std::vector<laid> faults_; // as they came

  // What only faults need.
  std::uint64_t duplicated_ = 0;
  std::uint64_t seed_;
  std::string path_;
  // Streams of faults that were taken off: when one comes again, it goes on where it stopped.
  std::map<std::uint32_t, random_stream> resting_;
};

} // namespace spillover
