#pragma once

#include "sweeps/stored_search.hpp"

#include <CLI/App.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace spillover::app {

/// The options of `spillover sweep` that make it a search.
struct search_options {
  /// Conditions; empty: no search.
  std::string find;
  std::string minimise = "cost";
  /// In which share of runs a condition must hold that does not say it.
  double share = 0.95;
  /// How sure the answer must be.
  double confidence = usual_confidence;

  [[nodiscard]] bool is_search() const noexcept { return !find.empty(); }
};

/// Adds `--find`, `--minimise`, `--share` and `--confidence`.
void add_search_options(CLI::App& sweep, search_options& options);

/// @returns what is asked, or what is wrong with it.
std::variant<search_question, std::string> question_of(const search_options& options,
                                                       std::vector<setting> settings,
                                                       std::vector<std::uint64_t> seeds);

/// Prints what was found.
/// @param file how commands name the store
void print_answer(const stored_search& search, const std::string& file, bool json);

/// @returns the program's exit code: whether a setting was found, and is as sure as was asked for.
int exit_code_of(const stored_search& search);

} // namespace spillover::app
