#include "report/csv_field.hpp"
#include "report/event_index.hpp"
#include "report/json_text.hpp"
#include "report/verdict.hpp"

#include <array>
#include <map>
#include <tuple>

namespace spillover {

namespace {

/// What all revisions of a region did in one second.
struct region_second {
  std::uint64_t arrivals = 0;
  std::uint64_t completions = 0;
  std::uint64_t failures = 0;
  std::uint64_t queue = 0;
  std::uint64_t ready = 0;
  std::uint64_t starting = 0;
};

/// What one row is about: second, consumer, region; the region of a consumer's own row is "".
using row_key = std::tuple<std::int64_t, std::string_view, std::string_view>;

/// @returns the number of the second that ends at `at`, from 0.
std::int64_t second_ending(instant at) {
  return second_of(at - duration{1});
}

void append_counts(std::string& out, std::uint64_t sent,
                   const std::array<std::uint32_t, outcome_count>& ended) {
  append_integer(out, sent);
  for (const auto count : ended) {
    out += ',';
    append_integer(out, count);
  }
}

std::string header() {
  std::string result = "second,level,consumer,region,sent";
  for (std::size_t i = 0; i < outcome_count; ++i) {
    result += ',';
    result += to_string(static_cast<outcome>(i));
  }
  return result
         + ",region_arrivals,region_completions,region_failures,region_queue"
           ",region_ready,region_starting\n";
}

std::map<std::pair<std::int64_t, std::string_view>, region_second>
region_seconds(const event_index& index) {
  std::map<std::pair<std::int64_t, std::string_view>, region_second> result;
  for (const auto* x : index.all<revision_sample>()) {
    const auto& sample = payload_of<revision_sample>(x);
    auto& second = result[{second_ending(x->at), first_part(x->entity)}];
    second.arrivals += sample.arrivals;
    second.completions += sample.completions;
    second.failures += sample.failures;
    second.queue += sample.queue;
    second.ready += sample.ready;
    second.starting += sample.starting;
  }
  return result;
}

} // namespace

std::string requests_csv(const event_log& log) {
  const event_index index{log};
  const auto regions = region_seconds(index);
  // Sorted by second, then consumer; a consumer's own row stands before those of its regions.
  std::map<row_key, const event*> rows;
  for (const auto* x : index.all<client_sample>())
    rows[{second_ending(x->at), first_part(x->entity), ""}] = x;
  for (const auto* x : index.all<attempt_sample>())
    rows[{second_ending(x->at), first_part(x->entity), payload_of<attempt_sample>(x).region}] = x;
  auto result = header();
  for (const auto& [key, x] : rows) {
    const auto& [second, consumer, region] = key;
    append_integer(result, second);
    result += region.empty() ? ",requests," : ",tries,";
    append_csv_field(result, consumer);
    result += ',';
    append_csv_field(result, region);
    result += ',';
    if (const auto* clients = std::get_if<client_sample>(&x->what)) {
      append_counts(result, clients->started, clients->ended);
      result += ",,,,,,\n";
      continue;
    }
    const auto& attempts = payload_of<attempt_sample>(x);
    append_counts(result, attempts.sent, attempts.ended);
    const auto found = regions.find({second, region});
    const auto there = found == regions.end() ? region_second{} : found->second;
    for (const auto count : {there.arrivals, there.completions, there.failures, there.queue,
                             there.ready, there.starting}) {
      result += ',';
      append_integer(result, count);
    }
    result += '\n';
  }
  return result;
}

} // namespace spillover
