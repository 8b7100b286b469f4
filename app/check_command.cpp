#include "app/commands.hpp"
#include "app/scenario_argument.hpp"
#include "scenario/plan.hpp"

#include <fmt/core.h>

#include <memory>
#include <string>

namespace spillover::app {

namespace {

struct check_options {
  std::string file;
  bool actors = false;
};

int check(const check_options& options) {
  const auto x = load_or_explain(options.file);
  if (!x)
    return bad_input;
  for (const auto& note : notes(*x))
    fmt::print(stderr, "note: {}\n", note);
  const auto actors = plan_actors(*x);
  if (options.actors) {
    for (const auto& actor : actors)
      fmt::print("{:<24} {:<20} {}\n", to_string(actor.kind), actor.site, actor.path);
    return all_met;
  }
  fmt::print("# {}: valid. The world it describes, with every default filled in;\n"
             "# {} sites and {} actors at the start (--actors lists them).\n{}",
             options.file, plan_sites(*x).size(), actors.size(), to_yaml(*x));
  return all_met;
}

} // namespace

void add_check(CLI::App& program, command& chosen) {
  auto options = std::make_shared<check_options>();
  auto* sub = program.add_subcommand(
    "check", "Validate a scenario and print the world it describes, every default made visible");
  sub->add_option("SCENARIO", options->file, "Scenario file (YAML)")->required();
  sub->add_flag("--actors", options->actors, "List every actor that the world starts with instead");
  sub->final_callback([options, &chosen] { chosen = [options] { return check(*options); }; });
}

} // namespace spillover::app
