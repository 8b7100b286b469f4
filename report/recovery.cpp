#include "report/recovery.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace spillover {

namespace {

using std::chrono::seconds;

/// A span in which some pending queue holds something, up to but without its end.
struct busy_span {
  instant from{};
  instant to = never;
};

/// What all revisions together did up to the end of a second.
struct running_total {
  instant at{};
  std::uint64_t arrivals = 0;
  std::uint64_t completions = 0;
};

class survivor {
public:
  survivor(const event_index& index, std::string_view service,
           const std::vector<std::string_view>& regions)
    : index_(index) {
    for (const auto region : regions)
      prefixes_.push_back(std::string{region} + "/" + std::string{service});
    collect_busy();
    collect_totals();
  }

  /// @returns the first instant at which the rule holds, if any.
  [[nodiscard]] std::optional<instant> recovers(instant since, const recovery_rule& rule) const;

  /// @returns the event that lets the rule hold from `at` on: a queue that empties, or a sample.
  [[nodiscard]] event_id decided_by(instant at) const;

  /// @returns what changed from the one instant to the other, in words.
  [[nodiscard]] std::string story(instant since, instant until) const;

private:
  [[nodiscard]] bool is_part(const event* x) const {
    return std::any_of(prefixes_.begin(), prefixes_.end(),
                       [x](const auto& prefix) { return is_within(x->entity, prefix); });
  }
  void collect_busy();
  void collect_totals();
  [[nodiscard]] bool holds(instant from, const recovery_rule& rule) const;
  [[nodiscard]] std::uint64_t serving_at(instant at, bool after) const;

  const event_index& index_;
  std::vector<std::string> prefixes_;
  std::vector<busy_span> busy_;       // apart from each other, ascending
  std::vector<running_total> totals_; // by second
};

void survivor::collect_busy() {
  std::map<std::string_view, instant> filled;
  std::vector<busy_span> spans;
  for (const auto* x : index_.all<queue_changed>()) {
    if (!is_part(x))
      continue;
    const auto known = filled.find(x->entity);
    const auto empty = payload_of<queue_changed>(x).length == 0;
    if (!empty && known == filled.end())
      filled.emplace(x->entity, x->at);
    if (empty && known != filled.end()) {
      if (known->second < x->at)
        spans.push_back({known->second, x->at});
      filled.erase(known);
    }
  }
  for (const auto& [entity, since] : filled)
    spans.push_back({since, never});
  std::sort(spans.begin(), spans.end(),
            [](const busy_span& a, const busy_span& b) { return a.from < b.from; });
  for (const auto& x : spans) {
    if (busy_.empty() || x.from > busy_.back().to)
      busy_.push_back(x);
    else
      busy_.back().to = std::max(busy_.back().to, x.to);
  }
}

void survivor::collect_totals() {
  std::map<instant, running_total> seconds_seen;
  for (const auto* x : index_.all<revision_sample>()) {
    if (!is_part(x))
      continue;
    const auto& sample = payload_of<revision_sample>(x);
    auto& second = seconds_seen[x->at];
    second.arrivals += sample.arrivals;
    // Where no instance serves, requests that fail at once are no sign of capacity.
    if (sample.ready + sample.deprioritised > 0)
      second.completions += sample.completions;
  }
  running_total sum;
  for (const auto& [at, second] : seconds_seen) {
    sum.at = at;
    sum.arrivals += second.arrivals;
    sum.completions += second.completions;
    totals_.push_back(sum);
  }
}

bool survivor::holds(instant from, const recovery_rule& rule) const {
  const auto to = from + rule.window;
  const auto busy = std::partition_point(busy_.begin(), busy_.end(),
                                         [from](const busy_span& x) { return x.to <= from; });
  if (busy != busy_.end() && busy->from < to)
    return false;
  const auto first =
    std::partition_point(totals_.begin(), totals_.end(),
                         [from](const running_total& x) { return x.at - seconds{1} < from; });
  const auto last =
    std::partition_point(first, totals_.end(), [to](const running_total& x) { return x.at <= to; });
  if (first >= last)
    return false;
  const auto before = first == totals_.begin() ? running_total{} : *(first - 1);
  const auto& after = *(last - 1);
  // A survivor that nobody reaches has shown nothing.
  if (after.arrivals == before.arrivals)
    return false;
  return is_share_at_least(after.completions - before.completions, after.arrivals - before.arrivals,
                           rule.keep_up);
}

std::optional<instant> survivor::recovers(instant since, const recovery_rule& rule) const {
  const auto latest = index_.run_end() - rule.window;
  std::vector<instant> candidates{since};
  for (const auto& x : busy_) {
    if (x.to > since && x.to <= latest)
      candidates.push_back(x.to);
  }
  const auto next = std::chrono::ceil<seconds>(since.time_since_epoch());
  for (auto second = instant{next}; second <= latest; second += seconds{1})
    candidates.push_back(second);
  std::sort(candidates.begin(), candidates.end());
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](instant x) { return x <= latest && holds(x, rule); });
  return found == candidates.end() ? std::nullopt : std::optional{*found};
}

