#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spillover {

/// How many pushes of a subscription may be under way, and when it pauses.
struct push_window_config {
  /// Pushes at the start of the run: a small number of one digit.
  std::uint32_t initial = 5;

  /// Never fewer, at least 1.
  std::uint32_t minimum = 1;

  /// Up to here the window grows by `growth` with each acknowledged push, so that it doubles from round
  /// trip to round trip; above it by 1 in each round trip.
  std::uint32_t linear_from = 3000;

  /// Never more, up to 1,000,000.
  std::uint32_t maximum = 100'000;

  /// Added for each acknowledged push, and taken off for each other one. Equal ones agree with what is
  /// stated: below 99 % the window falls to `linear_from`, and no further.
  std::uint32_t growth = 1;
  std::uint32_t shrink = 1;

  /// Above `linear_from` the window stays only while pushes take at most so long on average, and this
  /// share of them is acknowledged; both are looked at once in `judged_over`.
  duration slow = std::chrono::seconds{1};
  double acknowledged = 0.99;
  duration judged_over = std::chrono::seconds{1};

  /// After a push that was not acknowledged all pushing pauses, at first so long, then twice as long with
  /// each one that was sent after the pause before, until one is acknowledged (push backoff). A longest
  /// of 0s switches pauses off.
  duration pause = std::chrono::milliseconds{100};
  duration longest_pause = std::chrono::seconds{60};

  friend bool operator==(const push_window_config&, const push_window_config&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const push_window_config& x);

/// The window of a push subscription: slow start, a linear part above it, and pauses.
class push_window {
public:
  /// @param config a valid one
  explicit push_window(const push_window_config& config) : config_(config), size_(config.initial) {}

  /// A push was acknowledged.
  /// @param latency since it was sent
  void acknowledge(instant now, duration latency);

  /// A push failed, or its deadline came.
  /// @param sent when it was sent
  void fail(instant now, instant sent);

  /// @returns how many pushes may be under way, within [minimum, maximum].
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  /// @returns when pushing may go on; a time that has passed when there is no pause.
  [[nodiscard]] instant paused_until() const noexcept { return paused_until_; }

private:
  void judge(instant now);

  push_window_config config_;
  std::uint32_t size_;
  std::uint32_t credit_ = 0; // acknowledged since the window grew by 1 in its linear part
  duration pause_{};         // the last one, 0 since a push was acknowledged
  instant paused_until_ = run_start;

  // What was seen since `judged_`.
  instant judged_ = run_start;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t ended_ = 0;
  double latency_ = 0; // their sum, in seconds
};

} // namespace spillover
