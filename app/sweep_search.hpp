#pragma once

#include "sweeps/search_text.hpp"
#include "sweeps/store.hpp"

#include <CLI/App.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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

/// Lets runs end and puts them in the store; false when the user stopped it.
using run_all = std::function<bool(std::span<const run_key>)>;

/// Searches, with what the store has already, and prints the answer.
/// @param file how commands name the store
/// @returns the program's exit code; nothing when the user stopped the search
std::optional<int> search_sweep(search_question asked, const sweep_store& store,
                                const std::string& file, bool json, const run_all& run);

} // namespace spillover::app
