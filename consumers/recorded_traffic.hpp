#pragma once

#include "model/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace spillover {

/// What a trace may have at most, so that a file cannot exhaust memory.
inline constexpr std::size_t max_recorded_arrivals = 50'000'000;
inline constexpr std::size_t max_recorded_buckets = 5'000'000;

/// A trace is shorter than this; no year of traffic is replayed in one run.
inline constexpr duration max_recorded_time = std::chrono::hours{24 * 365};

/// Requests in one bucket.
inline constexpr double max_bucket_requests = 1e9;

/// Instants of arrivals in order, some 3 bytes each: what is kept are the gaps between them, in 7 bits
/// a byte.
class arrival_times {
public:
  /// Goes through the instants once, in order.
  class reader {
  public:
    explicit reader(const arrival_times& of) noexcept : of_(&of) {}

    /// @returns the next instant, from the trace's beginning; nothing behind the last.
    std::optional<duration> next() noexcept;

  private:
    const arrival_times* of_;
    std::size_t place_ = 0; // of the next byte
    std::uint64_t at_ = 0;
  };

  /// @param at from the trace's beginning, not before the last one
  void append(duration at);

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const noexcept { return bytes_; }
  friend bool operator==(const arrival_times&, const arrival_times&) = default;

private:
  std::vector<std::uint8_t> bytes_;
  std::size_t size_ = 0;
  std::uint64_t last_ = 0;
};

/// Traffic that was once seen: how many requests came in each of equal buckets, or each one's arrival.
///
/// Times count from the trace's beginning.
class recorded_traffic {
public:
  /// @param bucket how long each is, from 1 ms to a day
  /// @param counts requests in each, 0 to `max_bucket_requests`, at least one bucket and at most
  ///        `max_recorded_buckets`
  static recorded_traffic of_counts(duration bucket, std::vector<double> counts);

  /// @param instants in any order, at least one and at most `max_recorded_arrivals`, each from 0 and below
  ///        `max_recorded_time`
  static recorded_traffic of_arrivals(std::vector<std::int64_t> instants);

  /// Whether each arrival is known, and not only how many came.
  [[nodiscard]] bool has_arrivals() const noexcept { return arrivals_.size() > 0; }
  [[nodiscard]] const arrival_times& arrivals() const noexcept { return arrivals_; }

  /// How many requests came in each bucket; of arrivals, counted in buckets of a second, or of more where
  /// these were too many.
  [[nodiscard]] std::span<const double> counts() const noexcept { return counts_; }
  [[nodiscard]] duration bucket() const noexcept { return bucket_; }

  /// How long it is: all buckets, or to the last arrival and the mean gap between arrivals more, so that a
  /// repetition does not begin with two at once.
  [[nodiscard]] duration lasts() const noexcept { return lasts_; }

  /// @returns how many requests it holds between two of its times, parts of a bucket counted as such.
  [[nodiscard]] double requests(duration from, duration to) const noexcept;

  /// The same for the same traffic, whatever file it came from.
  [[nodiscard]] std::uint64_t digest() const noexcept { return digest_; }

  friend bool operator==(const recorded_traffic&, const recorded_traffic&) = default;

private:
  recorded_traffic() = default;

  duration bucket_{};
  std::vector<double> counts_;
  arrival_times arrivals_;
  duration lasts_{};
  std::uint64_t digest_ = 0;
};

} // namespace spillover
