#include "report/comparison_parts.hpp"
#include "report/format.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

namespace spillover {

namespace {

constexpr std::string_view none = "-";

std::uint64_t ended_of(const request_totals& x) {
  return std::accumulate(x.ended.begin(), x.ended.end(), std::uint64_t{0});
}

/// @returns a share as people read it, with how many that are.
compared_value share_value(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0)
    return {std::string{none}};
  return {share_text(part, whole) + " (" + thousands(part) + ")", static_cast<std::int64_t>(part)};
}

/// @returns how many points of a percent the share of B is above that of A.
std::string points_text(std::uint64_t a, std::uint64_t of_a, std::uint64_t b, std::uint64_t of_b) {
  if (of_a == 0 || of_b == 0)
    return {};
  const auto points = (static_cast<double>(b) / static_cast<double>(of_b)
                       - static_cast<double>(a) / static_cast<double>(of_a))
                      * 10'000;
  const auto hundredths = static_cast<std::uint64_t>(std::abs(points) + 0.5);
  const std::string sign = points < 0 ? "-" : "+";
  if (hundredths == 0)
    return points == 0 ? "" : sign + "<0.01 points";
  const auto rest = std::to_string(hundredths % 100);
  return sign + std::to_string(hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest
         + " points";
}

compared_row outcome_row(outcome x, const request_totals& a, const request_totals& b) {
  const auto of_a = ended_of(a);
  const auto of_b = ended_of(b);
  const auto in_a = a.ended[static_cast<std::size_t>(x)];
  const auto in_b = b.ended[static_cast<std::size_t>(x)];
  std::string name{to_string(x)};
  std::replace(name.begin(), name.end(), '_', ' ');
  compared_row row{name, share_value(in_a, of_a), share_value(in_b, of_b),
                   points_text(in_a, of_a, in_b, of_b), change_grade::same};
  if (in_a == in_b && of_a == of_b)
    return row;
  row.grade = change_grade::differs;
  if (of_a == 0 || of_b == 0 || row.change.empty())
    return row;
  const auto more = row.change.front() == '+';
  row.grade = more == (x == outcome::ok) ? change_grade::better : change_grade::worse;
  return row;
}

/// What is counted of a region or a consumer.
struct decision_counts {
  std::uint64_t ups = 0;
  std::uint64_t downs = 0;
  std::uint64_t turns = 0;
  std::uint64_t routes = 0;
  std::uint64_t ejections = 0;
  std::uint64_t denials = 0;
  std::uint64_t most = 0;
};

using counts_by_site = std::map<std::string, decision_counts, std::less<>>;

/// Counts instances that run, of all backend services of each region, at the end of each second.
void count_instances(const event_index& index, counts_by_site& to) {
  std::map<std::string, std::map<instant, std::uint64_t>, std::less<>> running;
  for (const auto* x : index.all<revision_sample>()) {
    const auto& sample = payload_of<revision_sample>(x);
    running[std::string{first_part(x->entity)}][x->at] += sample.ready + sample.deprioritised;
  }
  for (const auto& [region, seconds] : running)
    for (const auto& [at, count] : seconds)
      if (at >= index.warm_up_end())
        to[region].most = std::max(to[region].most, count);
}

counts_by_site count_decisions(const event_index& index) {
  counts_by_site result;
  const auto since = index.warm_up_end();
  const auto of = [&result](std::string_view entity) -> decision_counts& {
    return result[std::string{first_part(entity)}];
  };
  for (const auto* x : index.all<scaling_decided>()) {
    const auto& decided = payload_of<scaling_decided>(x);
    if (x->at < since)
      continue;
    of(x->entity).ups += decided.after > decided.before ? 1U : 0U;
    of(x->entity).downs += decided.after < decided.before ? 1U : 0U;
  }
  // As `expect.transitions` counts them: a change from UNKNOWN is a beginning.
  for (const auto* x : index.all<composite_changed>())
    if (x->at >= since && payload_of<composite_changed>(x).before != health::unknown)
      ++of(x->entity).turns;
  for (const auto* x : index.all<routing_changed>())
    if (x->at >= since && !payload_of<routing_changed>(x).before.empty())
      ++of(x->entity).routes;
  for (const auto* x : index.all<outlier_changed>())
    if (x->at >= since && payload_of<outlier_changed>(x).action == outlier_action::ejected)
      ++of(payload_of<outlier_changed>(x).region).ejections;
  for (const auto* x : index.all<start_denied>())
    if (x->at >= since)
      ++of(x->entity).denials;
  count_instances(index, result);
  return result;
}

/// @returns what is measured of a quantile; nothing without answers.
compared_value latency_value(const latency_histogram& x, double q) {
  if (x.count() == 0)
    return {std::string{none}};
  const auto span = x.quantile(q);
  return {latency_text(span), span.count()};
}

compared_value cost_value(std::int64_t milli) {
  return {vcpu_seconds_text(milli), milli};
}

/// @returns the change in percent of `a`, which is above 0, rounded to the nearest tenth, with its sign; what is
///          less than that is not nothing.
std::string percent_change(std::int64_t a, std::int64_t b) {
  const auto size = b > a ? b - a : a - b;
  const auto tenths = (size * 2'000 + a) / (2 * a);
  const std::string sign = b < a ? "-" : "+";
  return sign
         + (tenths == 0 ? "<0.1" : std::to_string(tenths / 10) + "." + std::to_string(tenths % 10))
         + " %";
}

compared_row cost_row(std::string name, std::int64_t a, std::int64_t b) {
  auto change = a > 0 && a != b ? percent_change(a, b) : extra_vcpu_text(b - a);
  return less_is_better(std::move(name), cost_value(a), cost_value(b), std::move(change));
}

} // namespace

compared_row less_is_better(std::string name, compared_value a, compared_value b,
                            std::string change) {
  compared_row row{std::move(name), std::move(a), std::move(b)};
  if (row.a.number == row.b.number && row.a.text == row.b.text)
    return row;
  row.grade = change_grade::differs;
  if (row.a.number && row.b.number) {
    row.change = std::move(change);
    row.grade = *row.b.number > *row.a.number ? change_grade::worse : change_grade::better;
  }
  return row;
}

compared_row count_row(std::string name, std::uint64_t a, std::uint64_t b) {
  compared_row row{std::move(name),
                   {thousands(a), static_cast<std::int64_t>(a)},
                   {thousands(b), static_cast<std::int64_t>(b)}};
  if (a != b) {
    row.change = b > a ? "+" + thousands(b - a) : "-" + thousands(a - b);
    row.grade = change_grade::differs;
  }
  return row;
}

std::string change_text(duration by, std::string (*text)(duration)) {
  if (by == duration::zero())
    return {};
  const auto size = by < duration::zero() ? -by : by;
  // What no clock shows is not "0 ms".
  const auto shown = size < std::chrono::milliseconds{1} ? "<1 ms" : text(size);
  return (by < duration::zero() ? "-" : "+") + shown;
}

compared_section errors_section(const verdict& a, const verdict& b) {
  compared_section result{"errors", "requests", "count", {}};
  result.rows.push_back(count_row("requests begun", a.requests.started, b.requests.started));
  for (std::size_t i = 0; i < outcome_count; ++i)
    if (i == 0 || a.requests.ended[i] > 0 || b.requests.ended[i] > 0)
      result.rows.push_back(outcome_row(static_cast<outcome>(i), a.requests, b.requests));
  return result;
}

compared_section latency_section(const verdict& a, const verdict& b) {
  compared_section result{"latency", "latency of answers", "ns", {}};
  constexpr std::pair<const char*, double> quantiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99.9", 0.999}};
  for (const auto& [name, q] : quantiles) {
    auto in_a = latency_value(a.requests.latency, q);
    auto in_b = latency_value(b.requests.latency, q);
    const auto by = duration{in_b.number.value_or(0) - in_a.number.value_or(0)};
    result.rows.push_back(
      less_is_better(name, std::move(in_a), std::move(in_b), change_text(by, latency_text)));
  }
  return result;
}

compared_section cost_section(const verdict& a, const verdict& b) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>, std::less<>> regions;
  std::pair<std::int64_t, std::int64_t> total;
  for (const auto& x : a.bills) {
    regions[x.region].first += x.billed.cost.total();
    total.first += x.billed.cost.total();
  }
  for (const auto& x : b.bills) {
    regions[x.region].second += x.billed.cost.total();
    total.second += x.billed.cost.total();
  }
  compared_section result{"cost", "billed vCPU seconds", "milli_vcpu_s", {}};
  if (regions.empty())
    return result;
  result.rows.push_back(cost_row("all regions", total.first, total.second));
  for (const auto& [region, cost] : regions)
    result.rows.push_back(cost_row(region, cost.first, cost.second));
  return result;
}

compared_section decisions_section(const event_index& a, const event_index& b) {
  const auto of_a = count_decisions(a);
  const auto of_b = count_decisions(b);
  auto sites = of_a;
  sites.insert(of_b.begin(), of_b.end());
  constexpr std::pair<const char*, std::uint64_t decision_counts::*> kinds[] = {
    {"changes of the composite", &decision_counts::turns},
    {"changes of route", &decision_counts::routes},
    {"decisions for more instances", &decision_counts::ups},
    {"decisions for fewer instances", &decision_counts::downs},
    {"most instances", &decision_counts::most},
    {"ejections as an outlier", &decision_counts::ejections},
    {"starts denied by a quota", &decision_counts::denials}};
  compared_section result{"decisions", "decisions", "count", {}};
  for (const auto& [site, ignored] : sites) {
    const auto x = of_a.contains(site) ? of_a.at(site) : decision_counts{};
    const auto y = of_b.contains(site) ? of_b.at(site) : decision_counts{};
    for (const auto& [name, count] : kinds)
      if (x.*count > 0 || y.*count > 0)
        result.rows.push_back(count_row(site + ": " + name, x.*count, y.*count));
  }
  return result;
}

} // namespace spillover
