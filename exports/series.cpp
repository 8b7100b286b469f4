#include "exports/series.hpp"

#include "exports/table_rows.hpp"
#include "model/histogram.hpp"

#include <algorithm>
#include <string_view>

namespace spillover {

namespace {

using enum cell_type;

constexpr table_column requests_columns[] = {
  {"from_ns"},
  {"from_s", seconds},
  {"consumer", text},
  {"started"},
  {"retried"},
  {"ok"},
  {"too_many_requests"},
  {"internal_error"},
  {"bad_gateway"},
  {"unavailable"},
  {"gateway_timeout"},
  {"lb_timeout"},
  {"client_timeout"},
  {"lost"},
  {"p50_ns", integer, true},
  {"p50_s", seconds, true},
  {"p90_ns", integer, true},
  {"p90_s", seconds, true},
  {"p99_ns", integer, true},
  {"p99_s", seconds, true},
  {"max_ns", integer, true},
  {"max_s", seconds, true},
};

constexpr table_column tries_columns[] = {
  {"from_ns"},
  {"from_s", seconds},
  {"consumer", text},
  {"region", text},
  {"sent"},
  {"ok"},
  {"too_many_requests"},
  {"internal_error"},
  {"bad_gateway"},
  {"unavailable"},
  {"gateway_timeout"},
  {"lb_timeout"},
  {"client_timeout"},
  {"lost"},
};

constexpr table_column backends_columns[] = {
  {"from_ns"},       {"from_s", seconds}, {"region", text},      {"backend", text},
  {"arrivals"},      {"completions"},     {"failures"},          {"queue"},
  {"queue_peak"},    {"recommended"},     {"starting"},          {"ready"},
  {"deprioritised"}, {"draining"},        {"crashed"},           {"concurrency_milli"},
  {"cpu_milli"},     {"billed_milli"},    {"billed_idle_milli"},
};

latency_histogram latency_of(const std::vector<const client_sample*>& all) {
  latency_histogram result;
  for (const auto* x : all)
    for (const auto& [bucket, count] : x->latency)
      result.add_bucket(bucket, count);
  return result;
}

} // namespace

const table_shape requests_table{"requests", requests_columns};
const table_shape tries_table{"tries", tries_columns};
const table_shape backends_table{"backends", backends_columns};

void write_requests(const run_export& x, const event_index& index, table_sink& to) {
  table_rows rows{to, requests_table};
  const auto all =
    steps_of<client_sample>(x, index, [](const client_sample&) { return std::string_view{}; });
  for (const auto& [key, step] : all) {
    const auto& samples = step.samples;
    const auto& [from, entity, none] = key;
    rows.add(from).add(first_part(entity));
    rows.add(sum(samples, &client_sample::started)).add(sum(samples, &client_sample::retried));
    rows.add(ended_of(samples));
    const auto latency = latency_of(samples);
    for (const auto q : {0.5, 0.9, 0.99, 1.0})
      rows.add(latency.count() == 0 ? std::optional<duration>{}
                                    : std::optional{latency.quantile(q)});
    rows.end();
  }
}

void write_tries(const run_export& x, const event_index& index, table_sink& to) {
  table_rows rows{to, tries_table};
  const auto all = steps_of<attempt_sample>(
    x, index, [](const attempt_sample& y) -> std::string_view { return y.region; });
  for (const auto& [key, step] : all) {
    const auto& samples = step.samples;
    const auto& [from, entity, region] = key;
    rows.add(from).add(first_part(entity)).add(region);
    rows.add(sum(samples, &attempt_sample::sent)).add(ended_of(samples)).end();
  }
}

void write_backends(const run_export& x, const event_index& index, table_sink& to) {
  table_rows rows{to, backends_table};
  const auto all =
    steps_of<revision_sample>(x, index, [](const revision_sample&) { return std::string_view{}; });
  for (const auto& [key, step] : all) {
    const auto& samples = step.samples;
    const auto& [from, entity, none] = key;
    const auto& last = *samples.back();
    std::uint32_t peak = 0;
    for (const auto* y : samples)
      peak = std::max(peak, y->queue_peak);
    rows.add(from).add(first_part(entity)).add(entity);
    rows.add(sum(samples, &revision_sample::arrivals));
    rows.add(sum(samples, &revision_sample::completions));
    rows.add(sum(samples, &revision_sample::failures));
    rows.add(last.queue).add(peak).add(last.recommended).add(last.starting).add(last.ready);
    rows.add(last.deprioritised).add(last.draining).add(last.crashed);
    rows.add(mean(samples, &revision_sample::concurrency_milli));
    rows.add(mean(samples, &revision_sample::cpu_milli));
    rows.add(sum(samples, &revision_sample::billed_milli));
    rows.add(sum(samples, &revision_sample::billed_idle_milli)).end();
  }
}

} // namespace spillover
