#pragma once

#include "consumers/arrivals.hpp"
#include "consumers/recorded_traffic.hpp"
#include "model/random.hpp"
#include "model/time.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spillover {

/// How a file of a trace is to be understood.
enum class trace_format : std::uint8_t {
  /// Requests in each second, minute or other bucket (CSV).
  counts,
  /// The time of each arrival (CSV).
  times,
  /// Invocations of functions in each minute of a day, as Azure published them (CSV).
  azure_functions_2019,
  /// Results of load generators.
  hey_csv,
  vegeta_json,
  vegeta_csv,
  k6_csv,
};

/// Where a trace was read from, for whoever writes it down again; no part of what is played.
struct trace_source {
  /// Relative to the scenario's folder.
  std::string file;
  /// Without it, guessed from what the file begins with.
  std::optional<trace_format> format = std::nullopt;
  /// Of `counts`: how long a bucket is; without it, what the file's header or its first rows say.
  std::optional<duration> bucket = std::nullopt;
  /// Of `counts`: the column with the requests; without it, the one with a known name.
  std::string column = {};
  /// Of `azure_functions_2019`: what the cells of the rows that count begin with; all when empty.
  std::string owner = {};
  std::string app = {};
  std::string function = {};
  std::string trigger = {};
  friend bool operator==(const trace_source&, const trace_source&) = default;
};

/// Requests that come as a trace says, whatever the answers.
///
/// At a time t of the trace within [from, to), requests come at `at` + (t - from) / `warp`.
struct trace_config {
  trace_source source;
  /// Never nothing; shared, because a trace can be large and a scenario is copied.
  std::shared_ptr<const recorded_traffic> traffic = nullptr;

  instant at = run_start;
  /// Times as many requests, 0.000001..1,000,000.
  double scale = 1;
  /// Times as fast, 0.001..1,000,000: as many requests in a shorter time.
  double warp = 1;
  /// The part that is played; without `to`, to the trace's end.
  duration from{};
  std::optional<duration> to = std::nullopt;
  /// How a bucket is filled, and where the further requests of a `scale` above 1 come.
  arrival_process arrivals = arrival_process::poisson;
  /// Begins again whenever it is over, to the end of the run.
  bool repeat = false;
  /// What its reader found worth knowing, a sentence each; not compared.
  std::vector<std::string> remarks = {};

  /// The end of the part that is played.
  [[nodiscard]] duration end() const noexcept { return to.value_or(traffic->lasts()); }

  /// @returns the requests that are expected of one time through.
  [[nodiscard]] double expected() const noexcept { return scale * traffic->requests(from, end()); }

  friend bool operator==(const trace_config& a, const trace_config& b);
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const trace_config& x);

/// @returns the rate that is expected at `t`, in requests a second, averaged over the trace's bucket there.
double trace_rate_at(const trace_config& x, instant t) noexcept;

/// The fullest bucket of what is played.
struct trace_peak {
  /// In requests a second of the run.
  double rate = 0;
  /// When it begins the first time.
  instant at{};
};

/// @returns the fullest bucket, the first of several.
trace_peak peak_of(const trace_config& x) noexcept;

/// Says when the next request of a trace comes.
///
/// Buckets: requests come at the bucket's mean rate, independent of one another (`poisson`), or evenly
/// spaced so that a bucket of n requests gets exactly n (`uniform`).
///
/// Arrivals: with `scale` 1 each comes at its own time. Below 1, each is kept with that probability
/// (`poisson`: thinning), or every 1/scale-th (`uniform`). Above 1, each is joined by scale - 1 more on
/// average, which come between it and the next one of the trace: at random times (`poisson`), or evenly
/// (`uniform`). Bursts and quiet times stay where they were.
class trace_arrivals {
public:
  /// @param config a valid one
  trace_arrivals(const trace_config& config, const random_stream& random);

  /// @returns the next arrival, not before the last one, or `never` when no more come.
  instant next();

private:
  std::optional<duration> next_of_counts();
  bool enter_bucket(duration::rep place);
  std::optional<duration> next_of_arrivals();
  void take_arrival();
  std::uint64_t copies();
  void begin_lap();
  [[nodiscard]] instant to_run(duration t) const noexcept;

  std::shared_ptr<const recorded_traffic> traffic_;
  random_stream random_;
  arrival_process process_;
  bool repeat_ = false;
  instant at_{};
  double scale_ = 1;
  double warp_ = 1;
  duration from_{};
  duration to_{};
  duration lap_{}; // one time through, in the run's time
  instant lap_start_{};
  bool over_ = false;

  // Buckets: the one at hand.
  duration::rep bucket_ = 0;
  duration start_{};
  duration end_{};
  double total_ = 0; // requests of it
  double done_ = 0;
  double owed_ = 0; // until the next request; of `uniform`, kept from bucket to bucket

  // Arrivals: the one at hand, and the next of the trace.
  arrival_times::reader reader_;
  std::optional<duration> following_;
  duration place_{};   // of the last request
  duration stretch_{}; // `uniform`: from the arrival at hand to the one after
  duration own_{};
  std::uint64_t left_ = 0; // requests still to come before `following_`
  std::uint64_t of_ = 0;   // of how many
  double saved_ = 0;       // `uniform`: parts of requests
};

} // namespace spillover
