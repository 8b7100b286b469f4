#pragma once

#include "scenario/scenario.hpp"
#include "sites/director.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace spillover::app {

/// What users say about a run that a director of a deployment gathers, and about its files.
struct directed_options {
  std::string out;
  bool quiet = false;
  bool progress = true;
  bool json = false;
  bool report = true;
  std::string log_level = "warn";
  bool log_json = false;
};

/// Lets a director do its work, shows how the run goes, writes its files and prints the verdict.
/// @param x the scenario, with the seed that counts
/// @param prepare gets the director once it listens, before it looks for the sites
/// @returns the program's exit code
int run_director(const scenario& x, const std::vector<std::string>& lints,
                 const directed_options& options, const director::options& with,
                 const std::function<void(director&)>& prepare);

/// @returns a line for stderr from the process of a site.
std::string site_line(std::string_view site, std::string_view text);

} // namespace spillover::app
