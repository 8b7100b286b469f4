#include "consumers/arrivals.hpp"

#include "model/elementary.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr double highest_rate = 1e7;
constexpr double lowest_rate = 1e-6;
constexpr double lowest_amplitude = 1e-3;
constexpr duration shortest_period = std::chrono::seconds{1};

// Waves of one period are one wave; when that is flat, no request may ever come of it, and looking
// for the next one would not end.
bool cancel_out(const std::vector<sinusoid>& waves, duration period) {
  double sine = 0;
  double cosine = 0;
  double sum = 0;
  for (const auto& x : waves) {
    if (x.period != period)
      continue;
    const auto turns = seconds_of(x.phase % period) / seconds_of(period);
    sine += x.amplitude * portable_sin_turns(turns);
    cosine += x.amplitude * portable_sin_turns(turns + 0.25);
    sum += x.amplitude;
  }
  return sine * sine + cosine * cosine < 1e-6 * sum * sum;
}

void validate_rate(const std::vector<rate_step>& rate, std::vector<std::string>& problems) {
  if (rate.empty())
    problems.emplace_back("rate: needs at least one entry");
  for (std::size_t i = 0; i < rate.size(); ++i) {
    const auto name = "rate[" + std::to_string(i) + "].";
    const auto& x = rate[i];
    if (i == 0 && x.at != run_start)
      problems.push_back(name + "at: the first entry must be at 0s");
    if (i == 0 && x.ramp)
      problems.push_back(name + "ramp: there is no entry before to come from");
    if (i > 0 && x.at <= rate[i - 1].at)
      problems.push_back(name + "at: must be later than that of the entry before");
    if (x.rps != 0 && !(x.rps >= lowest_rate && x.rps <= highest_rate))
      problems.push_back(name + "rps: must be 0, or from 0.000001 to 10000000");
  }
}

} // namespace

std::vector<std::string> validate(const open_loop_config& x) {
  std::vector<std::string> problems;
  validate_rate(x.rate, problems);
  for (std::size_t i = 0; i < x.waves.size(); ++i) {
    const auto name = "waves[" + std::to_string(i) + "].";
    const auto& wave = x.waves[i];
    if (!(wave.amplitude >= lowest_amplitude && wave.amplitude <= highest_rate))
      problems.push_back(name + "amplitude: must be from 0.001 to 10000000");
    if (wave.period < shortest_period)
      problems.push_back(name + "period: must be at least 1s");
    else if (cancel_out(x.waves, wave.period))
      problems.push_back(name + "phase: the waves of this period cancel one another out");
  }
  return problems;
}

arrivals::arrivals(const open_loop_config& config, const random_stream& random)
  : curve_(config), random_(random), process_(config.arrivals), over_(!curve_.enter(run_start)) {}

instant arrivals::next() {
  // Rounding of a sum must not push the last even arrival over the end of its stretch, after which
  // the rate may be 0.
  constexpr double slack = 1e-9;
  if (over_)
    return never;
  auto gap = process_ == arrival_process::poisson ? -portable_log(1 - random_.unit()) : 1.0;
  while (true) {
    const auto rest = curve_.total() - done_;
    if (rest > 0 && gap <= rest + slack)
      break;
    gap -= rest;
    if (!curve_.enter(curve_.end())) {
      over_ = true;
      return never;
    }
    done_ = 0;
  }
  done_ = std::min(done_ + gap, curve_.total());
  const auto at = curve_.start() + from_seconds(curve_.offset_of(done_));
  // Rounding to the nanosecond must not pass over the end of the stretch either.
  last_ = std::max(last_, std::min(at, curve_.end()));
  return last_;
}

} // namespace spillover
