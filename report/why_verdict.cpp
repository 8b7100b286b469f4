#include "report/cause_chain.hpp"
#include "report/format.hpp"
#include "report/why.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace spillover {

namespace {

bool is_state(const event& x) noexcept {
  return !is_sample_or_books(x.what) && !std::holds_alternative<run_ended>(x.what);
}

std::string clock_line(const verdict& of, std::string_view name, const clock_reading& x) {
  auto result =
    std::string{name} + " " + (x.span ? "+" + clock_text(*x.span) : std::string{of.unreached});
  if (!x.detail.empty())
    result += ": " + x.detail;
  if (!x.basis.empty())
    result += " (" + x.basis + ")";
  return result;
}

class explainer {
public:
  explainer(const event_index& index, const verdict& x) : index_(index), verdict_(x) {}

  void explain_failure(const judgement& x, why_part& to) const {
    const auto& expected = x.expected.what;
    if (const auto* y = std::get_if<expect_failover>(&expected))
      explain_failover(y->from, to);
    else if (const auto* z = std::get_if<expect_failback>(&expected))
      explain_failback(z->to, to);
    else if (const auto* capacity = std::get_if<expect_capacity_recovered>(&expected))
      explain_capacity(capacity->in, to);
    else if (const auto* clock = std::get_if<expect_clock>(&expected))
      explain_failover(clock->of, to);
    else if (const auto* errors = std::get_if<expect_errors>(&expected))
      explain_window(errors->from, errors->to, to);
    else if (const auto* transitions = std::get_if<expect_transitions>(&expected))
      add(last_of(transitions->of + "/composite", index_.run_end()), to);
    else if (const auto* instances = std::get_if<expect_instances>(&expected))
      explain_count(instances->of, x.at.value_or(index_.run_end()), to);
    else if (const auto* queue = std::get_if<expect_queue>(&expected))
      explain_count(queue->of, x.at.value_or(index_.run_end()), to);
    else if (x.by)
      add(index_.log().find(x.by), to);
    else if (x.at)
      explain_window(*x.at - std::chrono::seconds{1}, *x.at, to);
  }

  /// Explains how consumers left, as far as they came.
  void explain_failover(const failover_anatomy& x, why_part& to) const {
    const std::array<std::pair<std::string_view, const clock_reading*>, 4> clocks{
      {{"detected", &x.detect},
       {"aggregated", &x.aggregate},
       {"propagated", &x.propagate},
       {"routed", &x.route}}};
    event_id last = x.fault;
    for (const auto& [name, clock] : clocks) {
      to.notes.push_back(clock_line(verdict_, name, *clock));
      if (!clock->span)
        break;
      if (clock->by)
        last = clock->by;
    }
    add(index_.log().find(last), to);
  }

  void explain_return(const failover_anatomy& x, why_part& to) const {
    if (x.failback.by)
      add(index_.log().find(x.failback.by), to);
  }

  /// Explains the last decision that grew the survivor while it was short of capacity.
  void explain_growth(const failover_anatomy& x, why_part& to) const {
    if (!x.failover || x.to.empty())
      return;
    const auto since = x.fault_at + *x.failover;
    const auto until = x.capacity.span ? since + *x.capacity.span : index_.run_end();
    const event* last = nullptr;
    for (const auto* y : index_.all<scaling_decided>()) {
      const auto& decision = payload_of<scaling_decided>(y);
      if (y->at > since && y->at <= until && decision.after > decision.before
          && route_uses(x.to, first_part(y->entity)))
        last = y;
    }
    add(last, to);
  }

private:
  void add(const event* x, why_part& to) const {
    if (x != nullptr)
      to.chains.push_back(explain(index_, *x));
  }

  void explain_failover(std::string_view from, why_part& to) const {
    for (const auto& x : verdict_.failovers)
      if (x.from == from)
        explain_failover(x, to);
    if (to.chains.empty())
      to.notes.push_back("no fault after the warm-up hit " + std::string{from});
  }

  void explain_failback(std::string_view region, why_part& to) const {
    for (const auto& x : verdict_.failovers) {
      if (x.from != region)
        continue;
      to.notes.push_back(clock_line(verdict_, "failback", x.failback));
      if (x.failback.by)
        explain_return(x, to);
      else
        add(last_of(x.from + "/" + x.service + "/composite", index_.run_end()), to);
    }
  }

  void explain_capacity(std::string_view region, why_part& to) const {
    for (const auto& x : verdict_.failovers) {
      if (!route_uses(x.to, region))
        continue;
      to.notes.push_back(clock_line(verdict_, "capacity", x.capacity));
      explain_growth(x, to);
    }
  }

  /// Explains how many instances there were at an instant: by the last decision until then that changed
  /// their number.
  void explain_count(std::string_view of, instant until, why_part& to) const {
    const event* last = nullptr;
    for (const auto* y : index_.all<scaling_decided>()) {
      const auto& decision = payload_of<scaling_decided>(y);
      if (y->at <= until && is_within(y->entity, of) && decision.after != decision.before)
        last = y;
    }
    if (last == nullptr)
      to.notes.emplace_back("no autoscaler changed the number of instances until then");
    else
      to.notes.push_back("the last decision until then, " + clock_text(until - last->at)
                         + " before");
    add(last, to);
  }

  void explain_window(instant from, instant until, why_part& to) const {
    to.notes.emplace_back(
      "faults that lay on the run then; for single requests: --requests --failed");
    for (const auto* fault : index_.all<fault_started>()) {
      const auto end = end_of_fault(index_, *fault);
      if (fault->at < until && (!end || *end > from))
        add(fault, to);
    }
  }

  [[nodiscard]] const event* last_of(std::string_view entity, instant until) const {
    const event* result = nullptr;
    for (const auto& x : index_.log().events())
      if (x.entity == entity && x.at <= until && is_state(x))
        result = &x;
    return result;
  }

  const event_index& index_;
  const verdict& verdict_;
};

} // namespace

std::vector<why_part> explain_verdict(const event_index& index, const verdict& x) {
  const explainer say{index, x};
  std::vector<why_part> result;
  for (const auto& y : x.judgements) {
    if (y.met)
      continue;
    auto& part = result.emplace_back();
    // Of a log that breaks off, what it does not violate may have been met later.
    const auto open = !y.at && index.all<run_ended>().empty();
    part.title = (open ? "NOT DECIDED " : "FAIL ") + y.what + ": " + y.measured;
    say.explain_failure(y, part);
  }
  if (!result.empty())
    return result;
  for (const auto& y : x.failovers) {
    auto& part = result.emplace_back();
    part.title = "FAILOVER " + y.from + (y.to.empty() ? "" : " -> " + y.to) + ": "
                 + (y.failover ? clock_text(*y.failover) : std::string{x.unreached});
    say.explain_failover(y, part);
    say.explain_growth(y, part);
    say.explain_return(y, part);
  }
  return result;
}

} // namespace spillover
