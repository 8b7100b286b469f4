#include "report/format.hpp"
#include "report/subscriptions.hpp"
#include "report/text_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>

namespace spillover {

namespace {

constexpr std::size_t width = 110;
constexpr std::size_t value_column = 13;
constexpr std::size_t detail_column = 25;
constexpr std::size_t basis_column = 57;
constexpr std::size_t result_column = 50;
constexpr std::size_t where_column = 51;

/// Lines with labels.
class page : public text_lines {
public:
  page() : text_lines(width) {}

  void label(std::string_view label, std::string_view value) {
    text_lines::label(label, value_column, value);
  }
};

void print_clock(page& out, const verdict& x, std::string_view name, const clock_reading& clock) {
  out.label("  " + std::string{name},
            clock.span ? "+" + clock_text(*clock.span) : std::string{x.unreached});
  out.at(detail_column, clock.detail, detail_column);
  out.at(basis_column, clock.basis, detail_column);
}

/// @returns what the failover clock says, and whether that was asked for and met.
std::string failover_result(const verdict& x, std::size_t place) {
  for (const auto& y : x.judgements) {
    const auto* expected = std::get_if<expect_failover>(&y.expected.what);
    if (expected != nullptr && y.failover == place)
      return (y.met ? "PASS   " : "FAIL   ") + y.measured + (y.value ? " of " : ", limit ")
             + exact_text(expected->within);
  }
  const auto& span = x.failovers[place].failover;
  return span ? clock_text(*span) : std::string{x.unreached};
}

/// Prints what the failover cost more than so long a time before it.
void print_cost(page& out, const failover_cost& x) {
  if (!x.missing.empty()) {
    out.label("  cost", "n/a");
    out.at(detail_column, x.missing, detail_column);
    return;
  }
  const auto extra = x.extra();
  out.label("  cost", extra_vcpu_text(extra.total()));
  out.at(detail_column,
         vcpu_seconds_text(x.spent.total()) + " in " + std::to_string(x.seconds)
           + " s to the end of " + (x.back ? "failback" : "the run"),
         detail_column);
  auto basis = vcpu_seconds_text(x.usual.total()) + " at the rate before";
  if (x.spent.idle_minimum != 0 || x.usual.idle_minimum != 0)
    basis += "; of idle minimum instances " + extra_vcpu_text(extra.idle_minimum);
  out.at(basis_column, basis, detail_column);
}

void print_failover(page& out, const verdict& x, std::size_t place) {
  const auto& failover = x.failovers[place];
  out.line("FAILOVER");
  out.append(failover.from + (failover.to.empty() ? "" : " -> " + failover.to), 9, 1);
  out.at(result_column, failover_result(x, place), result_column);
  out.label("  fault", instant_text(failover.fault_at));
  out.at(detail_column, failover.fault_detail, detail_column);
  print_clock(out, x, "detected", failover.detect);
  print_clock(out, x, "aggregated", failover.aggregate);
  print_clock(out, x, "propagated", failover.propagate);
  print_clock(out, x, "routed", failover.route);
  print_clock(out, x, "capacity", failover.capacity);
  auto failback = failover.failback;
  if (failover.fault_end) {
    const auto end = "fault over at " + instant_text(*failover.fault_end);
    failback.basis = failback.basis.empty() ? end : failback.basis + ", " + end;
  }
  print_clock(out, x, "failback", failback);
  print_cost(out, failover.cost);
}

void print_requests(page& out, const request_totals& x) {
  out.line("requests " + thousands(x.started));
  const auto ended = std::accumulate(x.ended.begin(), x.ended.end(), std::uint64_t{0});
  const auto add = [&out](const std::string& text) { out.append(text, 9, 3); };
  if (ended == 0) {
    add("none ended after the warm-up");
    return;
  }
  for (std::size_t i = 0; i < outcome_count; ++i) {
    if (i > 0 && x.ended[i] == 0)
      continue;
    std::string name{to_string(static_cast<outcome>(i))};
    std::replace(name.begin(), name.end(), '_', ' ');
    add(name + " " + share_text(x.ended[i], ended));
  }
  if (x.latency.count() > 0) {
    add("p50 " + latency_text(x.latency.quantile(0.5)));
    add("p99 " + latency_text(x.latency.quantile(0.99)));
  }
}

void print_bills(page& out, const std::vector<region_bill>& x) {
  billed_time sum;
  for (const auto& y : x)
    sum += y.billed;
  const auto add = [&out](const std::string& text) { out.append(text, value_column, 3); };
  out.line("billed " + vcpu_seconds_text(sum.cost.total()) + " vCPU-s");
  for (const auto& y : x)
    add(std::string{y.region} + " " + vcpu_seconds_text(y.billed.cost.total()));
  if (sum.cost.idle_minimum > 0)
    add("idle minimum instances " + vcpu_seconds_text(sum.cost.idle_minimum));
}

void print_judgement(page& out, const judgement& x) {
  const auto& name = x.expected.name;
  out.label(x.met ? "PASS" : "FAIL", name.empty() ? x.what : name + ": " + x.what);
  auto measured = x.measured;
  if (!x.met && x.at)
    measured += ", at " + instant_text(*x.at);
  out.at(basis_column, measured, value_column);
}

/// Lists what was not met; what was met only where it has a name, by which somebody looks for it.
void print_judgements(page& out, const std::vector<judgement>& all) {
  for (const auto& x : all) {
    if (!x.met)
      print_judgement(out, x);
  }
  for (const auto& x : all) {
    if (x.met && !x.expected.name.empty())
      print_judgement(out, x);
  }
}

} // namespace

std::string to_text(const verdict& x, const std::string& where) {
  page out;
  for (std::size_t i = 0; i < x.failovers.size(); ++i)
    print_failover(out, x, i);
  if (x.failovers.empty())
    out.line("no failover: no fault turned a composite health check UNHEALTHY");
  if (x.stopped) {
    out.line("stopped");
    out.append("at " + exact_text(x.stopped->at - run_start) + ": " + x.stopped->reason,
               value_column, 1);
  }
  for (const auto& note : x.notes)
    out.label("note", note);
  print_requests(out, x.requests);
  for (const auto& subscription : x.subscriptions)
    out.label("backlog", to_string(subscription));
  if (!x.bills.empty())
    print_bills(out, x.bills);
  print_judgements(out, x.judgements);
  for (const auto& imbalance : x.imbalances)
    out.label("BOOKS", imbalance);
  const auto met =
    std::count_if(x.judgements.begin(), x.judgements.end(), [](const auto& y) { return y.met; });
  if (x.judgements.empty())
    out.line("no expectations");
  else
    out.line("expectations " + std::to_string(met) + " of " + std::to_string(x.judgements.size())
             + " met");
  out.at(where_column, where, 0);
  return out.take();
}

} // namespace spillover
