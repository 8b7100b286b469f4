#include "app/sweep_report_command.hpp"

#include "app/run_folder.hpp"
#include "app/run_results.hpp"
#include "sweeps/report.hpp"
#include "sweeps/results.hpp"
#include "sweeps/store.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace spillover::app {

namespace {

struct report_options {
  std::string file;
  std::vector<std::string> shown;
  std::string time = "failover";
  std::string cost = "cost";
  double quantile = 0.95;
  bool json = false;
  bool markdown = false;
};

std::string check_quantity(const std::string& name) {
  return find_quantity(name) != nullptr ? std::string{}
                                        : "there is no '" + name + "'; choose " + quantity_names();
}

std::string check_quantile(const std::string& text) {
  double x = 0;
  // A range takes what is no number: it is neither below nor above.
  return CLI::detail::lexical_cast(text, x) && x > 0 && x <= 1
           ? std::string{}
           : "must be above 0 and at most 1, e.g. 0.95";
}

int report(const report_options& options) {
  try {
    const sweep_store store{options.file, sweep_store::mode::read};
    sweep_report_options how;
    for (const auto& name : options.shown)
      how.shown.push_back(find_quantity(name));
    how.time = find_quantity(options.time);
    how.cost = find_quantity(options.cost);
    how.quantile = options.quantile;
    const auto result = report_on(results_of(store), how);
    const sweep_source source{options.file, store.has_traces()};
    fmt::print("{}", options.json       ? to_json(result, source)
                     : options.markdown ? to_markdown(result, source)
                                        : to_text(result, source));
    return result.failed > 0 ? run_failed : all_met;
  } catch (const store_error& x) {
    fmt::print(stderr, "spillover: {}\n", x.what());
    return bad_input;
  }
}

struct scenario_options {
  std::string file;
  std::uint32_t setting = 0;
  std::string seed; // digits, checked
  std::string out;
};

/// @param text of a scenario as this program writes it. It is not read, since what it names may be elsewhere:
///             the traces that it plays
std::string with_seed(const std::string& text, const std::string& seed) {
  constexpr std::string_view key = "\nseed: ";
  // Keys of the whole stand at the begins of lines, and nothing else that is not quoted does.
  const auto at = ("\n" + text).find(key);
  if (at == std::string::npos)
    return "seed: " + seed + "\n" + text;
  const auto value = at + key.size() - 1;
  return text.substr(0, value) + seed + text.substr(std::min(text.find('\n', value), text.size()));
}

/// @param text as `with_seed` takes it; names of files are quoted in it where they need it
bool plays(const std::string& text, const stored_trace& x) {
  return text.find(x.file) != std::string::npos;
}

bool plays(const std::string& text, const std::vector<stored_trace>& all) {
  return std::any_of(all.begin(), all.end(), [&text](const auto& x) { return plays(text, x); });
}

/// Puts a scenario into a folder of its own, with the traces that it plays.
/// @throws std::runtime_error when it cannot be written, or holds something else
void write_folder(const std::string& place, const std::string& text,
                  const std::vector<stored_trace>& traces) {
  if (std::filesystem::exists(std::filesystem::path{place} / "events.jsonl"))
    throw std::runtime_error{place + " holds a run; name another folder"};
  run_folder folder{place};
  for (const auto& x : traces)
    if (plays(text, x))
      folder.write(x.file, [&x](std::ostream& out) { out << x.content; });
  folder.write("scenario.yaml", [&text](std::ostream& out) { out << text; });
  folder.publish();
}

int print_scenario(const scenario_options& options) {
  try {
    const sweep_store store{options.file, sweep_store::mode::read};
    const auto identity = store.identity();
    if (options.setting >= identity.settings.size()) {
      fmt::print(stderr, "spillover: {} has settings 0 to {}, and no {}\n", options.file,
                 identity.settings.size() - 1, options.setting);
      return bad_input;
    }
    if (options.setting >= identity.scenarios.size()) {
      fmt::print(stderr, "spillover: {} does not say what its settings make of the scenario\n",
                 options.file);
      return bad_input;
    }
    const auto& plain = identity.scenarios[options.setting];
    const auto text = options.seed.empty() ? plain : with_seed(plain, options.seed);
    if (!options.out.empty()) {
      write_folder(options.out, text, identity.traces);
      fmt::print("{}/scenario.yaml\n", options.out);
      return all_met;
    }
    fmt::print("{}", text);
    if (plays(text, identity.traces))
      fmt::print(stderr, "spillover: it plays traces, which --out DIR writes beside it\n");
    return all_met;
  } catch (const store_error& x) {
    fmt::print(stderr, "spillover: {}\n", x.what());
    return bad_input;
  }
}

} // namespace

void add_sweep_report(CLI::App& sweep, command& chosen) {
  auto options = std::make_shared<report_options>();
  auto* sub = sweep.add_subcommand(
    "report", "Say what the runs of a sweep say: distributions with their intervals, time against "
              "cost, what matters, and how to repeat the worst run");
  sub->add_option("FILE", options->file, "Results of a sweep (SQLite)")->required();
  sub
    ->add_option("--measure", options->shown,
                 "Whose distribution to show, e.g. failover or errors; may be given several times. "
                 "Default: failover, capacity, errors, latency_p99 and cost")
    ->check(check_quantity);
  sub
    ->add_option("--time", options->time,
                 "What is traded against the cost, and whose worst run is named")
    ->check(check_quantity)
    ->capture_default_str();
  sub->add_option("--cost", options->cost, "What is paid for it; its mean counts")
    ->check(check_quantity)
    ->capture_default_str();
  sub
    ->add_option("--quantile", options->quantile,
                 "Which share of the runs stays at or below the time that counts, above 0 and at "
                 "most 1; 1 is the worst run")
    ->check(check_quantile)
    ->capture_default_str();
  auto* json =
    sub->add_flag("--json", options->json, "Print JSON, with values as the file has them");
  sub->add_flag("--markdown", options->markdown, "Print Markdown, e.g. for a pull request")
    ->excludes(json);
  sub->footer("\nExample: spillover sweep report sweep.sqlite --measure failover --quantile 0.5\n"
              "Exit codes: 0 told, 2 bad input, 3 some runs failed and are no result.\n");
  sub->final_callback([options, &chosen] { chosen = [options] { return report(*options); }; });
}

void add_sweep_scenario(CLI::App& sweep, command& chosen) {
  auto options = std::make_shared<scenario_options>();
  auto* sub = sweep.add_subcommand(
    "scenario", "Print the scenario of one setting, to repeat a run of a sweep with `run`");
  sub->add_option("FILE", options->file, "Results of a sweep (SQLite)")->required();
  sub
    ->add_option("--setting", options->setting,
                 "Number of the setting, from 0, as the report has it")
    ->required();
  sub
    ->add_option("--out", options->out,
                 "Folder to write scenario.yaml into, with the traces that it plays; made, or "
                 "replaced if it is one of these; default: the scenario to standard output")
    ->check(check_not_empty);
  sub->add_option("--seed", options->seed, "Seed of all random numbers; default: the scenario's")
    ->check(check_seed);
  sub->footer("\nExample: spillover sweep scenario sweep.sqlite --setting 2 --seed 17 --out again\n"
              "then: spillover run again/scenario.yaml\n"
              "Exit codes: 0 told, 2 bad input, 3 the folder cannot be written.\n");
  sub->final_callback(
    [options, &chosen] { chosen = [options] { return print_scenario(*options); }; });
}

} // namespace spillover::app
