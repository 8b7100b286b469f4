#include "app/sweep_command.hpp"

#include "app/run_results.hpp"
#include "app/stderr_text.hpp"
#include "app/sweep_line.hpp"
#include "app/sweep_report_command.hpp"
#include "app/sweep_run.hpp"
#include "app/sweep_search.hpp"
#include "report/format.hpp"
#include "sweeps/merge.hpp"
#include "sweeps/store.hpp"
#include "sweeps/workers.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace spillover::app {

namespace {

constexpr const char* examples =
  "\nExamples:\n"
  "  spillover sweep s.yaml --seeds 1..200 --vary faults.0.for=1m,6m\n"
  "  spillover sweep s.yaml --seeds 1..200 --shard 3/8 --out part-3.sqlite\n"
  "  spillover sweep merge all.sqlite part-*.sqlite\n"
  "  spillover sweep report all.sqlite\n"
  "  spillover sweep s.yaml --seeds 1..200 --vary faults.0.for=1m,6m --find \"failover<15s\"\n"
  "The same command again goes on where it was stopped, and more seeds extend it. One of the runs with\n"
  "all its files: spillover run s.yaml --seed 7 --set faults.0.for=6m\n"
  "\nExit codes: 0 every run met its expectations, 1 one did not, 2 bad input, 3 a run failed or the\n"
  "sweep was stopped; with --find 0 a setting was found and sure enough, 1 none was. docs/sweeps.md describes the file.\n";

nlohmann::ordered_json summary_json(const sweep_tally& x) {
  return {{"version", 1},           {"file", x.file},
          {"name", x.name},         {"settings", x.settings},
          {"seeds", x.seeds},       {"shard", fmt::format("{}/{}", x.part.number, x.part.of)},
          {"runs", x.runs},         {"before", x.before},
          {"ran", x.ran},           {"met", x.ended[0]},
          {"missed", x.ended[1]},   {"failed", x.ended[2]},
          {"complete", x.complete}, {"seconds", x.seconds}};
}

std::string summary_text(const sweep_tally& x) {
  auto result = fmt::format(
    "{} of {}: {} x {}{} in {}\n", counted(x.before + x.ran, "run"), x.name,
    counted(x.settings, "setting"), counted(x.seeds, "seed"),
    x.part.of > 1 ? fmt::format(", part {} of {},", x.part.number, x.part.of) : "", x.file);
  result += fmt::format("in the file: met {}   missed {}   failed {}", thousands(x.ended[0]),
                        thousands(x.ended[1]), thousands(x.ended[2]));
  if (x.ran > 0)
    result += fmt::format("   {} in {}, {:.3g} a second", counted(x.ran, "run"),
                          span_text(x.seconds), static_cast<double>(x.ran) / x.seconds);
  return result + "\n";
}

int stopped_by(const store_write_error& x) {
  try_to_tell(fmt::format("spillover: {}\n", x.what()));
  return run_failed;
}

/// Looks for a setting in place of running them all.
int search(const sweep_options& options, const search_options& wanted) {
  if (!options.shard.empty()) {
    fmt::print(stderr,
               "spillover: --find decides by all runs so far, so --shard cannot divide it\n");
    return bad_input;
  }
  try {
    const auto plan = plan_or_explain(options);
    if (!plan)
      return bad_input;
    auto asked = question_of(wanted, plan->plan.settings, plan->seeds);
    if (const auto* why = std::get_if<std::string>(&asked)) {
      fmt::print(stderr, "spillover: {}\n", *why);
      return bad_input;
    }
    stored_search search{std::get<search_question>(std::move(asked))};
    const auto x = run_sweep(options, *plan, &search);
    if (!x.complete) {
      try_to_tell("spillover: stopped; the same command goes on from there\n");
      return run_failed;
    }
    if (options.json || !options.quiet)
      print_answer(search, x.file, options.json);
    return exit_code_of(search);
  } catch (const store_write_error& e) {
    return stopped_by(e);
  } catch (const store_error& e) {
    fmt::print(stderr, "spillover: {}\n", e.what());
    return bad_input;
  }
}

int sweep(const sweep_options& options) {
  sweep_tally x;
  try {
    const auto plan = plan_or_explain(options);
    if (!plan)
      return bad_input;
    x = run_sweep(options, *plan);
  } catch (const store_write_error& e) {
    return stopped_by(e);
  } catch (const store_error& e) {
    fmt::print(stderr, "spillover: {}\n", e.what());
    return bad_input;
  }
  if (!x.complete)
    try_to_tell(fmt::format(
      "spillover: stopped; {} of {} are in {}, and the same command goes on from there\n",
      thousands(x.before + x.ran), counted(x.runs, "run"), x.file));
  if (options.json)
    fmt::print("{}\n", summary_json(x).dump(2));
  else if (!options.quiet)
    fmt::print("{}", summary_text(x));
  if (!x.complete || x.ended[2] > 0)
    return run_failed;
  return x.ended[1] > 0 ? expectation_failed : all_met;
}

struct merge_options {
  std::string out;
  std::vector<std::string> in;
  bool quiet = false;
};

int merge(const merge_options& options) {
  try {
    const std::vector<std::filesystem::path> in{options.in.begin(), options.in.end()};
    const auto x = merge_sweeps(options.out, in);
    if (!options.quiet)
      fmt::print("{} added to {}; {} there already\n", counted(x.added, "run"), options.out,
                 counted(x.known, "run"));
    return all_met;
  } catch (const store_write_error& e) {
    return stopped_by(e);
  } catch (const store_error& e) {
    fmt::print(stderr, "spillover: {}\n", e.what());
    return bad_input;
  }
}

void add_merge(CLI::App& sweep, command& chosen) {
  auto options = std::make_shared<merge_options>();
  auto* sub = sweep.add_subcommand("merge", "Join the files of parts of a sweep");
  sub->add_option("OUT", options->out, "File that gets all runs; made, or gone on with")
    ->required();
  sub->add_option("IN", options->in, "Files of parts of the same sweep")->required();
  sub->add_flag("--quiet", options->quiet, "Show nothing; the exit code tells");
  sub->final_callback([options, &chosen] { chosen = [options] { return merge(*options); }; });
}

/// Options of a sweep itself say nothing to the commands below it.
void refuse_options_before(const CLI::App& sweep) {
  for (const auto* option : sweep.get_options()) {
    if (option->count() > 0)
      throw CLI::ExcludesError{option->get_name(), sweep.get_subcommands().front()->get_name()};
  }
}

/// For what an empty variable of a shell would change silently.
} // namespace

