#include "report/billing.hpp"
#include "report/event_index.hpp"
#include "report/format.hpp"
#include "report/verdict.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace spillover {

namespace {

// Keys stay in the order in which they are written.
using json = nlohmann::ordered_json;

json ns_or_null(const std::optional<duration>& x) {
  return x ? json(x->count()) : json(nullptr);
}

json ns_or_null(const std::optional<instant>& x) {
  return x ? json(x->time_since_epoch().count()) : json(nullptr);
}

std::string span_text(const std::optional<duration>& x, const verdict& of) {
  return x ? clock_text(*x) : std::string{of.unreached};
}

json clock_json(const clock_reading& x, const verdict& of, const std::vector<std::string>& sites) {
  return {{"ns", ns_or_null(x.span)},
          {"text", span_text(x.span, of)},
          {"by", to_string(x.by, sites)},
          {"detail", x.detail},
          {"basis", x.basis}};
}

json cost_json(const vcpu_cost& x) {
  return {{"full_vcpu_milli", x.full}, {"idle_minimum_vcpu_milli", x.idle_minimum}};
}

json cost_json(const failover_cost& x) {
  const auto compared = x.missing.empty();
  return {{"from_ns", x.from.time_since_epoch().count()},
          {"to_ns", x.to.time_since_epoch().count()},
          {"back", x.back},
          {"seconds", x.seconds},
          {"seconds_before", x.seconds_before},
          {"spent", cost_json(x.spent)},
          {"usual", compared ? cost_json(x.usual) : json(nullptr)},
          {"extra", compared ? cost_json(x.extra()) : json(nullptr)},
          {"text", compared ? extra_vcpu_text(x.extra().total()) : "n/a: " + x.missing}};
}

json failover_json(const failover_anatomy& x, const verdict& of,
                   const std::vector<std::string>& sites) {
  return {{"service", x.service},
          {"from", x.from},
          {"to", x.to},
          {"fault",
           {{"index", x.fault_index},
            {"event", to_string(x.fault, sites)},
            {"at_ns", x.fault_at.time_since_epoch().count()},
            {"end_ns", ns_or_null(x.fault_end)},
            {"detail", x.fault_detail}}},
          {"clocks",
           {{"detect", clock_json(x.detect, of, sites)},
            {"aggregate", clock_json(x.aggregate, of, sites)},
            {"propagate", clock_json(x.propagate, of, sites)},
            {"route", clock_json(x.route, of, sites)},
            {"capacity", clock_json(x.capacity, of, sites)}}},
          {"failover", {{"ns", ns_or_null(x.failover)}, {"text", span_text(x.failover, of)}}},
          {"failback", clock_json(x.failback, of, sites)},
          {"cost", cost_json(x.cost)}};
}

json number_or_null(const std::optional<std::int64_t>& x) {
  return x ? json(*x) : json(nullptr);
}

json judgement_json(const judgement& x, const std::vector<std::string>& sites) {
  const auto words = words_of(x.expected);
  return {{"kind", words.kind},
          {"name", x.expected.name},
          {"what", x.what},
          {"met", x.met},
          {"measured", x.measured},
          {"value", number_or_null(x.value)},
          {"at_least", number_or_null(words.at_least)},
          {"limit", number_or_null(words.at_most)},
          {"unit", words.unit},
          {"at_ns", ns_or_null(x.at)},
          {"by", to_string(x.by, sites)}};
}

json stop_json(const std::optional<early_stop>& x) {
  if (!x)
    return nullptr;
  return {{"at_ns", x->at.time_since_epoch().count()}, {"reason", x->reason}};
}

json ended_json(const std::array<std::uint64_t, outcome_count>& ended) {
  auto result = json::object();
  for (std::size_t i = 0; i < outcome_count; ++i)
    result[std::string{to_string(static_cast<outcome>(i))}] = ended[i];
  return result;
}

json requests_json(const request_totals& x) {
  const auto quantile = [&x](double q) {
    return x.latency.count() > 0 ? json(x.latency.quantile(q).count()) : json(nullptr);
  };
  return {{"started", x.started},
          {"in_flight", x.in_flight},
          {"ended", ended_json(x.ended)},
          {"latency_ns",
           {{"p50", quantile(0.5)},
            {"p90", quantile(0.9)},
            {"p99", quantile(0.99)},
            {"p99.9", quantile(0.999)}}}};
}

json subscription_json(const subscription_summary& x) {
  const auto& books = x.books;
  return {{"consumer", x.consumer},
          {"load", x.load},
          {"published", books.published},
          {"acked", books.acked},
          {"dead_lettered", books.dead_lettered},
          {"expired", books.expired},
          {"backlog", books.backlog},
          {"outstanding", books.outstanding},
          {"pushes", books.pushes},
          {"redelivered", books.redelivered},
          {"duplicates", books.duplicates},
          {"peak", x.peak},
          {"peak_at_ns", ns_or_null(x.peak_at)},
          {"drained_at_ns", ns_or_null(x.drained_at)}};
}

template <class Range, class Function>
json list(const Range& from, Function make) {
  auto result = json::array();
  for (const auto& x : from)
    result.push_back(make(x));
  return result;
}

json time_json(std::uint64_t instances, std::uint64_t vcpu) {
  return {{"instance_milli", instances}, {"vcpu_milli", vcpu}};
}

json bill_json(const event* closed) {
  const auto& x = payload_of<bill_closed>(closed);
  const auto billed = charged(x);
  return {{"revision", closed->entity},
          {"mode", x.mode},
          {"rounding", x.rounding},
          {"instances", x.instances},
          {"active", time_json(x.active_milli, x.active_vcpu_milli)},
          {"idle_minimum", time_json(x.idle_minimum_milli, x.idle_minimum_vcpu_milli)},
          {"life", time_json(x.life_milli, x.life_vcpu_milli)},
          {"instance_milli", billed.instances_milli},
          {"cost", cost_json(billed.cost)}};
}

json billing_json(const event_index& index) {
  return {{"revisions", list(index.all<bill_closed>(), bill_json)},
          {"regions", list(bills_by_region(index),
                           [](const region_bill& x) -> json {
                             return {{"region", x.region},
                                     {"instance_milli", x.billed.instances_milli},
                                     {"cost", cost_json(x.billed.cost)}};
                           })},
          {"consumers", list(bills_by_consumer(index), [](const consumer_bill& x) -> json {
             return {{"consumer", x.consumer},
                     {"service", x.service},
                     {"tries", x.tries},
                     {"of_tries", x.of_tries},
                     {"cost", cost_json(x.cost)}};
           })}};
}

} // namespace

