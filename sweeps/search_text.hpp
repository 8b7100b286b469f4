#pragma once

#include "sweeps/grid.hpp"
#include "sweeps/report.hpp"
#include "sweeps/search.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace spillover {

/// What a search was asked.
struct search_question {
  std::vector<condition> conditions;
  const quantity* minimised = nullptr;
  double confidence = usual_confidence;
  std::vector<setting> settings;
  /// In the order in which the search takes them.
  std::vector<std::uint64_t> seeds;

  [[nodiscard]] search_plan plan() const;
};

/// @returns whether a setting was found, and the search is as sure as it was asked to be that it meets the
///          conditions.
bool is_found(const search_question& asked, const search_answer& x);

/// @returns the answer for people, with how sure it is of what.
std::string to_text(const search_question& asked, const search_answer& x,
                    const sweep_source& source);

/// @returns the answer for programs, as docs/sweep-report.md describes it.
std::string to_json(const search_question& asked, const search_answer& x,
                    const sweep_source& source);

} // namespace spillover
