#include "report/billing.hpp"
#include "report/cause_chain.hpp"
#include "report/clock_notes.hpp"
#include "report/deployment_check.hpp"
#include "report/format.hpp"
#include "report/judging.hpp"
#include "report/subscriptions.hpp"

#include <algorithm>
#include <map>

namespace spillover {

namespace {

using std::chrono::seconds;

request_totals total_requests(const event_index& index) {
  request_totals result;
  for (const auto* x : index.all<client_sample>()) {
    if (x->at - seconds{1} < index.warm_up_end())
      continue;
    const auto& sample = payload_of<client_sample>(x);
    for (std::size_t i = 0; i < outcome_count; ++i)
      result.ended[i] += sample.ended[i];
    for (const auto& [bucket, count] : sample.latency)
      result.latency.add_bucket(bucket, count);
  }
  for (const auto* x : index.all<books_closed>()) {
    const auto& books = payload_of<books_closed>(x);
    if (books.account != "consumer")
      continue;
    result.started += books.taken;
    result.in_flight += books.in_flight;
  }
  return result;
}

/// @returns of each composite that turned unhealthy without a fault, how often and why at first.
std::vector<std::string> unexplained_changes(const event_index& index) {
  struct tally {
    std::uint32_t count = 0;
    const event* first = nullptr;
    const event* source = nullptr;
  };
  std::map<std::string_view, tally> tallies;
  for (const auto* x : index.all<composite_changed>()) {
    if (payload_of<composite_changed>(x).after != health::unhealthy || x->at < index.warm_up_end())
      continue;
    const auto chain = trace(index, *x);
    if (chain.fault != nullptr)
      continue;
    auto& known = tallies[parent_of(x->entity)];
    if (++known.count == 1) {
      known.first = x;
      known.source = chain.source;
    }
  }
  std::vector<std::string> result;
  for (const auto& [service, known] : tallies) {
    auto& text = result.emplace_back(service);
    text += " turned UNHEALTHY without a fault";
    text += known.count == 1 ? " at " : ", " + std::to_string(known.count) + " times, first at ";
    text += instant_text(known.first->at);
    if (known.source == nullptr)
      continue;
    const auto& source = payload_of<source_changed>(known.source);
    text += ": " + std::to_string(source.healthy) + " of " + std::to_string(source.total)
            + " healthy, " + std::to_string(source.needed) + " needed";
  }
  return result;
}

/// @returns the region that consumers should have left, or come back to, or "".
std::string_view region_to_leave(const expectation& x) {
  if (const auto* failover = std::get_if<expect_failover>(&x.what))
    return failover->from;
  if (const auto* failback = std::get_if<expect_failback>(&x.what))
    return failback->to;
  if (const auto* clock = std::get_if<expect_clock>(&x.what))
    return clock->of;
  return {};
}

/// Adds an anatomy for each region that consumers should have left, or come back to, and did not
/// leave.
void add_missed(const event_log& log, const std::vector<expectation>& expectations,
                std::vector<failover_anatomy>& to) {
  for (const auto& x : expectations) {
    const auto region = region_to_leave(x);
    if (region.empty()
        || std::any_of(to.begin(), to.end(), [region](const auto& y) { return y.from == region; }))
      continue;
    if (auto missed = missed_failover(log, region))
      to.push_back(std::move(*missed));
  }
}

} // namespace

bool verdict::all_met() const noexcept {
  return std::all_of(judgements.begin(), judgements.end(), [](const auto& x) { return x.met; });
}

int verdict::exit_code() const noexcept {
  if (!imbalances.empty())
    return 3;
  return all_met() ? 0 : 1;
}

verdict judge(const event_log& log, const std::vector<expectation>& expectations,
              const recovery_rule& rule) {
  const event_index index{log};
  verdict result;
  result.failovers = dissect(log, rule);
  add_missed(log, expectations, result.failovers);
  for (auto& x : result.failovers)
    x.cost = cost_of(index, x);
  result.bills = bills_by_region(index);
  result.unreached = index.unreached();
  if (const auto stops = index.all<run_stopped>(); !stops.empty())
    result.stopped = {stops.front()->at, payload_of<run_stopped>(stops.front()).reason};
  const judged_run run{index, result.failovers, rule};
  for (const auto& x : expectations) {
    auto judged = std::visit([&run](const auto& y) { return judge_one(run, y); }, x.what);
    judged.what = words_of(x).what;
    judged.expected = x;
    result.judgements.push_back(std::move(judged));
  }
  result.requests = total_requests(index);
  result.subscriptions = summarise_subscriptions(index);
  result.imbalances = audit(log);
  for (auto& sentence : spoiled_clocks(index, result.failovers))
    result.imbalances.push_back(std::move(sentence));
  result.notes = unexplained_changes(index);
  for (auto& note : deployment_notes(index))
    result.notes.push_back(std::move(note));
  for (auto& note : clock_notes(index))
    result.notes.push_back(std::move(note));
  return result;
}

} // namespace spillover
