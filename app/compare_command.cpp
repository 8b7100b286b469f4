#include "app/commands.hpp"
#include "app/export_files.hpp"
#include "app/recorded_run.hpp"
#include "app/report_command.hpp"
#include "report/comparison.hpp"
#include "report/page.hpp"
#include "scenario/document.hpp"
#include "scenario/load.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>

namespace spillover::app {

namespace fs = std::filesystem;

namespace {

struct compare_options {
  std::string a;
  std::string b;
  bool all = false;
  bool markdown = false;
  bool json = false;
  bool strict = false;
  /// The option's own; counts how often it was given.
  const CLI::Option* html = nullptr;
  std::string page;
};

/// A run that is read for a comparison. What its scenario cannot say is a note, not a failure: the run may be
/// of another version.
struct read_run {
  std::string label;
  event_log log;
  std::string scenario_text;
  nlohmann::ordered_json document = nullptr;
  std::string no_scenario = {};
  verdict result = {};

  [[nodiscard]] compared_run compared() const {
    return {label, log, result, document, no_scenario};
  }
};

/// Judges the run by its scenario, or says in it why there is none.
void judge_run(read_run& run, const fs::path& file) {
  if (std::error_code ignored; !fs::exists(file, ignored)) {
    run.no_scenario = "there is no scenario.yaml";
    run.result = judge(run.log, {}, {});
    return;
  }
  run.scenario_text = content_of(file);
  auto loaded = load_scenario(file);
  if (const auto* problems = std::get_if<std::vector<problem>>(&loaded)) {
    run.no_scenario = problems->empty() ? "scenario.yaml" : to_string(problems->front());
    run.result = judge(run.log, {}, {});
    return;
  }
  const auto& spec = std::get<scenario>(loaded);
  run.document = to_document(spec);
  run.result = judge(run.log, spec.expectations, spec.recovery);
}

std::optional<read_run> read(const std::string& name) {
  const auto folder = folder_of_run(name);
  auto log = read_log_or_explain(folder);
  if (!log)
    return std::nullopt;
  read_run result{folder.string(), std::move(*log), {}};
  judge_run(result, folder / "scenario.yaml");
  return result;
}

/// @returns the data of one run's half of the page, whose two halves together stay below 5 MB.
std::string half_of_page(const read_run& x) {
  constexpr page_limits half{
    .numbers = 200'000, .points = 1'800, .heat_columns = 300, .events = 1'500};
  return page_data(x.log, x.result, source_of(x.log, x.scenario_text), half);
}

/// @returns why a page must not be written there, as a sentence; "" when it may.
std::string obstacle_to_page(const fs::path& file) {
  if (file == "-")
    return "a page cannot be standard output; name a file";
  if (std::error_code ignored;
      file.filename() == "report.html" && fs::exists(file.parent_path() / "events.jsonl", ignored))
    return file.string() + " is the report of the run there; name another file";
  return obstacle(export_kind::page, file);
}

int compare_runs(const compare_options& options) {
  const auto wants_page = options.html->count() > 0;
  const std::string file = options.page.empty() ? "compare.html" : options.page;
  if (wants_page)
    if (const auto problem = obstacle_to_page(file); !problem.empty()) {
      fmt::print(stderr, "spillover: --html: {}\n", problem);
      return bad_input;
    }
  const auto a = read(options.a);
  // Both are looked at, so that one call tells all that is wrong.
  const auto b = read(options.b);
  if (!a || !b)
    return bad_input;
  const auto result = compare(a->compared(), b->compared());
  const auto text = to_text(result, options.all);
  fmt::print("{}", options.json ? to_json(result) : options.markdown ? to_markdown(result) : text);
  if (wants_page) {
    const auto page = to_page(
      page_bundle(), comparison_page_data(result, half_of_page(*a), half_of_page(*b)), text);
    write_export_text(file, [&page](std::ostream& out) { out << page; });
    if (!options.json && !options.markdown)
      fmt::print("{}\n", file);
  }
  return options.strict && !result.same ? runs_differ : all_met;
}

} // namespace

void add_compare(CLI::App& program, command& chosen) {
  auto options = std::make_shared<compare_options>();
  auto* sub = program.add_subcommand(
    "compare", "Compare two runs: what of their verdicts, clocks, errors, latency, cost and "
               "decisions differs, where they part, and what changed in the scenario");
  sub->add_option("A", options->a, "Folder of a run, e.g. runs/us-east1-brownout-1")->required();
  sub->add_option("B", options->b, "Folder of the other one; differences are B less A")->required();
  sub->add_flag("--all", options->all, "Show what is the same, too");
  auto* json = sub->add_flag("--json", options->json, "Print JSON: docs/comparison.schema.json");
  sub->add_flag("--markdown", options->markdown, "Print Markdown, for a pull request")
    ->excludes(json);
  options->html = sub
                    ->add_option("--html", options->page,
                                 "Write a page with both runs on the same axes, too, which needs "
                                 "no other file; after A and B; replaces an earlier page, but "
                                 "no other file; default FILE: compare.html")
                    ->type_name("[FILE]")
                    ->expected(0, 1);
  sub->add_flag("--strict", options->strict, "Exit with 1 unless the runs are the same");
  sub->footer("\nExample: spillover compare runs/before runs/after --html\n"
              "\nExit codes: 0 compared, 1 with --strict when they differ, 2 bad input, 3 the page "
              "cannot be written, after the comparison was printed.\n");
  sub->final_callback(
    [options, &chosen] { chosen = [options] { return compare_runs(*options); }; });
}

} // namespace spillover::app
