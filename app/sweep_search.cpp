#include "app/sweep_search.hpp"

#include "app/commands.hpp"
#include "sweeps/store.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <utility>

namespace spillover::app {

namespace {

/// @returns a check that a share lies between 0 and 1, neither included.
std::string check_open_share(const std::string& text) {
  double x = 0;
  return CLI::detail::lexical_cast(text, x) && x > 0 && x < 1
           ? std::string{}
           : "must be above 0 and below 1, e.g. 0.95";
}

} // namespace

void add_search_options(CLI::App& sweep, search_options& options) {
  auto* find =
    sweep
      .add_option(
        "--find", options.find,
        "Search for the cheapest setting that meets these conditions, with as few runs as make it "
        "sure, e.g. \"p99(failover)<15s and errors<0.5%\"")
      ->check([](const std::string& text) {
        return text.empty() ? std::string{"must say what to find"} : std::string{};
      });
  sweep
    .add_option("--minimise", options.minimise,
                "What is least in the setting that is searched for; its mean counts")
    ->needs(find)
    ->check([](const std::string& name) {
      return find_quantity(name) != nullptr
               ? std::string{}
               : "there is no '" + name + "'; choose " + quantity_names();
    })
    ->capture_default_str();
  sweep
    .add_option(
      "--share", options.share,
      "In which share of runs a condition must hold that does not say it, between 0 and 1")
    ->needs(find)
    ->check(check_open_share)
    ->capture_default_str();
  sweep
    .add_option(
      "--confidence", options.confidence,
      "How sure the search must be that the setting meets the conditions, between 0 and 1")
    ->needs(find)
    ->check(check_open_share)
    ->capture_default_str();
}

std::variant<search_question, std::string> question_of(const search_options& options,
                                                       std::vector<setting> settings,
                                                       std::vector<std::uint64_t> seeds) {
  auto conditions = parse_conditions(options.find, options.share);
  if (auto* wrong = std::get_if<std::string>(&conditions))
    return "--find: " + *wrong;
  search_question result;
  result.conditions = std::get<std::vector<condition>>(std::move(conditions));
  result.minimised = find_quantity(options.minimise);
  result.confidence = options.confidence;
  result.settings = std::move(settings);
  result.seeds = std::move(seeds);
  return result;
}

void print_answer(const stored_search& search, const std::string& file, bool json) {
  const auto answer = search.answer();
  const sweep_source source{file, sweep_store{file, sweep_store::mode::read}.has_traces()};
  fmt::print("{}", json ? to_json(search.asked(), answer, source)
                        : to_text(search.asked(), answer, source));
}

int exit_code_of(const stored_search& search) {
  if (search.has_failures())
    return run_failed;
  return is_found(search.asked(), search.answer()) ? all_met : expectation_failed;
}

} // namespace spillover::app
