#include "consumers/trace_arrivals.hpp"

#include "consumers/trace_length.hpp"
#include "model/check.hpp"
#include "model/elementary.hpp"

#include <algorithm>
#include <cmath>

namespace spillover {

namespace {

// No run is that long; of two such spans the sum still does not overflow.
constexpr duration horizon = std::chrono::years{100};
constexpr double highest_rate = 1e7;

// Of a sum of scales that should be whole.
constexpr double slack = 1e-9;

// A time of the trace, from the start of its part, in the run's time, at most the horizon.
duration warped(duration x, double warp) noexcept {
  if (warp == 1)
    return x;
  const auto result = static_cast<double>(x.count()) / warp;
  return result >= static_cast<double>(horizon.count()) ? horizon : from_seconds(result * 1e-9);
}

} // namespace

bool operator==(const trace_config& a, const trace_config& b) {
  const auto same_traffic =
    a.traffic == b.traffic || (a.traffic && b.traffic && *a.traffic == *b.traffic);
  return same_traffic && a.source == b.source && a.at == b.at && a.scale == b.scale
         && a.warp == b.warp && a.from == b.from && a.to == b.to && a.arrivals == b.arrivals
         && a.repeat == b.repeat;
}

std::vector<std::string> validate(const trace_config& x) {
  std::vector<std::string> problems;
  if (!x.traffic)
    return {"file: holds no trace"};
  const auto lasts = x.traffic->lasts();
  const auto whole = "the trace, which lasts " + to_string(lasts);
  if (x.at < run_start)
    problems.emplace_back("at: must be at least 0s");
  if (x.at - run_start > horizon)
    problems.emplace_back("at: must be within 100 years");
  if (!(x.scale >= 1e-6 && x.scale <= 1e6))
    problems.emplace_back("scale: must be from 0.000001 to 1000000");
  if (!(x.warp >= 1e-3 && x.warp <= 1e6))
    problems.emplace_back("warp: must be from 0.001 to 1000000");
  if (x.from < duration::zero() || x.from >= lasts)
    problems.push_back("from: must be within " + whole);
  if (x.to && *x.to <= x.from)
    problems.emplace_back("to: must be after from");
  if (x.to && *x.to > lasts)
    problems.push_back("to: must be within " + whole);
  if (!problems.empty())
    return problems;
  if (lasting(x) < std::chrono::milliseconds{1})
    problems.emplace_back("warp: what is played must last 1ms at least");
  // Less than one would make a repetition that looks for its next request very long.
  if (x.expected() < 1 - slack)
    problems.emplace_back("scale: less than one request is expected of what is played");
  if (peak_of(x).rate > highest_rate)
    problems.emplace_back("scale: more than 10000000 requests a second would come at the peak");
  return problems;
}

double trace_rate_at(const trace_config& x, instant t) noexcept {
  auto since = t - x.at;
  const auto lap = lasting(x);
  if (since < duration::zero() || (!x.repeat && since >= lap))
    return 0;
  since %= std::max(lap, duration{1});
  const auto there = x.from + from_seconds(seconds_of(since) * x.warp);
  const auto counts = x.traffic->counts();
  const auto place = static_cast<std::size_t>(there / x.traffic->bucket());
  return place < counts.size() ? counts[place] / seconds_of(x.traffic->bucket()) * x.scale * x.warp
                               : 0;
}

trace_peak peak_of(const trace_config& x) noexcept {
  trace_peak result;
  const auto& traffic = *x.traffic;
  const auto first = x.from / traffic.bucket();
  for (auto i = first; traffic.bucket() * i < x.end(); ++i) {
    const auto rate = traffic.counts()[static_cast<std::size_t>(i)] / seconds_of(traffic.bucket())
                      * x.scale * x.warp;
    const auto begins = std::max(traffic.bucket() * i - x.from, duration::zero());
    if (rate > result.rate)
      result = {rate, x.at + warped(begins, x.warp)};
  }
  return result;
}

duration lasting(const trace_config& x) noexcept {
  return warped(x.end() - x.from, x.warp);
}

trace_arrivals::trace_arrivals(const trace_config& config, const random_stream& random)
  : traffic_(config.traffic),
    random_(random),
    process_(config.arrivals),
    repeat_(config.repeat),
    at_(config.at),
    scale_(config.scale),
    warp_(config.warp),
    from_(config.from),
    to_(config.end()),
    lap_(std::max(lasting(config), duration{1})),
    lap_start_(config.at),
    // The middle of each share of a request: then those of a bucket lie inside it.
    owed_(0.5),
    reader_(config.traffic->arrivals()),
    saved_(0.5) {
  if (process_ == arrival_process::poisson)
    owed_ = -portable_log(1 - random_.unit());
  begin_lap();
}

instant trace_arrivals::next() {
  while (!over_) {
    const auto found = traffic_->has_arrivals() ? next_of_arrivals() : next_of_counts();
    if (found)
      return to_run(*found);
    lap_start_ += lap_;
    over_ = !repeat_ || lap_start_ - run_start >= horizon;
    if (!over_)
      begin_lap();
  }
  return never;
}

instant trace_arrivals::to_run(duration t) const noexcept {
  return lap_start_ + std::min(warped(t - from_, warp_), lap_ - duration{1});
}

void trace_arrivals::begin_lap() {
  if (!traffic_->has_arrivals()) {
    over_ = !enter_bucket(from_ / traffic_->bucket());
    return;
  }
  reader_ = arrival_times::reader{traffic_->arrivals()};
  do
    following_ = reader_.next();
  while (following_ && *following_ < from_);
  left_ = 0;
}

bool trace_arrivals::enter_bucket(duration::rep place) {
  const auto width = traffic_->bucket();
  bucket_ = place;
  start_ = std::max(width * place, from_);
  end_ = std::min(width * (place + 1), to_);
  if (start_ >= end_)
    return false;
  const auto share = end_ - start_ == width ? 1 : seconds_of(end_ - start_) / seconds_of(width);
  total_ = traffic_->counts()[static_cast<std::size_t>(place)] * scale_ * share;
  done_ = 0;
  return true;
}

std::optional<duration> trace_arrivals::next_of_counts() {
  while (!(owed_ < total_ - done_)) {
    owed_ -= total_ - done_;
    // The sum of many roundings must not take a request back.
    owed_ = std::max(owed_, 0.0);
    if (!enter_bucket(bucket_ + 1))
      return std::nullopt;
  }
  done_ += owed_;
  owed_ = process_ == arrival_process::poisson ? -portable_log(1 - random_.unit()) : 1;
  const auto length = end_ - start_;
  const auto offset = static_cast<double>(length.count()) * (done_ / total_);
  // Rounding must not pass over the bucket's end.
  return start_ + std::min(duration{static_cast<duration::rep>(offset)}, length - duration{1});
}

// How many requests come of an arrival.
std::uint64_t trace_arrivals::copies() {
  if (scale_ == 1)
    return 1;
  const auto whole = std::floor(scale_);
  if (process_ == arrival_process::poisson)
    return static_cast<std::uint64_t>(whole) + (random_.unit() < scale_ - whole ? 1 : 0);
  saved_ += scale_;
  const auto result = std::floor(saved_ + slack);
  saved_ -= result;
  return static_cast<std::uint64_t>(result);
}

void trace_arrivals::take_arrival() {
  own_ = *following_;
  place_ = own_;
  following_ = reader_.next();
  const auto end = following_ ? std::min(*following_, to_) : to_;
  stretch_ = end - own_;
  of_ = copies();
  left_ = of_;
}

std::optional<duration> trace_arrivals::next_of_arrivals() {
  while (left_ == 0) {
    if (!following_ || *following_ >= to_)
      return std::nullopt;
    take_arrival();
  }
  const auto place = of_ - left_;
  if (place > 0 && process_ == arrival_process::uniform) {
    place_ =
      own_
      + from_seconds(seconds_of(stretch_) * static_cast<double>(place) / static_cast<double>(of_));
  } else if (place > 0) {
    // The least of as many uniform times as are left.
    const auto rest = own_ + stretch_ - place_;
    const auto part =
      1 - portable_exp(portable_log(1 - random_.unit()) / static_cast<double>(left_));
    place_ += from_seconds(seconds_of(rest) * part);
  }
  place_ = std::min(place_, own_ + stretch_);
  --left_;
  return place_;
}

} // namespace spillover
