#pragma once

#include "report/event_log.hpp"
#include "report/parting.hpp"
#include "report/scenario_changes.hpp"
#include "report/verdict.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// One of two runs, A or B.
struct compared_run {
  /// As the user calls it, e.g. the folder.
  std::string label;
  const event_log& log;
  /// Of the same log.
  const verdict& result;
  /// The scenario with every default; null when it is not known, so that nothing was expected.
  const nlohmann::ordered_json& scenario;
  /// Why it is not known; empty when it is.
  std::string no_scenario = {};
};

/// What of a difference matters to its reader: whether B does worse or better than A, or neither.
enum class change_grade : std::uint8_t { same, worse, better, differs };

constexpr std::string_view to_string(change_grade x) noexcept {
  switch (x) {
    case change_grade::same: return "same";
    case change_grade::worse: return "worse";
    case change_grade::better: return "better";
    case change_grade::differs: return "differs";
  }
  return "?";
}

/// What one run says to a row.
struct compared_value {
  /// E.g. "17.8 s"; empty when this run has nothing of the kind.
  std::string text;
  /// The same as a number in the unit of its row; nothing when there is none.
  std::optional<std::int64_t> number = std::nullopt;
  /// What happened, in a sentence; may be empty.
  std::string detail = {};
};

/// One thing that both runs have, or one of them.
struct compared_row {
  std::string name;
  compared_value a;
  compared_value b;
  /// B less A for people, e.g. "+2.1 s"; empty when there is nothing to say.
  std::string change = {};
  change_grade grade = change_grade::same;
};

/// Rows of one kind.
struct compared_section {
  /// "expectations", "failover", "errors", "latency", "cost" or "decisions".
  std::string_view kind;
  /// E.g. "us-east1 -> us-west1".
  std::string title;
  /// Of the numbers in its rows: "ns", "count" or "milli_vcpu_s"; empty when they have several.
  std::string_view unit;
  std::vector<compared_row> rows;

  /// @returns whether a row is not the same.
  [[nodiscard]] bool differs() const noexcept;
};

/// A run in a few words.
struct run_outline {
  std::string label;
  std::string name;
  std::uint64_t seed = 0;
  /// Its end, or of a log that breaks off the last event.
  instant end{};
  instant warm_up_end{};
  bool complete = false;
  /// As of `verdict::exit_code`.
  int exit_code = 0;
  std::size_t met = 0;
  std::size_t expected = 0;
};

/// How two runs differ; in each list what matters most comes first.
struct comparison {
  run_outline a;
  run_outline b;
  /// The events are alike to the last byte, but for the name and seed, and so are the scenarios.
  bool same = false;
  /// The events are, which is not said of logs with real times.
  bool same_events = false;
  /// Both scenarios are known.
  bool scenarios_compared = false;
  /// What matters most, a sentence each.
  std::vector<std::string> headline;
  /// What cannot be compared, and why, a sentence each.
  std::vector<std::string> notes;
  std::vector<compared_section> sections;
  /// Where health or a route differs first after the warm-up, and where any decision does. Nothing when there is none, or
  /// when a log has real times.
  std::optional<parting> first_health;
  std::optional<parting> first_decision;
  std::optional<parting> first_event;
  std::vector<scenario_change> changes;
};

/// @returns whether the first decision that differs is one about health.
bool is_same_parting(const comparison& x) noexcept;

/// Compares two runs.
///
/// Expectations are paired when they are equal, then by kind and name, then by kind and words apart from
/// their numbers; failovers by region, service and fault, then by their order.
comparison compare(const compared_run& a, const compared_run& b);

/// @returns the comparison for people, in lines of at most 100 characters.
/// @param all shows what is the same, too
std::string to_text(const comparison& x, bool all);

/// @returns the same in Markdown, for a pull request.
std::string to_markdown(const comparison& x);

/// @returns the same for machines: `docs/comparison.schema.json`.
std::string to_json(const comparison& x);

/// @returns what a page shows of both runs: `version`, the `comparison` as `to_json` has it, and `runs`, the
///          two data as `docs/page.schema.json` has them.
/// @param data_of_a, data_of_b `page_data` of each
std::string comparison_page_data(const comparison& x, std::string_view data_of_a,
                                 std::string_view data_of_b);

} // namespace spillover
