#include "app/commands.hpp"
#include "app/control_call.hpp"
#include "app/status_table.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

// What operators do to a deployment that runs: watch it, add faults to it and lift them, end it.

namespace spillover::app {

namespace {

using nlohmann::json;

std::string text_of(const json& x, const char* key) {
  const auto found = x.find(key);
  if (found == x.end())
    return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

int add_fault(const control_target& to, const std::string& fault) {
  const auto body = ask_or_explain(to, "fault add", fault);
  if (!body)
    return to.failed;
  const auto x = json::parse(*body, nullptr, false);
  fmt::print("fault {}: {}, from {}\n", text_of(x, "fault"), text_of(x, "what"), text_of(x, "at"));
  return all_met;
}

int list_faults(const control_target& to, bool as_json) {
  const auto body = ask_or_explain(to, "fault list", "");
  if (!body)
    return to.failed;
  if (as_json) {
    fmt::print("{}\n", *body);
    return all_met;
  }
  const auto all = json::parse(*body, nullptr, false);
  fmt::print("{:>5}  {:8}  {:>10}  {:>8}  {}\n", "fault", "state", "at", "for", "what");
  for (const auto& x : all)
    fmt::print("{:>5}  {:8}  {:>10}  {:>8}  {}{}\n", text_of(x, "fault"), text_of(x, "state"),
               text_of(x, "at"), text_of(x, "for"), text_of(x, "what"),
               text_of(x, "added") == "true" ? " (added)" : "");
  return all_met;
}

int simply(const control_target& to, const char* kind, const std::string& body,
           const std::string& done) {
  if (!ask_or_explain(to, kind, body))
    return to.failed;
  fmt::print("{}\n", done);
  return all_met;
}

using real = std::chrono::steady_clock;

/// @returns when the run ends in real time, as a status tells that came just now.
real::time_point end_by(const json& status) {
  const auto left = status.value("end_ns", 0.0) - status.value("at_ns", 0.0);
  const auto speed = std::max(status.value("speed", 1.0), 1e-3);
  return real::now()
         + std::chrono::duration_cast<real::duration>(
           std::chrono::duration<double, std::nano>{left / speed});
}

/// Shows the newest state until the run is over; on a terminal in place.
///
/// A director that is gone ended as planned when it said so before, or when the run's end came since the last
/// look; otherwise it was lost.
int watch(const control_target& wanted, double interval, bool once) {
  // Of the same deployment all the time, whatever begins meanwhile.
  const auto to = resolve_or_explain(wanted);
  if (!to)
    return bad_input;
  const auto terminal = ::isatty(STDOUT_FILENO) != 0 && !once;
  const auto pause = std::chrono::duration<double>{interval};
  std::optional<real::time_point> end;
  while (true) {
    const auto begin = real::now();
    const auto body = ask_or_explain(*to, "status", "");
    if (!body && end && to->failed == run_failed && begin + pause >= *end) {
      fmt::print(stderr, "spillover: the run was to end by now, so it did\n");
      return all_met;
    }
    if (!body)
      return to->failed;
    // Home, the table, and nothing of an earlier one below it.
    fmt::print("{}{}{}", terminal ? "\033[H\033[2J" : "", status_table(*body),
               terminal ? "" : "\n");
    std::fflush(stdout);
    const auto x = json::parse(*body, nullptr, false);
    if (once || !x.is_object() || x.value("ended", false))
      return all_met;
    end = end_by(x);
    ::poll(nullptr, 0, static_cast<int>(interval * 1e3));
  }
}

struct control_options {
  control_target to;
  std::string text;
  bool json = false;
  double interval = 1;
  bool once = false;
};

using control_action = int (*)(const control_options&);

void add_action(CLI::App& sub, const std::shared_ptr<control_options>& options, command& chosen,
                control_action what) {
  add_target_options(sub, options->to);
  sub.final_callback(
    [options, &chosen, what] { chosen = [options, what] { return what(*options); }; });
}

} // namespace

void add_fault(CLI::App& program, command& chosen) {
  auto* fault = program.add_subcommand(
    "fault", "Add faults to a deployment that runs, list them, and lift them");
  fault->require_subcommand(1);
  auto options = std::make_shared<control_options>();
  auto* add = fault->add_subcommand("add", "Add a fault, which begins at once");
  add
    ->add_option("FAULT", options->text,
                 "As an entry of a scenario's list, without `at`, e.g. \"{for: 2m, region: {name: "
                 "us-east1, become: silent}}\"")
    ->required();
  add_action(*add, options, chosen,
             [](const control_options& x) { return add_fault(x.to, x.text); });

  options = std::make_shared<control_options>();
  auto* list = fault->add_subcommand("list", "List the scenario's faults, and those added");
  list->add_flag("--json", options->json, "Print JSON");
  add_action(*list, options, chosen,
             [](const control_options& x) { return list_faults(x.to, x.json); });

  options = std::make_shared<control_options>();
  auto* remove = fault->add_subcommand("remove", "End a fault before its time");
  remove->add_option("FAULT", options->text, "Its number, as `fault list` shows it")->required();
  add_action(*remove, options, chosen, [](const control_options& x) {
    return simply(x.to, "fault remove", x.text, "fault " + x.text + " is lifted");
  });

  options = std::make_shared<control_options>();
  auto* clear = fault->add_subcommand("clear", "End all faults that were added");
  add_action(*clear, options, chosen, [](const control_options& x) {
    return simply(x.to, "fault clear", "", "all faults that were added are lifted");
  });
}

void add_watch(CLI::App& program, command& chosen) {
  auto options = std::make_shared<control_options>();
  auto* sub =
    program.add_subcommand("watch", "Show how a deployment that runs goes, until it ends");
  sub->add_option("--interval", options->interval, "Real seconds between two looks")
    ->check(CLI::Range(0.1, 60.0))
    ->capture_default_str();
  sub->add_flag("--once", options->once, "Look once");
  add_action(*sub, options, chosen,
             [](const control_options& x) { return watch(x.to, x.interval, x.once); });
}

void add_stop(CLI::App& program, command& chosen) {
  auto options = std::make_shared<control_options>();
  auto* sub = program.add_subcommand(
    "stop", "End a deployment's run before its time; the director judges what there is");
  add_action(*sub, options, chosen,
             [](const control_options& x) { return simply(x.to, "stop", "", "the run ends"); });
}

} // namespace spillover::app
