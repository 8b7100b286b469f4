#pragma once

#include "exports/run_export.hpp"
#include "report/event_index.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

// Seconds of a run put together into steps; what users of an export need is in exports/run_export.hpp.

namespace spillover {

/// What a row is about: the start of its step, and whom.
using series_key = std::tuple<instant, std::string_view, std::string_view>;

/// The samples that fall into a step, and the time they are of: less than the step where the window, or what
/// is sampled, begins or ends within it.
template <class T>
struct step_samples {
  std::vector<const T*> samples;
  instant from;
  instant to;
};

/// What was sampled, by step and entity.
template <class T>
using sampled_steps = std::map<series_key, step_samples<T>>;

/// @returns the samples of each step of each entity, in order.
template <class T, class Name>
sampled_steps<T> steps_of(const run_export& x, const event_index& index, Name name) {
  sampled_steps<T> result;
  for (const auto* y : index.all<T>()) {
    // Samples are told at their second's end.
    const auto second = std::chrono::floor<std::chrono::seconds>(y->at - duration{1});
    if (!x.window.holds(second))
      continue;
    const auto step = second.time_since_epoch() / x.step;
    const auto& sample = payload_of<T>(y);
    auto& to = result[{run_start + step * x.step, y->entity, name(sample)}];
    if (to.samples.empty())
      to.from = second;
    to.to = y->at;
    to.samples.push_back(&sample);
  }
  return result;
}

/// @returns the sum of a field over all samples.
template <class T, class N>
std::uint64_t sum(const std::vector<const T*>& all, N T::*field) {
  std::uint64_t result = 0;
  for (const auto* x : all)
    result += x->*field;
  return result;
}

/// @returns the mean, rounded to the nearest.
template <class T, class N>
std::uint64_t mean(const std::vector<const T*>& all, N T::*field) {
  return (sum(all, field) + all.size() / 2) / all.size();
}

/// @returns how many ended in which way, in all samples.
template <class T>
std::array<std::uint64_t, outcome_count> ended_of(const std::vector<const T*>& all) {
  std::array<std::uint64_t, outcome_count> result{};
  for (const auto* x : all)
    for (std::size_t i = 0; i < outcome_count; ++i)
      result[i] += x->ended[i];
  return result;
}

} // namespace spillover
