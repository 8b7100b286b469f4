#include "app/commands.hpp"
#include "app/recorded_run.hpp"
#include "app/why_requests.hpp"
#include "report/format.hpp"
#include "report/why.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace spillover::app {

namespace {

struct why_options {
  std::string run;
  std::vector<std::string> words; // of the question
  bool json = false;
  bool requests = false;
  std::string consumer;
  std::optional<std::uint64_t> number;
  std::optional<std::uint32_t> slowest;
  std::optional<std::uint32_t> failed;
};

int explain_query(const event_index& index, const why_options& options) {
  std::string text;
  for (const auto& word : options.words)
    text += word + " ";
  std::string problem;
  const auto query = parse_why_query(text, problem);
  if (!query) {
    fmt::print(stderr, "spillover: {}\n", problem);
    return bad_input;
  }
  const auto found = find_events(index, *query);
  if (found.best == nullptr) {
    fmt::print(stderr, "spillover: {}\n", suggest(index, *query));
    return bad_input;
  }
  fmt::print("{}", options.json ? to_json(index, found) : to_text(index, found));
  return all_met;
}

int explain_whole(const recorded_run& run, const event_index& index, bool json) {
  const auto result = judge(run.log, run.spec.expectations, run.spec.recovery);
  const auto parts = explain_verdict(index, result);
  if (json) {
    fmt::print("{}", to_json(index, parts));
    return all_met;
  }
  if (!run.complete())
    fmt::print("the run broke off; its log ends at {}\n\n", instant_text(index.run_end()));
  if (parts.empty())
    fmt::print(
      "every expectation is met, and no fault took a region away; ask about an event, e.g. "
      "\"director failed\"\n");
  fmt::print("{}", to_text(index, parts));
  return all_met;
}

int why(const why_options& options) {
  const auto run = read_run_or_explain(options.run);
  if (!run)
    return bad_input;
  if (options.requests && !options.words.empty()) {
    fmt::print(stderr,
               "spillover: a question is about events, --requests about requests: ask them one by "
               "one, and choose requests by --consumer, --id, --failed or --slowest\n");
    return bad_input;
  }
  if (options.requests) {
    request_choice choice{options.consumer, options.number, options.failed, options.slowest,
                          options.json};
    // Without a choice: the first that failed, and the slowest.
    if (!choice.number && !choice.failed && !choice.slowest)
      choice.failed = choice.slowest = 1;
    return explain_requests(*run, choice);
  }
  const event_index index{run->log};
  return options.words.empty() ? explain_whole(*run, index, options.json)
                               : explain_query(index, options);
}

std::string verbs_text() {
  std::string result = "A question is an event's id, such as us-east1#42, or ENTITY [VERB] [at "
                       "TIME], such as: us-west1 scaled at 5m20s. Verbs:\n";
  for (const auto& x : why_verbs())
    result += fmt::format("  {:<14} {}\n", x.name, x.meaning);
  return result;
}

} // namespace

void add_why(CLI::App& program, command& chosen) {
  auto options = std::make_shared<why_options>();
  auto* sub = program.add_subcommand(
    "why", "Explain what happened in a run: from an effect to the fault that caused it");
  sub->add_option("RUN", options->run, "Folder of a run, e.g. runs/us-east1-brownout-1")
    ->required();
  sub->add_option("QUESTION", options->words,
                  "What to explain; without it each expectation that failed, or each failover");
  sub->add_flag("--json", options->json, "Print JSON instead of text");
  auto* requests = sub->add_flag("--requests", options->requests,
                                 "Explain single requests hop by hop, by running the run again");
  sub->add_option("--consumer", options->consumer, "Requests of this consumer only")
    ->needs(requests);
  auto* id = sub->add_option("--id", options->number, "The request with this number, from 1 up")
               ->needs(requests)
               ->check(CLI::PositiveNumber);
  auto* slowest = sub->add_option("--slowest", options->slowest, "So many of the slowest requests")
                    ->needs(requests)
                    ->check(CLI::Range(1, 1000));
  sub->add_option("--failed", options->failed, "So many of the first that failed; default 10")
    ->expected(0, 1)
    ->default_str("10")
    ->needs(requests)
    ->check(CLI::Range(1, 10'000))
    ->excludes(id)
    ->excludes(slowest);
  id->excludes(slowest);
  sub->footer(verbs_text());
  sub->final_callback([options, &chosen] { chosen = [options] { return why(*options); }; });
}

} // namespace spillover::app
