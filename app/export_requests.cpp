#include "app/export_requests.hpp"

#include "app/commands.hpp"
#include "app/repeated_run.hpp"
#include "report/event_index.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace spillover::app {

namespace {

/// Requests by consumer, as kept ones name it, and number.
using request_set = std::set<std::pair<std::uint32_t, std::uint64_t>>;

/// Adds some of those that were kept for a reason.
template <class Before>
void pick(std::vector<request_end> from, std::uint32_t most, Before before, request_set& to) {
  std::stable_sort(from.begin(), from.end(), before);
  from.resize(std::min<std::size_t>(from.size(), most));
  for (const auto& x : from)
    to.insert({x.consumer, x.number});
}

request_set choose(const kept_requests& kept, const export_window& window, std::uint32_t most) {
  std::vector<request_end> failed;
  std::vector<request_end> slow;
  std::vector<request_end> sampled;
  for (const auto& x : kept.requests) {
    if (!window.meets(x.what.intended, x.what.ended))
      continue;
    if (x.failed)
      failed.push_back(x.what);
    if (x.slow)
      slow.push_back(x.what);
    if (x.sampled)
      sampled.push_back(x.what);
  }
  request_set result;
  pick(
    std::move(failed), most,
    [](const request_end& a, const request_end& b) { return a.ended < b.ended; }, result);
  pick(
    std::move(slow), most,
    [](const request_end& a, const request_end& b) { return a.latency() > b.latency(); }, result);
  const auto left = std::min<std::size_t>(sampled.size(), most);
  for (std::size_t i = 0; i < left; ++i) {
    const auto& x = sampled[i * sampled.size() / left];
    result.insert({x.consumer, x.number});
  }
  return result;
}

/// @returns the requests that a run that was killed would have kept by their number, as far as it had begun
///          them; when they ended is not known yet.
kept_requests sampled_of(const recorded_run& run) {
  std::map<std::string_view, std::uint64_t> started;
  const event_index index{run.log};
  for (const auto* x : index.all<client_sample>())
    started[first_part(x->entity)] += payload_of<client_sample>(x).started;
  kept_requests result;
  for (const auto& consumer : run.spec.consumers) {
    const auto place = static_cast<std::uint32_t>(result.consumers.size());
    result.consumers.push_back(consumer.name);
    for (std::uint64_t i = 1; i <= started[consumer.name]; ++i)
      if (request_keeper::is_sampled(i))
        result.requests.push_back({{place, i}, false, false, true});
  }
  return result;
}

/// Enters when a request began and ended, which was found out by following it.
void complete(kept_requests& kept, const std::vector<traced_request>& traced, instant until) {
  std::vector<kept_request> ended;
  for (auto x : kept.requests) {
    const auto found = std::find_if(traced.begin(), traced.end(), [&](const traced_request& y) {
      return y.number == x.what.number && y.consumer == kept.consumers[x.what.consumer];
    });
    if (found == traced.end() || !found->ended() || found->hops.back().at > until)
      continue;
    x.what.intended = found->hops.front().at;
    x.what.ended = found->hops.back().at;
    x.what.how = found->hops.back().how;
    const auto sent = std::count_if(found->hops.begin(), found->hops.end(), [](const auto& hop) {
      return hop.what == request_step::client_sent;
    });
    x.what.tries = static_cast<std::uint16_t>(sent);
    ended.push_back(x);
  }
  kept.requests = std::move(ended);
}

/// A request as one span, where nothing is known of its hops.
void add_roots(const exported_requests& from, const request_set& chosen,
               std::vector<request_spans>& to) {
  for (const auto& x : from.kept.requests)
    if (chosen.contains({x.what.consumer, x.what.number}))
      to.push_back(span_of(from.kept.consumers[x.what.consumer], x.what.number, x.what.intended,
                           x.what.ended, x.what.how));
}

} // namespace

int gather_requests(const recorded_run& run, const export_window& window, std::uint32_t most,
                    bool shown, exported_requests& to) {
  const event_index index{run.log};
  const auto until = std::min(window.to, index.run_end());
  const auto has_kept = std::filesystem::exists(run.folder / "requests_kept.csv");
  if (has_kept) {
    auto kept = read_kept_or_explain(run);
    if (!kept)
      return bad_input;
    to.kept = std::move(*kept);
  } else if (!run.log.joined()) {
    to.kept = sampled_of(run);
  }
  // What is not known to have ended is followed whatever the window.
  const auto chosen = choose(to.kept, has_kept ? window : export_window{run_start, never}, most);
  if (run.log.joined()) {
    if (most > 0)
      fmt::print(stderr,
                 "spillover: {} is of a deployment, which does not happen again: a request is one "
                 "span, without its hops\n",
                 run.folder.string());
    add_roots(to, chosen, to.spans);
    return all_met;
  }
  if (chosen.empty()) {
    if (!has_kept)
      to.kept.requests.clear();
    return all_met;
  }
  std::vector<request_name> names;
  for (const auto& [consumer, number] : chosen)
    names.push_back({to.kept.consumers[consumer], number});
  return repeat_run(run, names, has_kept ? never : until, shown, [&](const world& w) {
    const auto traced = w.traced().requests();
    if (!has_kept)
      complete(to.kept, traced, until);
    const instance_starts starts{index};
    for (const auto& x : traced)
      if (x.ended() && (has_kept || x.hops.back().at <= until)
          && window.meets(x.hops.front().at, x.hops.back().at))
        to.spans.push_back(spans_of(x, starts));
    return static_cast<int>(all_met);
  });
}

} // namespace spillover::app