void add_sweep(CLI::App& program, command& chosen) {
  auto options = std::make_shared<sweep_options>();
  auto* sub =
    program.add_subcommand("sweep", "Run a scenario with many seeds and settings, on many cores");
  sub->footer(examples);
  sub->add_option("SCENARIO", options->file, "Scenario file (YAML)");
  sub
    ->add_option("--vary", options->vary,
                 "PATH=VALUE,VALUE,...: a value of the scenario by its path, and what it takes in "
                 "turn, as YAML; once for each value that varies, and every combination is run")
    ->allow_extra_args(false);
  sub
    ->add_option("--seeds", options->seeds,
                 "Seeds each setting is run with, e.g. 1..200 or 1..10,42; default: the "
                 "scenario's")
    ->check(check_not_empty);
  sub->add_option("--jobs", options->jobs, "Processes at once; default: one a processor")
    ->check(CLI::Range(1, 4096));
  sub
    ->add_option("--out", options->out,
                 "SQLite file for the results, made or gone on with; default: "
                 "runs/NAME.sqlite, and runs/NAME-I-of-N.sqlite with --shard")
    ->check(check_not_empty);
  sub
    ->add_option("--shard", options->shard,
                 "I/N: do the I-th of N parts, e.g. 3/8; `sweep merge` joins their files")
    ->check(check_not_empty);
  sub->add_flag("--retry-failed", options->retry, "Do runs that failed again");
  sub->add_flag("--quiet", options->quiet,
                "Show neither progress nor a summary; the exit code tells");
  sub->add_flag("--json", options->json, "Print the summary as JSON");
  auto wanted = std::make_shared<search_options>();
  add_search_options(*sub, *wanted);
  add_merge(*sub, chosen);
  add_sweep_report(*sub, chosen);
  add_sweep_scenario(*sub, chosen);
  sub->final_callback([sub, options, wanted, &chosen] {
    if (!sub->get_subcommands().empty()) {
      refuse_options_before(*sub);
      return;
    }
    if (options->file.empty())
      throw CLI::RequiredError{"SCENARIO"};
    if (options->retry && wanted->is_search())
      throw CLI::ExcludesError{"--retry-failed", "--find"};
    chosen = [options, wanted] {
      return wanted->is_search() ? search(*options, *wanted) : sweep(*options);
    };
  });
}

} // namespace spillover::app
