#include "app/commands.hpp"
#include "app/scenario_argument.hpp"
#include "scenario/plan.hpp"
#include "scenario/write_trace.hpp"

#include <fmt/core.h>

#include <memory>
#include <string>

namespace spillover::app {

namespace {

struct check_options {
  std::string file;
  bool actors = false;
  bool strict = false;
};

int check(const check_options& options) {
  const auto argument = load_or_explain(options.file);
  if (!argument)
    return bad_input;
  print_remarks(argument->notes);
  print_remarks(argument->lints);
  const auto code = options.strict && !argument->lints.empty() ? lint_found : all_met;
  const auto* x = &argument->value;
  const auto actors = plan_actors(*x);
  if (options.actors) {
    for (const auto& actor : actors)
      fmt::print("{:<24} {:<20} {}\n", to_string(actor.kind), actor.site, actor.path);
    return code;
  }
  fmt::print("# {}: valid. The world it describes, with every default filled in;\n"
             "# {} sites and {} actors at the start (--actors lists them).\n",
             options.file, plan_sites(*x).size(), actors.size());
  for (const auto& consumer : x->consumers)
    for (const auto& load : consumer.traffic)
      if (const auto* trace = std::get_if<trace_config>(&load))
        for (const auto& line : describe(*trace, x->lasts))
          fmt::print("# {}: {}\n", consumer.name, line);
  fmt::print("{}", to_yaml(*x));
  return code;
}

} // namespace

void add_check(CLI::App& program, command& chosen) {
  auto options = std::make_shared<check_options>();
  auto* sub = program.add_subcommand(
    "check",
    "Validate a scenario, remark on it, and print the world it describes, every default made visible");
  sub->add_option("SCENARIO", options->file, "Scenario file (YAML)")->required();
  sub->add_flag("--actors", options->actors, "List every actor that the world starts with instead");
  sub->add_flag("--strict", options->strict,
                "Exit with 1 when there is a lint (a note is none); docs/lints.md explains each");
  sub->final_callback([options, &chosen] { chosen = [options] { return check(*options); }; });
}

} // namespace spillover::app
