#include "actors/world.hpp"
#include "app/commands.hpp"
#include "app/event_stream.hpp"
#include "app/live_line.hpp"
#include "app/run_folder.hpp"
#include "app/run_log.hpp"
#include "app/run_results.hpp"
#include "app/scenario_changes.hpp"
#include "report/verdict.hpp"
#include "scenario/plan.hpp"
#include "sites/station.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spillover::app {

namespace {

struct run_options {
  std::string file;
  std::string seed;             // digits, checked
  std::vector<std::string> set; // each PATH=VALUE, checked
  std::string out;
  bool quiet = false;
  bool json = false;
  bool report = true;
  double speed = 0; // as fast as it can
  std::string log_level = "warn";
  bool log_json = false;
};

/// Lets the world live to its end, or until a condition stops it.
/// @returns false when an actor ended that nothing should have ended
bool live(world& w, const scenario& x, duration step, live_line& line, run_log& log,
          const event_stream& events) {
  const auto end = run_start + x.lasts;
  // Small steps only serve the line, and whoever ends the run; they change nothing in the world.
  for (auto at = run_start; at < end && !w.stopped();) {
    at = std::min<instant>(at + step, end);
    w.run_until(at);
    events.check();
    line.update(w.now());
    if (stop_signalled() && at < end)
      w.stop("by a signal");
  }
  w.finish();
  for (const auto& casualty : w.casualties()) {
    log.error(casualty);
    fmt::print(stderr, "spillover: an actor ended by itself: {}\n", casualty);
  }
  return w.casualties().empty();
}

/// Says what the scenario's author should know, in the log when that is for machines.
void remark(const std::vector<std::string>& lints, bool to_log, run_log& log) {
  if (!to_log)
    return print_remarks(lints);
  for (const auto& x : lints)
    log.warn(x);
}

/// @returns how far the world moves on between two looks at what happens around it.
duration step_of(double speed) {
  constexpr duration most = std::chrono::seconds{1};
  // Half a second of real time.
  return speed > 0 && speed < 2 ? duration{static_cast<duration::rep>(5e8 * speed)} : most;
}

/// Says how well the machine kept up with a pace.
void tell_lateness(const latency_histogram& x, double speed) {
  const auto ms = [&x](double q) { return static_cast<double>(x.quantile(q).count()) * 1e-6; };
  fmt::print(
    stderr,
    "at speed {:g} timers were handled late by {:.3f} ms (p50), {:.3f} ms (p99), {:.3f} ms (at "
    "most), in real time\n",
    speed, ms(0.5), ms(0.99), ms(1));
}

int run(const run_options& options) {
  // Before there is anything that a signal could leave behind.
  catch_stop_signals();
  std::vector<value_change> changes;
  for (const auto& x : options.set)
    changes.push_back(std::get<value_change>(parse_change(x)));
  auto argument = load_changed_or_explain(options.file, changes);
  if (!argument)
    return bad_input;
  auto* x = &argument->value;
  if (!options.seed.empty())
    x->seed = *parse_seed(options.seed);
  const auto place = place_of_run(options.out, *x);
  std::optional<run_folder> folder;
  try {
    folder.emplace(place);
  } catch (const std::exception& e) {
    fmt::print(stderr, "spillover: cannot write the run's files: {}\n", e.what());
    return bad_input;
  }

  run_log log{options.log_level, options.log_json};
  if (!options.quiet)
    remark(argument->lints, options.log_json, log);
  bool alive = false;
  verdict result;
  std::string printed;
  latency_histogram lateness;
  {
    live_line line{x->lasts, !options.quiet};
    write_scenario(*folder, *x);
    event_stream events{folder->open("events.jsonl"), plan_sites(*x)};
    world w{*x, [&](const event& e) {
              log.log(e);
              line.see(e);
              events.append(e);
            }};
    if (options.speed > 0)
      w.pace(options.speed);
    alive = live(w, *x, step_of(options.speed), line, log, events);
    events.close();
    lateness = w.lateness();
    result = write_results(*folder, *x, {w.log(), w.kept()}, options.report);
    folder->publish();
    printed = options.json ? to_json(result, w.log()) : to_text(result, place.string());
  }
  // After the live line is gone.
  if (options.speed > 0 && !options.quiet)
    tell_lateness(lateness, options.speed);
  if (options.json || !options.quiet)
    fmt::print("{}", printed);
  return alive ? result.exit_code() : run_failed;
}

} // namespace

void add_run(CLI::App& program, command& chosen) {
  auto options = std::make_shared<run_options>();
  auto* sub =
    program.add_subcommand("run", "Run a scenario in virtual time, in this process, and judge it");
  sub->add_option("SCENARIO", options->file, "Scenario file (YAML)")->required();
  sub->add_option("--seed", options->seed, "Seed of all random numbers; default: the scenario's")
    ->check(check_seed);
  sub
    ->add_option(
      "--set", options->set,
      "PATH=VALUE: a value of the scenario by its path, e.g. faults.0.for=2m, as YAML; as "
      "often as needed. What a setting of `spillover sweep` says")
    ->allow_extra_args(false)
    ->check(check_change);
  sub
    ->add_option("--out", options->out,
                 "Folder for the run's files, replaced whole; default: runs/NAME-SEED")
    ->check(check_not_empty);
  sub->add_flag("--quiet", options->quiet,
                "Show neither progress nor the verdict; the exit code tells");
  sub->add_flag("--json", options->json, "Print summary.json instead of the verdict in text");
  sub->add_flag("!--no-report", options->report, "Leave report.html out of the run's files");
  sub
    ->add_option(
      "--speed", options->speed,
      "Let emulated time pass so many times as fast as real time, to watch it; without this "
      "as fast as the machine can. What happens is the same")
    ->check(CLI::Range(0.001, 10'000.0))
    // A range takes what is no number: it is neither below nor above.
    ->check([](const std::string& text) {
      return text.find_first_of("nN") == std::string::npos ? std::string{} : "must be a number";
    });
  sub->add_option("--log-level", options->log_level, "What to log to stderr")
    ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}))
    ->capture_default_str();
  sub->add_flag("--log-json", options->log_json, "Log one JSON object a line");
  sub->final_callback([options, &chosen] { chosen = [options] { return run(*options); }; });
}

} // namespace spillover::app
