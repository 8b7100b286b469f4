#include "app/commands.hpp"
#include "app/scenario_argument.hpp"
#include "net/keys.hpp"
#include "scenario/plan.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace spillover::app {

namespace {

struct keys_options {
  std::string folder;
  std::string file;
  std::vector<std::string> sites;
};

int make(const keys_options& options) {
  auto sites = options.sites;
  if (sites.empty()) {
    const auto argument = load_or_explain(options.file);
    if (!argument)
      return bad_input;
    sites = plan_sites(argument->value);
  }
  if (const auto problem = net::make_keys(options.folder, sites)) {
    fmt::print(stderr, "spillover: {}\n", *problem);
    return bad_input;
  }
  fmt::print("{}: keys for {} sites. Each site needs its own .key file and the file authorised;\n"
             "give no site the .key file of another.\n",
             options.folder, sites.size());
  return all_met;
}

} // namespace

void add_keys(CLI::App& program, command& chosen) {
  auto options = std::make_shared<keys_options>();
  auto* sub = program.add_subcommand(
    "keys", "Make the keys by which the sites of a deployment know each other");
  sub->add_option("DIR", options->folder,
                  "Folder to make, mode 0700; nothing in it is overwritten (needed)");
  auto* file =
    sub->add_option("SCENARIO", options->file, "Scenario file (YAML), whose sites get keys");
  auto* sites =
    sub->add_option("--sites", options->sites, "Names of the sites, instead of a scenario")
      ->delimiter(',');
  sites->excludes(file);
  sub->final_callback([options, &chosen] {
    if (options->folder.empty())
      throw CLI::ValidationError{"DIR", "is needed: the folder to make the keys in, e.g. keys"};
    if (options->file.empty() && options->sites.empty())
      throw CLI::ValidationError{"SCENARIO", "is needed, or --sites"};
    chosen = [options] { return make(*options); };
  });
}

} // namespace spillover::app
