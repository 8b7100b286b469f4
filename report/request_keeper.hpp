#pragma once

#include "model/record.hpp"
#include "model/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// A request of a consumer that ended.
struct request_end {
  /// Place among the scenario's consumers.
  std::uint32_t consumer = 0;
  /// Of the request at its consumer, from 1.
  std::uint64_t number = 0;
  instant intended{};
  instant ended{};
  outcome how = outcome::ok;
  /// Tries of the client; those of its load balancer are not seen here.
  std::uint16_t tries = 1;

  [[nodiscard]] duration latency() const noexcept { return ended - intended; }
  friend bool operator==(const request_end&, const request_end&) = default;
};

/// A request that a run keeps, and why; at least one reason holds.
struct kept_request {
  request_end what;
  bool failed = false;
  bool slow = false;
  bool sampled = false;
  friend bool operator==(const kept_request&, const kept_request&) = default;
};

/// The requests that a run keeps: the content of `requests_kept.csv`.
struct kept_requests {
  /// Names, by `request_end::consumer`.
  std::vector<std::string> consumers;
  /// By consumer, then by number.
  std::vector<kept_request> requests;
  friend bool operator==(const kept_requests&, const kept_requests&) = default;
};

/// Keeps those of a run's requests that somebody may want explained: the first 10,000 that failed,
/// the slowest 1,000 of those answered `ok` after the warm-up, and one in 1,000 by its number, so
/// that it is the same in every run.
class request_keeper {
public:
  static constexpr std::size_t most_failed = 10'000;
  static constexpr std::size_t most_slow = 1'000;
  static constexpr std::uint64_t one_in = 1'000;

  /// @param measured_from only what ends later counts among the slowest
  explicit request_keeper(instant measured_from) noexcept : measured_from_(measured_from) {}

  /// Takes a request into account; every request of the run comes by here.
  void add(const request_end& x) {
    if (x.how != outcome::ok || x.latency() > threshold_ || is_sampled(x.number)) [[unlikely]]
      keep(x);
  }

  /// @returns what is kept, by consumer and number.
  [[nodiscard]] std::vector<kept_request> kept() const;

  /// @returns whether a request is one of those kept by their number.
  static constexpr bool is_sampled(std::uint64_t number) noexcept {
    // The golden ratio spreads consecutive numbers evenly, so that no period of theirs shows.
    return number * 0x9e3779b97f4a7c15 < ~std::uint64_t{0} / one_in;
  }

private:
  void keep(const request_end& x);

  instant measured_from_;
  /// Slower ones belong to the slowest.
  duration threshold_{-1};
  std::vector<request_end> failed_;
  std::vector<request_end> slow_; // a heap, the fastest first
  std::vector<request_end> sampled_;
};

/// @returns why a request is kept, e.g. "failed+sample".
std::string reasons_of(const kept_request& x);

/// @returns the content of `requests_kept.csv`; see `docs/events.md`.
std::string to_csv(const kept_requests& x);

/// Reads what `to_csv` writes.
/// @param problem gets what is wrong, beginning with `line N: `, when something is
std::optional<kept_requests> read_kept_requests(std::string_view text, std::string& problem);

} // namespace spillover
