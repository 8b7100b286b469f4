#include "app/report_command.hpp"

#include "app/commands.hpp"
#include "app/export_files.hpp"
#include "app/recorded_run.hpp"
#include "app/run_results.hpp"
#include "report/event_index.hpp"
#include "report/page.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace spillover::app {

namespace fs = std::filesystem;

namespace {

struct report_options {
  std::string run;
  std::string out;
  bool markdown = false;
};

/// @returns why a report must not be written there, as a sentence; "" when it may.
std::string obstacle_to_report(const report_options& options) {
  if (options.out.empty())
    return {};
  if (!options.markdown)
    return obstacle(export_kind::page, options.out);
  std::error_code ignored;
  // One that CI made before may be made anew.
  return !fs::exists(options.out, ignored) || content_of(options.out).starts_with("## ")
           ? ""
           : options.out + " is no report of a run; name another file, or remove it";
}

int report(const report_options& options) {
  if (const auto problem = obstacle_to_report(options); !problem.empty()) {
    fmt::print(stderr, "spillover: --out: {}\n", problem);
    return bad_input;
  }
  const auto run = read_run_or_explain(options.run);
  if (!run)
    return bad_input;
  const auto result = judge(run->log, run->spec.expectations, run->spec.recovery);
  const auto scenario = content_of(run->folder / "scenario.yaml");
  if (options.markdown) {
    const auto text = to_markdown(result, run->log, source_of(run->log, scenario));
    if (options.out.empty())
      fmt::print("{}", text);
    else
      write_or_throw(options.out, text);
    return all_met;
  }
  const auto file = options.out.empty() ? run->folder / "report.html" : fs::path{options.out};
  write_or_throw(file, report_page(run->log, result, scenario));
  fmt::print("{}\n", file.string());
  return all_met;
}

} // namespace

page_source source_of(const event_log& log, std::string scenario) {
  const event_index index{log};
  const auto starts = index.all<run_started>();
  const auto seed = starts.empty() ? 0 : payload_of<run_started>(starts.front()).seed;
  return {std::move(scenario), fmt::format("spillover run scenario.yaml --seed {}", seed),
          "spillover " SPILLOVER_VERSION};
}

std::string content_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void write_or_throw(const fs::path& file, const std::string& content) {
  std::ofstream out{file, std::ios::binary};
  out << content;
  out.close();
  if (!out)
    throw std::runtime_error("cannot write " + file.string());
}

std::string report_page(const event_log& log, const verdict& x, const std::string& scenario) {
  return to_page(page_bundle(), page_data(log, x, source_of(log, scenario)), to_text(x, {}));
}

void add_report(CLI::App& program, command& chosen) {
  auto options = std::make_shared<report_options>();
  auto* sub = program.add_subcommand(
    "report", "Write a run's report: one HTML file that needs nothing else, or Markdown");
  sub->add_option("RUN", options->run, "Folder of a run, e.g. runs/us-east1-brownout-1")
    ->required();
  sub
    ->add_option("--out", options->out,
                 "File to write; default: report.html in the run's folder, Markdown to standard "
                 "output")
    ->check(check_not_empty);
  sub->add_flag("--markdown", options->markdown, "Write Markdown, for a pull request");
  sub->footer(
    "\nExample: spillover report runs/us-east1-brownout-1 --markdown\n\nExit codes: 0 written, "
    "whatever the verdict is, 2 bad input, 3 the file cannot be written.");
  sub->final_callback([options, &chosen] { chosen = [options] { return report(*options); }; });
}

} // namespace spillover::app
