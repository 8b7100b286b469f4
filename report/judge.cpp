#include "report/cause_chain.hpp"
#include "report/clock_notes.hpp"
#include "report/format.hpp"
#include "report/recovery.hpp"
#include "report/verdict.hpp"

#include <algorithm>
#include <map>

namespace spillover {

namespace {

using std::chrono::seconds;

constexpr auto not_within_the_run = "not within the run";

/// Judges expectations one by one, all against the same log.
class judge_of_run {
public:
  judge_of_run(const event_index& index, const std::vector<failover_anatomy>& failovers,
               const recovery_rule& rule)
    : index_(index), failovers_(failovers), rule_(rule) {}

  judgement operator()(const expect_failover& x) const;
  judgement operator()(const expect_failback& x) const;
  judgement operator()(const expect_capacity_recovered& x) const;
  judgement operator()(const expect_errors& x) const;
  judgement operator()(const expect_transitions& x) const;

private:
  /// What a clock says, and from when it ran.
  struct measured_clock {
    std::optional<duration> span;
    std::optional<instant> since;
  };

  /// @returns of each service that the first matching fault took away, the first failover that
  ///          consumers carried out; when they carried out none, the first.
  template <class Matches>
  [[nodiscard]] std::vector<const failover_anatomy*> first_failovers(Matches matches) const;

  /// Judges by the slowest of several clocks; one that did not end is the slowest.
  static void judge_slowest(judgement& to, const std::vector<measured_clock>& clocks,
                            duration within);

  const event_index& index_;
  const std::vector<failover_anatomy>& failovers_;
  const recovery_rule& rule_;
};

template <class Matches>
std::vector<const failover_anatomy*> judge_of_run::first_failovers(Matches matches) const {
  std::vector<const failover_anatomy*> result;
  for (const auto& x : failovers_) {
    if (!matches(x) || (!result.empty() && result.front()->fault != x.fault))
      continue;
    const auto same = std::find_if(result.begin(), result.end(), [&x](const auto* other) {
      return other->from == x.from && other->service == x.service;
    });
    if (same == result.end())
      result.push_back(&x);
    else if (!(*same)->failover && x.failover)
      *same = &x;
  }
  return result;
}

void judge_of_run::judge_slowest(judgement& to, const std::vector<measured_clock>& clocks,
                                 duration within) {
  to.measured = not_within_the_run;
  const measured_clock* slowest = nullptr;
  for (const auto& x : clocks) {
    if (!x.span || !x.since)
      return;
    if (slowest == nullptr || *x.span > *slowest->span)
      slowest = &x;
  }
  if (slowest == nullptr)
    return;
  to.met = *slowest->span <= within;
  to.measured = clock_text(*slowest->span, within);
  to.at = *slowest->since + *slowest->span;
  to.value = slowest->span->count();
}

judgement judge_of_run::operator()(const expect_failover& x) const {
  judgement result;
  result.what = "failover from " + x.from + " within " + to_string(x.within);
  std::vector<measured_clock> clocks;
  for (const auto* failover : first_failovers([&x](const auto& y) { return y.from == x.from; }))
    clocks.push_back({failover->failover, failover->fault_at});
  judge_slowest(result, clocks, x.within);
  return result;
}

judgement judge_of_run::operator()(const expect_failback& x) const {
  judgement result;
  result.what = "failback to " + x.to + " within " + to_string(x.within);
  std::vector<measured_clock> clocks;
  for (const auto* failover : first_failovers([&x](const auto& y) { return y.from == x.to; }))
    clocks.push_back({failover->failback.span, failover->fault_end});
  judge_slowest(result, clocks, x.within);
  return result;
}

judgement judge_of_run::operator()(const expect_capacity_recovered& x) const {
  judgement result;
  result.what = "capacity recovered in " + x.in + " within " + to_string(x.within);
  std::vector<measured_clock> clocks;
  for (const auto* failover : first_failovers([&x](const auto& y) {
         const auto regions = regions_of(y.to);
         return std::find(regions.begin(), regions.end(), x.in) != regions.end();
       })) {
    if (!failover->failover) {
      clocks.emplace_back();
      continue;
    }
    const auto since = failover->fault_at + *failover->failover;
    // Where several regions took over, the anatomy's own clock is that of all together.
    const auto clock = read_capacity(index_, failover->service, {x.in}, since, rule_);
    clocks.push_back({clock.span, since});
  }
  judge_slowest(result, clocks, x.within);
  return result;
}

judgement judge_of_run::operator()(const expect_errors& x) const {
  judgement result;
  result.what = "errors from " + to_string(x.from - run_start) + " to "
                + to_string(x.to - run_start) + " at most " + percent_text(x.at_most);
  std::uint64_t ended = 0;
  std::uint64_t good = 0;
  for (const auto* second : index_.all<client_sample>()) {
    const auto begin = second->at - seconds{1};
    if (begin < index_.warm_up_end() || second->at <= x.from || begin >= x.to)
      continue;
    const auto& sample = payload_of<client_sample>(second);
    for (const auto count : sample.ended)
      ended += count;
    good += sample.ended[static_cast<std::size_t>(outcome::ok)];
    result.at = std::max(result.at.value_or(second->at), second->at);
  }
  if (ended == 0) {
    result.measured = "no request ended then";
    return result;
  }
  const auto failed = ended - good;
  result.met = is_share_at_most(failed, ended, x.at_most);
  result.measured =
    share_text(failed, ended) + " (" + thousands(failed) + " of " + thousands(ended) + ")";
  result.value = static_cast<std::int64_t>((failed * 1'000'000 + ended - 1) / ended);
  return result;
}

judgement judge_of_run::operator()(const expect_transitions& x) const {
  judgement result;
  result.what = "transitions of " + x.of + " at most " + std::to_string(x.at_most);
  std::uint32_t count = 0;
  for (const auto* change : index_.all<composite_changed>()) {
    if (parent_of(change->entity) != x.of || change->at < index_.warm_up_end()
        || payload_of<composite_changed>(change).before == health::unknown)
      continue;
    if (++count <= x.at_most + 1)
      result.at = change->at;
  }
  result.met = count <= x.at_most;
  result.measured = std::to_string(count) + (count == 1 ? " transition" : " transitions");
  result.value = count;
  return result;
}

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

/// Adds an anatomy for each region that consumers should have left, or come back to, and did not
/// leave.
void add_missed(const event_log& log, const std::vector<expectation>& expectations,
                std::vector<failover_anatomy>& to) {
  for (const auto& x : expectations) {
    std::string_view region;
    if (const auto* failover = std::get_if<expect_failover>(&x))
      region = failover->from;
    else if (const auto* failback = std::get_if<expect_failback>(&x))
      region = failback->to;
    else
      continue;
    if (std::any_of(to.begin(), to.end(), [region](const auto& y) { return y.from == region; }))
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
  const judge_of_run verdict_on{index, result.failovers, rule};
  for (const auto& x : expectations) {
    result.judgements.push_back(std::visit(verdict_on, x));
    result.judgements.back().expected = x;
  }
  result.requests = total_requests(index);
  result.imbalances = audit(log);
  result.notes = unexplained_changes(index);
  for (auto& note : clock_notes(index))
    result.notes.push_back(std::move(note));
  return result;
}

} // namespace spillover
