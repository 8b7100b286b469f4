#include "actors/world.hpp"
#include "app/commands.hpp"
#include "app/policy_test_text.hpp"
#include "app/recorded_run.hpp"
#include "app/scenario_argument.hpp"
#include "report/event_log.hpp"
#include "report/event_reader.hpp"
#include "scenario/policy_outcome.hpp"
#include "scenario/policy_test.hpp"
#include "scenario/problem.hpp"
#include "scenario/text_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace spillover::app {

namespace fs = std::filesystem;

namespace {

struct policy_test_options {
  std::string input;
  std::string policy;
  bool json = false;
};

/// What could be read, or the exit code after it was said why it could not.
template <class T>
using read_result = std::variant<T, int>;

int explain(const std::vector<problem>& problems) {
  for (const auto& x : problems)
    fmt::print(stderr, "{}\n", to_string(x));
  return bad_input;
}

template <class T>
read_result<T> take(std::variant<T, std::vector<problem>> x) {
  if (const auto* problems = std::get_if<std::vector<problem>>(&x))
    return explain(*problems);
  return std::get<T>(std::move(x));
}

read_result<std::string> read_text(const std::string& file, std::string_view kind) {
  auto text = read_text_file(file, kind);
  if (const auto* why = std::get_if<unreadable>(&text))
    return explain({{file, 0, 0, why->reason}});
  return std::get<std::string>(std::move(text));
}

read_result<endpoint_timeline> timeline_or_explain(const event_log& log, const std::string& from) {
  auto result = timeline_of(log);
  if (result)
    return std::move(*result);
  return explain({{from, 0, 0, "tells of no instance"}});
}

read_result<endpoint_timeline> read_run(const fs::path& events) {
  std::ifstream in{events, std::ios::binary};
  if (!in)
    return explain({{events.string(), 0, 0, "cannot be read; a run leaves such a file"}});
  std::string wrong;
  const auto log = read_event_log(in, wrong, last_line::may_break_off);
  if (!log)
    return explain({{events.string(), 0, 0, wrong}});
  note_break(*log, events);
  return timeline_or_explain(*log, events.string());
}

read_result<endpoint_timeline> run_scenario(const std::string& file) {
  const auto argument = load_or_explain(file);
  if (!argument)
    return bad_input;
  const auto& x = argument->value;
  world w{x, [](const event&) {}};
  w.run_until(run_start + x.lasts);
  w.finish();
  for (const auto& casualty : w.casualties())
    fmt::print(stderr, "spillover: an actor ended by itself: {}\n", casualty);
  if (!w.casualties().empty())
    return run_failed;
  return timeline_or_explain(w.log(), file);
}

read_result<endpoint_timeline> read_timeline(const std::string& input) {
  const fs::path place{input};
  std::error_code ignored;
  if (fs::is_directory(place, ignored))
    return read_run(place / "events.jsonl");
  if (place.extension() == ".jsonl")
    return read_run(place);
  auto text = read_text(input, "a timeline of endpoints, or a scenario");
  if (const auto* code = std::get_if<int>(&text))
    return *code;
  const auto& content = std::get<std::string>(text);
  if (place.extension() == ".csv")
    return take(parse_endpoint_timeline(content, input, true));
  if (is_endpoint_timeline(content))
    return take(parse_endpoint_timeline(content, input, false));
  return run_scenario(input);
}

int test_policies(const policy_test_options& options) {
  const auto policies = read_text(options.policy, "a file of policies");
  if (const auto* code = std::get_if<int>(&policies))
    return *code;
  const auto test = take(parse_policy_test(std::get<std::string>(policies), options.policy));
  if (const auto* code = std::get_if<int>(&test))
    return *code;
  const auto timeline = read_timeline(options.input);
  if (const auto* code = std::get_if<int>(&timeline))
    return *code;
  const auto& what = std::get<endpoint_timeline>(timeline);
  const auto& how = std::get<policy_test>(test);
  if (what.lasts <= what.warm_up)
    return explain({{options.input, 0, 0,
                     "ends at " + to_string(what.lasts) + ", within the warm-up ("
                       + to_string(what.warm_up) + "): there is nothing to judge"}});
  if (const auto unknown = unknown_sources(how, what, options.policy); !unknown.empty())
    return explain(unknown);
  const auto outcomes = try_policies(what, how);
  fmt::print("{}", options.json ? policy_test_json(what, how, outcomes)
                                : policy_test_text(what, how, outcomes));
  const auto met =
    std::all_of(outcomes.begin(), outcomes.end(), [](const policy_outcome& x) { return x.met(); });
  return met ? all_met : expectation_failed;
}

} // namespace

void add_policy_test(CLI::App& program, command& chosen) {
  auto options = std::make_shared<policy_test_options>();
  auto* sub = program.add_subcommand(
    "policy-test",
    "Dry run of health policies: what would each have done over states that endpoints had?");
  sub
    ->add_option("INPUT", options->input,
                 "Folder or events.jsonl of a run, a timeline (YAML or CSV), or a scenario, which "
                 "is run first")
    ->required();
  sub->add_option("--policy", options->policy, "The policies to compare (YAML)")->required();
  sub->add_flag("--json", options->json, "Print JSON instead of text");
  sub->footer("docs/policy-test.md has the keys of both files. Exit code 1: a limit under a "
              "policy's expect does not hold.\n");
  sub->final_callback(
    [options, &chosen] { chosen = [options] { return test_policies(*options); }; });
}

} // namespace spillover::app
