#include "report/stop_watch.hpp"

#include "report/event_index.hpp"
#include "report/format.hpp"

#include <numeric>

namespace spillover {

namespace {

using std::chrono::seconds;

/// @returns the payload if the event is a second of this kind, begun at or after an instant.
template <class Sample>
const Sample* second_of_kind(const event& x, instant from) {
  return x.at - seconds{1} >= from ? std::get_if<Sample>(&x.what) : nullptr;
}

/// What conditions look at in a second of a backend service, or of one of its revisions.
struct instance_second {
  std::uint32_t queue_peak = 0;
  std::uint64_t running = 0;
};

template <class Sample>
std::optional<instance_second> second_in(const event& x, instant from) {
  const auto* sample = second_of_kind<Sample>(x, from);
  if (sample == nullptr)
    return std::nullopt;
  return instance_second{sample->queue_peak, std::uint64_t{sample->ready} + sample->deprioritised};
}

/// @returns the second that an event tells of a backend service, or of a revision when one is named.
template <class Condition>
std::optional<instance_second> second_of(const event& x, const Condition& of, instant from) {
  if (of.revision.empty())
    return x.entity == of.of ? second_in<revision_sample>(x, from) : std::nullopt;
  // Compared without making the path, since every event of the run comes by here.
  const auto is_below = x.entity.size() == of.of.size() + 1 + of.revision.size()
                        && x.entity.starts_with(of.of) && x.entity[of.of.size()] == '/'
                        && x.entity.ends_with(of.revision);
  return is_below ? second_in<share_sample>(x, from) : std::nullopt;
}

/// Counts a second for which something holds, or that breaks the row.
/// @returns whether it has held for long enough
bool count_held(std::int64_t& held, bool holds, duration lasting) {
  held = holds ? held + 1 : 0;
  return holds && held >= lasting / seconds{1};
}

std::string lasting_text(duration x) {
  return x > seconds{1} ? " for " + to_string(x) : std::string{};
}

struct condition_words {
  std::string operator()(const stop_on_errors& x) const {
    return "errors" + (x.consumer.empty() ? "" : " of " + x.consumer) + " above "
           + percent_text(x.above) + " over " + to_string(x.over);
  }
  std::string operator()(const stop_on_queue& x) const {
    return "queue of " + path_of(x.of, x.revision) + " above " + thousands(x.above)
           + lasting_text(x.lasting);
  }
  std::string operator()(const stop_on_instances& x) const {
    auto result = "instances of " + path_of(x.of, x.revision);
    if (x.above)
      result += " above " + thousands(*x.above);
    if (x.below)
      result += (x.above ? " or below " : " below ") + thousands(*x.below);
    return result + lasting_text(x.lasting);
  }
  std::string operator()(const stop_on_event& x) const { return to_string(x.what); }
};

} // namespace

std::string to_string(const stop_condition& x) {
  const auto words = std::visit(condition_words{}, x.what);
  return x.name.empty() ? words : x.name + ": " + words;
}

stop_watch::stop_watch(const std::vector<stop_condition>& conditions, std::size_t consumers,
                       duration warm_up)
  : consumers_(consumers), from_(run_start + warm_up) {
  for (const auto& x : conditions)
    watched_.push_back({.condition = x});
}

std::optional<std::string> stop_watch::see(const event& x) {
  if (met_ || x.at < from_)
    return std::nullopt;
  std::optional<std::string> result;
  // Every condition sees every event, whether or not one before it is met.
  for (auto& y : watched_) {
    const auto met =
      std::visit([&](const auto& what) { return is_met(y, what, x); }, y.condition.what);
    if (met && !result)
      result = to_string(y.condition);
  }
  met_ = result.has_value();
  return result;
}

bool stop_watch::failed_too_often(const watched& x, const stop_on_errors& what, instant until) {
  second sum;
  std::int64_t told = 0;
  for (auto at = x.seconds.upper_bound(until - what.over);
       at != x.seconds.end() && at->first <= until; ++at) {
    sum.ended += at->second.ended;
    sum.failed += at->second.failed;
    ++told;
  }
  // Not before there are so many, and not across a time that nobody told.
  return told == what.over / seconds{1} && !is_share_at_most(sum.failed, sum.ended, what.above);
}

bool stop_watch::is_met(watched& x, const stop_on_errors& what, const event& e) const {
  const auto* sample = second_of_kind<client_sample>(e, from_);
  if (sample == nullptr || (!what.consumer.empty() && first_part(e.entity) != what.consumer)
      || e.at <= x.counted - what.over)
    return false;
  const auto ended = std::accumulate(sample->ended.begin(), sample->ended.end(), std::uint64_t{0});
  auto& told = x.seconds[e.at];
  told.ended += ended;
  told.failed += ended - sample->ended[static_cast<std::size_t>(outcome::ok)];
  ++told.consumers;
  const auto expected = what.consumer.empty() ? consumers_ : 1;
  const auto newest = x.seconds.rbegin()->first;
  auto met = false;
  for (auto next = x.seconds.upper_bound(x.counted); next != x.seconds.end() && !met; ++next) {
    if (next->second.consumers < expected && newest - next->first < straggling)
      break;
    x.counted = next->first;
    met = failed_too_often(x, what, x.counted);
  }
  x.seconds.erase(x.seconds.begin(), x.seconds.upper_bound(x.counted - what.over));
  return met;
}

bool stop_watch::is_met(watched& x, const stop_on_queue& what, const event& e) const {
  const auto told = second_of(e, what, from_);
  return told && count_held(x.held, told->queue_peak > what.above, what.lasting);
}

bool stop_watch::is_met(watched& x, const stop_on_instances& what, const event& e) const {
  const auto told = second_of(e, what, from_);
  if (!told)
    return false;
  const auto running = told->running;
  const auto outside =
    (what.above && running > *what.above) || (what.below && running < *what.below);
  return count_held(x.held, outside, what.lasting);
}

bool stop_watch::is_met(watched&, const stop_on_event& what, const event& e) const {
  return matches(what.what, e);
}

} // namespace spillover
