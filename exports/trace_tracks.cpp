#include "exports/trace_tracks.hpp"

#include <algorithm>

namespace spillover {

namespace {

/// @returns what stands on the thread, below its site: whoever spends the span, and queues for themselves.
std::string thread_name(const hop_span& x) {
  const auto slash = x.entity.find('/');
  auto result = slash == std::string::npos ? x.entity : x.entity.substr(slash + 1);
  if (x.kind == hop_kind::queue || x.kind == hop_kind::cold_start_wait)
    result += " queue";
  return result;
}

/// A span, with all that stands on the same thread within it.
struct unit {
  std::size_t request = 0;
  std::size_t span = 0;
  instant from{};
  instant to{};
};

} // namespace

std::uint32_t trace_tracks::process(std::string_view site) {
  const auto found = processes_.find(site);
  if (found != processes_.end())
    return found->second;
  const auto number = static_cast<std::uint32_t>(processes_.size() + 1);
  processes_.emplace(site, number);
  names_[{number, 0}] = site;
  return number;
}

track_place trace_tracks::thread(std::string_view site, std::string_view name) {
  const auto number = process(site);
  auto& result = threads_[{number, std::string{name}}];
  if (result.thread == 0) {
    result = {number, ++thread_counts_[number]};
    names_[result] = name;
  }
  return result;
}

std::vector<std::vector<track_place>> trace_tracks::place(std::span<const request_spans> requests) {
  // By process, so that threads are numbered in an order that people can read.
  std::map<std::pair<std::string, std::string>, std::vector<unit>> units;
  std::vector<std::vector<std::size_t>> heads(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& spans = requests[i].spans;
    for (std::size_t j = 0; j < spans.size(); ++j) {
      const auto site = std::string{first_part(spans[j].entity)};
      const auto name = thread_name(spans[j]);
      const auto& parent = spans[spans[j].parent];
      const auto within = j > 0 && first_part(parent.entity) == site && thread_name(parent) == name;
      heads[i].push_back(within ? heads[i][spans[j].parent] : j);
      if (!within)
        units[{site, name}].push_back({i, j, spans[j].from, spans[j].to});
    }
  }
  std::vector<std::vector<track_place>> result(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i)
    result[i].resize(requests[i].spans.size());
  for (auto& [whose, all] : units) {
    std::stable_sort(all.begin(), all.end(),
                     [](const unit& a, const unit& b) { return a.from < b.from; });
    std::vector<std::pair<instant, instant>> spans;
    for (const auto& x : all)
      spans.emplace_back(x.from, x.to);
    const auto places = place(whose.first, whose.second, spans);
    for (std::size_t i = 0; i < all.size(); ++i)
      result[all[i].request][all[i].span] = places[i];
  }
  for (std::size_t i = 0; i < requests.size(); ++i)
    for (std::size_t j = 0; j < heads[i].size(); ++j)
      result[i][j] = result[i][heads[i][j]];
  return result;
}

std::vector<track_place> trace_tracks::place(std::string_view site, std::string_view name,
                                             std::span<const std::pair<instant, instant>> spans) {
  std::vector<track_place> result;
  std::vector<std::pair<instant, instant>> ends; // of the last span on each lane
  std::vector<track_place> lanes;
  for (const auto& [from, to] : spans) {
    std::size_t i = 0;
    // Two spans of no length at one instant would hide each other.
    while (i < ends.size() && (ends[i].second > from || ends[i].first == from))
      ++i;
    if (i == ends.size()) {
      const auto number = i == 0 ? std::string{} : " (" + std::to_string(i + 1) + ")";
      lanes.push_back(thread(site, std::string{name} + number));
      ends.emplace_back();
    }
    ends[i] = {from, to};
    result.push_back(lanes[i]);
  }
  return result;
}

} // namespace spillover
