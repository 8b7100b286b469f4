#include "app/commands.hpp"
#include "app/scenario_argument.hpp"
#include "net/keys.hpp"
#include "scenario/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace spillover::app {

namespace {

struct keys_options {
  std::string folder;
  std::string file;
  std::vector<std::string> sites;
  bool if_missing = false;
};

/// Whether the folder holds keys for each of the sites, or why they cannot be used.
/// @returns nothing when there are none at all
std::optional<exit_code> look(const std::string& folder, const std::vector<std::string>& sites) {
  if (!std::filesystem::exists(std::filesystem::symlink_status(folder + "/authorised")))
    return std::nullopt;
  for (const auto& site : sites) {
    const auto found = net::read_keys(folder, site);
    if (const auto* problem = std::get_if<std::string>(&found)) {
      fmt::print(stderr, "spillover: {}\n", *problem);
      return bad_input;
    }
  }
  fmt::print("{}: has keys for all {} sites and the operator\n", folder, sites.size() - 1);
  return all_met;
}

exit_code make(const keys_options& options) {
  auto sites = options.sites;
  if (sites.empty()) {
    const auto argument = load_or_explain(options.file);
    if (!argument)
      return bad_input;
    sites = plan_sites(argument->value);
  }
  if (std::find(sites.begin(), sites.end(), net::operator_name) != sites.end()) {
    fmt::print(stderr, "spillover: no site may be named '{}': that is who asks the director\n",
               net::operator_name);
    return bad_input;
  }
  sites.emplace_back(net::operator_name);
  if (options.if_missing)
    if (const auto found = look(options.folder, sites))
      return *found;
  if (const auto problem = net::make_keys(options.folder, sites)) {
    fmt::print(stderr, "spillover: {}\n", *problem);
    return bad_input;
  }
  fmt::print(
    "{}: keys for {} sites and the operator. Each site needs its own .key file and the file\n"
    "authorised; give no site the .key file of another. Whoever steers the deployment needs\n"
    "{}.key and authorised.\n",
    options.folder, sites.size() - 1, net::operator_name);
  return all_met;
}

} // namespace

void add_keys(CLI::App& program, command& chosen) {
  auto options = std::make_shared<keys_options>();
  auto* sub = program.add_subcommand(
    "keys", "Make the keys by which the sites of a deployment know each other");
  sub->add_option("DIR", options->folder,
                  "Folder to make, mode 0700; nothing in it is overwritten (needed)");
  auto* file = sub->add_option("SCENARIO,--scenario", options->file,
                               "Scenario file (YAML), whose sites get keys, and the operator");
  auto* sites =
    sub->add_option("--sites", options->sites, "Names of the sites, instead of a scenario")
      ->delimiter(',');
  sites->excludes(file);
  sub->add_flag("--if-missing", options->if_missing,
                "Change nothing where the folder holds keys for all of these sites already");
  sub->final_callback([options, &chosen] {
    if (options->folder.empty())
      throw CLI::ValidationError{"DIR", "is needed: the folder to make the keys in, e.g. keys"};
    if (options->file.empty() && options->sites.empty())
      throw CLI::ValidationError{"SCENARIO", "is needed, or --sites"};
    chosen = [options] { return make(*options); };
  });
}

} // namespace spillover::app
