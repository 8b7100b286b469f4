#include "app/directed_run.hpp"

#include "app/commands.hpp"
#include "app/live_line.hpp"
#include "app/run_folder.hpp"
#include "app/run_log.hpp"
#include "app/run_results.hpp"
#include "app/scenario_argument.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>

namespace spillover::app {

std::string site_line(std::string_view site, std::string_view text) {
  return fmt::format("spillover: {}: {}\n", site, text);
}

int run_director(const scenario& x, const std::vector<std::string>& lints,
                 const directed_options& options, const director::options& with,
                 const std::function<void(director&)>& prepare) {
  const auto place = place_of_run(options.out, x);
  std::optional<run_folder> folder;
  try {
    folder.emplace(place);
  } catch (const std::exception& e) {
    fmt::print(stderr, "spillover: cannot write the run's files: {}\n", e.what());
    return bad_input;
  }
  run_log log{options.log_level, options.log_json};
  if (!options.quiet)
    print_remarks(lints);
  write_scenario(*folder, x);
  std::string printed;
  int code = run_failed;
  {
    live_line line{x.lasts, options.progress && !options.quiet};
    director subject{x, with, [&](const event& e) {
                       log.log(e);
                       line.see(e);
                     }};
    prepare(subject);
    subject.on_idle([&] { line.update(subject.now()); });
    auto result = subject.run();
    if (!result.failed.empty()) {
      fmt::print(stderr, "spillover: {}\n", result.failed);
      return run_failed;
    }
    folder->write("events.jsonl", [&](std::ostream& out) { write_event_log(out, result.log); });
    const auto verdict =
      write_results(*folder, x, {result.log, result.kept, result.flaws}, options.report);
    folder->publish();
    // The run is over: a director that finds no journal begins another one.
    std::error_code ignored;
    std::filesystem::remove(with.journal, ignored);
    printed = options.json ? to_json(verdict, result.log) : to_text(verdict, place.string());
    code = verdict.exit_code();
  }
  if (options.json || !options.quiet)
    fmt::print("{}", printed);
  return code;
}

} // namespace spillover::app
