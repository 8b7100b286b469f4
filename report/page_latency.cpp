#include "model/histogram.hpp"
#include "report/page_parts.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace spillover {

namespace {

/// Eight rows of the heat map for each power of two: 2048 buckets are more than a screen has lines.
constexpr std::uint32_t buckets_in_row = 8;

/// With more consumers than this, only all of them together are shown.
constexpr std::size_t most_consumers = 6;

/// The latencies of answers by second, as the samples of that second hold them: a histogram for each
/// second of a day would not fit into memory.
using latencies = std::vector<std::vector<const client_sample*>>;

page_json microseconds_json(duration x) {
  return std::chrono::floor<std::chrono::microseconds>(x).count();
}

/// The histograms of several seconds as one.
latency_histogram merged(const latencies& of, std::size_t from, std::size_t step) {
  latency_histogram result;
  for (auto i = from; i < std::min(from + step, of.size()); ++i)
    for (const auto* sample : of[i])
      for (const auto& [bucket, count] : sample->latency)
        result.add_bucket(bucket, count);
  return result;
}

page_json quantiles_json(const latencies& of, const page_grid& grid) {
  page_json result;
  constexpr std::pair<const char*, double> quantiles[] = {
    {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"max", 1.0}};
  for (const auto& [name, q] : quantiles)
    result[name] = page_json::array();
  for (std::size_t from = 0; from < of.size(); from += grid.step) {
    const auto all = merged(of, from, grid.step);
    for (const auto& [name, q] : quantiles)
      result[name].push_back(all.count() == 0 ? page_json{} : microseconds_json(all.quantile(q)));
  }
  return result;
}

page_json heat_json(const latencies& of, std::size_t columns) {
  const auto grid = make_grid(of.size(), columns);
  auto cells = page_json::array();
  std::uint32_t lowest = latency_histogram::bucket_count;
  std::uint32_t highest = 0;
  for (std::size_t from = 0; from < of.size(); from += grid.step) {
    std::map<std::uint32_t, std::uint64_t> rows;
    for (const auto& [bucket, count] : merged(of, from, grid.step).sparse())
      rows[bucket / buckets_in_row] += count;
    // Row and count by turns.
    auto column = page_json::array();
    for (const auto& [row, count] : rows) {
      lowest = std::min(lowest, row);
      highest = std::max(highest, row);
      column.push_back(row);
      column.push_back(count);
    }
    cells.push_back(std::move(column));
  }
  auto bounds = page_json::array();
  for (auto row = lowest; row <= highest; ++row)
    bounds.push_back(
      microseconds_json(latency_histogram::upper_bound(row * buckets_in_row + buckets_in_row - 1)));
  return {{"step", grid.step}, {"first_row", lowest}, {"bounds", bounds}, {"columns", cells}};
}

page_json item(const std::string& consumer, const latencies& of, const page_grid& grid,
               const page_limits& limits) {
  page_json result{{"consumer", consumer}};
  result.update(quantiles_json(of, grid));
  result["heat"] = heat_json(of, limits.heat_columns);
  return result;
}

} // namespace

page_json latency_json(const event_index& index, const page_grid& grid, const page_limits& limits) {
  std::map<std::string, latencies, std::less<>> all;
  latencies together(grid.seconds);
  for (const auto* x : index.all<client_sample>()) {
    const auto second = grid.second_of(x->at);
    if (!second)
      continue;
    auto& own = all[std::string{first_part(x->entity)}];
    own.resize(grid.seconds);
    const auto* sample = &payload_of<client_sample>(x);
    own[*second].push_back(sample);
    together[*second].push_back(sample);
  }
  auto result = page_json::array();
  // "" stands for all consumers.
  if (all.size() > 1)
    result.push_back(item("", together, grid, limits));
  if (all.size() <= most_consumers)
    for (const auto& [consumer, of] : all)
      result.push_back(item(consumer, of, grid, limits));
  return result;
}

} // namespace spillover
