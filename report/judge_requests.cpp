#include "report/format.hpp"
#include "report/judging.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace spillover {

namespace {

/// What ended in one second.
struct ended_second {
  const event* sample;
  std::uint64_t ended;
  std::uint64_t failed;
};

ended_second count_ended(const event* sample,
                         const std::array<std::uint32_t, outcome_count>& ended) {
  const auto all = std::accumulate(ended.begin(), ended.end(), std::uint64_t{0});
  return {sample, all, all - ended[static_cast<std::size_t>(outcome::ok)]};
}

bool is_of(const event* x, const std::string& consumer) {
  return consumer.empty() || first_part(x->entity) == consumer;
}

/// @returns the seconds that an expectation is about, in the order of the log.
std::vector<ended_second> seconds_of(const judged_run& run, const expect_errors& x) {
  std::vector<ended_second> result;
  if (x.region.empty()) {
    for (const auto* y : run.index.all<client_sample>()) {
      if (is_of(y, x.consumer) && run.holds(y, x.from, x.to))
        result.push_back(count_ended(y, payload_of<client_sample>(y).ended));
    }
    return result;
  }
  for (const auto* y : run.index.all<attempt_sample>()) {
    const auto& sample = payload_of<attempt_sample>(y);
    if (is_of(y, x.consumer) && sample.region == x.region && run.holds(y, x.from, x.to))
      result.push_back(count_ended(y, sample.ended));
  }
  return result;
}

/// @returns the latency with as many digits as tell it from a limit that it exceeds.
std::string told_from(duration x, duration limit) {
  const auto text = latency_text(x);
  return x > limit && text == latency_text(limit) ? exact_text(x) : text;
}

/// @returns of the requests that a second's sample says ended `ok`, those above the limit.
std::uint64_t slow_ones(const client_sample& x, duration limit) {
  std::uint64_t result = 0;
  for (const auto& [bucket, count] : x.latency)
    result += latency_histogram::upper_bound(bucket) > limit ? count : 0;
  return result;
}

/// Requests of one consumer, for those that are open at the end.
struct open_requests {
  std::uint64_t begun_before = 0; // in seconds that ended before the young ones' time
  std::uint64_t taken = 0;
  std::uint64_t in_flight = 0;
  const event* books = nullptr;

  /// At least so many are not young, even if every young one is open.
  [[nodiscard]] std::uint64_t old() const noexcept {
    const auto young = taken - std::min(taken, begun_before);
    return in_flight - std::min(in_flight, young);
  }
};

std::map<std::string_view, open_requests> open_at_end(const judged_run& run, const expect_lost& x) {
  std::map<std::string_view, open_requests> result;
  for (const auto* y : run.index.all<books_closed>()) {
    const auto& books = payload_of<books_closed>(y);
    if (books.account == "consumer" && is_of(y, x.consumer))
      result[y->entity] = {0, books.taken, books.in_flight, y};
  }
  for (const auto* y : run.index.all<client_sample>()) {
    const auto known = result.find(y->entity);
    if (known != result.end() && y->at <= run.index.run_end() - x.young)
      known->second.begun_before += payload_of<client_sample>(y).started;
  }
  return result;
}

} // namespace

judgement judge_one(const judged_run& run, const expect_errors& x) {
  judgement result;
  const auto seconds = seconds_of(run, x);
  std::uint64_t ended = 0;
  std::uint64_t failed = 0;
  for (const auto& y : seconds) {
    ended += y.ended;
    failed += y.failed;
    result.at = y.sample->at;
    result.by = y.sample->id;
  }
  if (ended == 0) {
    const auto* const what = x.region.empty() ? "no request ended then" : "no try ended then";
    result.measured = run.nothing_since(x.from, what);
    return result;
  }
  const auto few = !x.at_most || is_share_at_most(failed, ended, *x.at_most);
  result.met = few && (!x.at_least || is_share_at_least(failed, ended, *x.at_least));
  result.measured =
    share_text(failed, ended) + " (" + thousands(failed) + " of " + thousands(ended) + ")";
  result.value = static_cast<std::int64_t>((failed * 1'000'000 + ended - 1) / ended);
  if (few)
    return result;
  std::uint64_t so_far = 0;
  const auto first = std::find_if(seconds.begin(), seconds.end(), [&](const ended_second& y) {
    so_far += y.failed;
    return !is_share_at_most(so_far, ended, *x.at_most);
  });
  result.at = first->sample->at;
  result.by = first->sample->id;
  return result;
}

judgement judge_one(const judged_run& run, const expect_latency& x) {
  judgement result;
  latency_histogram all;
  std::vector<const event*> seconds;
  for (const auto* y : run.index.all<client_sample>()) {
    if (!is_of(y, x.consumer) || !run.holds(y, x.from, x.to))
      continue;
    seconds.push_back(y);
    for (const auto& [bucket, count] : payload_of<client_sample>(y).latency)
      all.add_bucket(bucket, count);
  }
  if (all.count() == 0) {
    result.measured = run.nothing_since(x.from, "no request ended ok then");
    return result;
  }
  const auto measured = all.quantile(x.quantile);
  result.met = measured <= x.at_most;
  result.measured = told_from(measured, x.at_most) + " of " + counted(all.count(), "request");
  result.value = measured.count();
  std::uint64_t slow = 0;
  for (const auto* y : seconds) {
    result.at = y->at;
    result.by = y->id;
    slow += slow_ones(payload_of<client_sample>(y), x.at_most);
    // Were all others as fast as can be, would it still be too slow?
    latency_histogram best;
    best.add_bucket(0, all.count() - slow);
    best.add_bucket(latency_histogram::bucket_count - 1, slow);
    if (!result.met && best.quantile(x.quantile) > latency_histogram::upper_bound(0))
      break;
  }
  return result;
}

judgement judge_one(const judged_run& run, const expect_lost& x) {
  judgement result;
  std::uint64_t failed = 0;
  std::uint64_t ended = 0;
  for (const auto* y : run.index.all<client_sample>()) {
    if (!is_of(y, x.consumer) || !run.holds(y, run_start, never))
      continue;
    const auto second = count_ended(y, payload_of<client_sample>(y).ended);
    ended += second.ended;
    if (failed <= x.at_most) {
      result.at = y->at;
      result.by = y->id;
    }
    failed += second.failed;
  }
  std::uint64_t open = 0;
  std::uint64_t taken = 0;
  for (const auto& [entity, y] : open_at_end(run, x)) {
    taken += y.taken;
    if (failed + open <= x.at_most) {
      result.at = run.index.run_end();
      result.by = y.books->id;
    }
    open += y.old();
  }
  if (ended == 0 && taken == 0) {
    result.at = std::nullopt;
    result.by = {};
    result.measured = "no request was begun";
    return result;
  }
  result.met = failed + open <= x.at_most;
  result.measured = thousands(failed + open) + " lost: " + thousands(failed) + " failed, "
                    + thousands(open) + " still open";
  result.value = static_cast<std::int64_t>(failed + open);
  return result;
}

} // namespace spillover
