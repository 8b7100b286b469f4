#pragma once

#include "report/event_index.hpp"
#include "report/verdict.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Which run of a sweep.
struct run_key {
  /// Place of its setting in the grid, from 0.
  std::uint32_t setting = 0;
  std::uint64_t seed = 0;
  friend auto operator<=>(const run_key&, const run_key&) = default;
};

/// How a run of a sweep ended; the exit code of `spillover run` says the same.
enum class run_end : std::uint8_t {
  /// Every expectation was met, or there was none.
  met,
  missed,
  /// It is no result: the books do not balance, an actor ended by itself, or the process was lost.
  failed,
};

/// @returns "met", "missed" or "failed", as files have it.
constexpr std::string_view to_string(run_end x) noexcept {
  switch (x) {
    case run_end::met: return "met";
    case run_end::missed: return "missed";
    case run_end::failed: return "failed";
  }
  return "?";
}

/// What numbers are.
enum class measure_unit : std::uint8_t {
  /// Nanoseconds of emulated time.
  ns,
  count,
  /// Parts in a million.
  ppm,
  /// Thousandths of instance seconds.
  milli_instance_s,
  /// Thousandths of vCPU seconds.
  milli_vcpu_s,
};

/// @returns e.g. "ns", as files have it.
constexpr std::string_view to_string(measure_unit x) noexcept {
  switch (x) {
    case measure_unit::ns: return "ns";
    case measure_unit::count: return "count";
    case measure_unit::ppm: return "ppm";
    case measure_unit::milli_instance_s: return "milli_instance_s";
    case measure_unit::milli_vcpu_s: return "milli_vcpu_s";
  }
  return "?";
}

/// What a measure is read from.
struct judged_log {
  const event_index& index;
  const verdict& judged;
};

/// A number that every run of a sweep has, or does not have: a clock that never ended has none.
struct measure {
  /// Its column in the store and its name everywhere else, e.g. "failover_ns".
  std::string_view name;
  measure_unit unit = measure_unit::count;
  /// A few words for people, e.g. "fault's start to the last request there".
  std::string_view meaning;
  std::optional<std::int64_t> (*read)(const judged_log& run) = nullptr;
  /// Says something of the first failover, so that a run without any has nothing to be measured.
  bool of_failover = false;
};

inline constexpr std::size_t measure_count = 28;

/// @returns every measure, in the order of `run_outcome::values`; new ones come last.
std::span<const measure, measure_count> measures() noexcept;

/// @returns the place of a measure in `measures`, or nothing when none is called so.
std::optional<std::size_t> find_measure(std::string_view name) noexcept;

/// How one expectation of the scenario came out.
struct expectation_outcome {
  bool met = false;
  /// What was measured, in the unit of `words_of`; nothing when there was nothing to measure.
  std::optional<std::int64_t> value;
  friend bool operator==(const expectation_outcome&, const expectation_outcome&) = default;
};

/// What is kept of one run of a sweep.
struct run_outcome {
  run_key key;
  run_end end = run_end::failed;
  /// Why it failed; empty otherwise.
  std::string trouble = {};
  /// By place in `measures`; all missing in a run whose process was lost.
  std::array<std::optional<std::int64_t>, measure_count> values{};
  /// In the scenario's order; empty in a run whose process was lost.
  std::vector<expectation_outcome> expectations = {};
  /// Real time that the run took; says nothing of the scenario, and differs from run to run.
  std::chrono::nanoseconds took{};

  /// @returns the value of a measure that exists, e.g. `value("failover_ns")`.
  [[nodiscard]] std::optional<std::int64_t> value(std::string_view name) const;
};

/// @returns whether two runs came out the same, however long they took.
bool same_outcome(const run_outcome& x, const run_outcome& y);

/// @param flaws what makes the run no result beside what the verdict says, a sentence each
run_outcome summarise(run_key key, const judged_log& run, const std::vector<std::string>& flaws);

} // namespace spillover