event_id survivor::decided_by(instant at) const {
  event_id result;
  for (const auto* x : index_.all<revision_sample>()) {
    if (x->at == at && is_part(x))
      result = x->id;
  }
  for (const auto* x : index_.all<queue_changed>()) {
    if (x->at == at && is_part(x) && payload_of<queue_changed>(x).length == 0)
      result = x->id;
  }
  return result;
}

std::uint64_t survivor::serving_at(instant at, bool after) const {
  // Of each revision its last sample up to `at`, or the first one from then on.
  // A deprioritised instance serves too, when the ready ones are full.
  std::map<std::string_view, std::uint64_t> serving;
  for (const auto* x : index_.all<revision_sample>()) {
    if (!is_part(x))
      continue;
    const auto& sample = payload_of<revision_sample>(x);
    const auto count = std::uint64_t{sample.ready} + sample.deprioritised;
    if (after && x->at >= at)
      serving.emplace(x->entity, count);
    else if (!after && x->at <= at)
      serving[x->entity] = count;
  }
  std::uint64_t sum = 0;
  for (const auto& [entity, count] : serving)
    sum += count;
  return sum;
}

std::string survivor::story(instant since, instant until) const {
  const auto before = serving_at(since, false);
  const auto after = since == until ? before : serving_at(until, true);
  auto result = counted(after, "instance");
  if (before != after)
    result = thousands(before) + " -> " + result;
  std::vector<std::string> drivers;
  for (const auto* x : index_.all<scaling_decided>()) {
    const auto& decision = payload_of<scaling_decided>(x);
    if (x->at > since && x->at <= until && decision.before != decision.after && is_part(x)
        && std::find(drivers.begin(), drivers.end(), decision.driver) == drivers.end())
      drivers.push_back(decision.driver);
  }
  for (const auto& x : drivers)
    result += (&x == &drivers.front() ? " (driver " : ", ") + x;
  if (!drivers.empty())
    result += ')';
  std::uint32_t peak = 0;
  for (const auto* x : index_.all<revision_sample>()) {
    if (x->at > since && x->at - seconds{1} <= until && is_part(x))
      peak = std::max(peak, payload_of<revision_sample>(x).queue_peak);
  }
  return result + (peak == 0 ? ", no queue" : ", queue peak " + thousands(peak));
}

} // namespace

clock_reading read_capacity(const event_index& index, std::string_view service,
                            const std::vector<std::string_view>& regions, instant since,
                            const recovery_rule& rule) {
  clock_reading result;
  const survivor world{index, service, regions};
  std::string names;
  for (const auto x : regions)
    names += (names.empty() ? "" : "+") + std::string{x};
  const auto recovered = world.recovers(since, rule);
  result.detail = names + " " + world.story(since, recovered.value_or(index.run_end()));
  if (!recovered)
    return result;
  result.span = *recovered - since;
  result.by = world.decided_by(*recovered);
  result.detail = "after routed: " + result.detail;
  return result;
}

} // namespace spillover