std::string to_json(const verdict& x, const event_log& log) {
  const event_index index{log};
  const auto starts = index.all<run_started>();
  const auto start = starts.empty() ? run_started{} : payload_of<run_started>(starts.front());
  json summary = {
    {"version", 1},
    {"name", start.name},
    {"description", start.description},
    {"seed", start.seed},
    {"lasts_ns", start.lasts.count()},
    {"warm_up_ns", start.warm_up.count()},
    {"stopped", stop_json(x.stopped)},
    {"verdict", x.exit_code() == 0 ? "pass" : "fail"},
    {"exit_code", x.exit_code()},
    {"failovers",
     list(x.failovers, [&](const auto& y) { return failover_json(y, x, log.sites()); })},
    {"judgements",
     list(x.judgements, [&log](const auto& y) { return judgement_json(y, log.sites()); })},
    {"requests", requests_json(x.requests)},
    {"billing", billing_json(index)},
    {"books", list(index.all<books_closed>(),
                   [](const event* closed) -> json {
                     const auto& books = payload_of<books_closed>(closed);
                     return {{"account", books.account},
                             {"entity", closed->entity},
                             {"counterpart", books.counterpart},
                             {"taken", books.taken},
                             {"ended", ended_json(books.ended)},
                             {"in_flight", books.in_flight},
                             {"late", books.late}};
                   })},
    {"imbalances", x.imbalances},
    {"notes", x.notes}};
  if (!x.subscriptions.empty())
    summary["subscriptions"] = list(x.subscriptions, subscription_json);
  return summary.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace spillover
