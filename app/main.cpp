#include "app/commands.hpp"
#include "app/sweep_command.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

constexpr const char* about =
  "Emulates multi-region failover: how long until consumers are served from another region, and "
  "does its autoscaler absorb them in time?\n";

constexpr const char* footer =
  "\nExit codes: 0 all expectations met, 1 an expectation failed, 2 bad input, 3 the run itself "
  "failed.\n";

std::vector<std::string> subcommands_of(const CLI::App& program) {
  std::vector<std::string> result;
  for (const auto* x : program.get_subcommands([](const CLI::App*) { return true; }))
    result.push_back(x->get_name());
  return result;
}

/// @returns e.g. "run, check or why".
std::string choice_of(const std::vector<std::string>& x) {
  std::string result;
  for (std::size_t i = 0; i < x.size(); ++i)
    result.append(i == 0 ? "" : i + 1 == x.size() ? " or " : ", ").append(x[i]);
  return result;
}

} // namespace

int main(int argc, char** argv) {
  using namespace spillover::app;
  CLI::App program{about, "spillover"};
  program.footer(footer);
  program.set_version_flag("--version", SPILLOVER_VERSION);
  program.require_subcommand(1);
  command chosen;
  add_run(program, chosen);
  add_up(program, chosen);
  add_site(program, chosen);
  add_fault(program, chosen);
  add_watch(program, chosen);
  add_stop(program, chosen);
  add_check(program, chosen);
  add_why(program, chosen);
  add_status(program, chosen);
  add_policy_test(program, chosen);
  add_sweep(program, chosen);
  add_report(program, chosen);
  add_keys(program, chosen);
  try {
    const auto known = subcommands_of(program);
    if (argc > 1 && argv[1][0] != '-'
        && std::find(known.begin(), known.end(), argv[1]) == known.end()) {
      std::fprintf(stderr, "spillover: there is no '%s'; choose %s\n", argv[1],
                   choice_of(known).c_str());
      return bad_input;
    }
    program.parse(argc, argv);
    const auto code = chosen();
    // A verdict that could not be written was not given.
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      std::fprintf(stderr, "spillover: cannot write to standard output\n");
      return run_failed;
    }
    return code;
  } catch (const CLI::ParseError& x) {
    // CLI11 has exit codes of its own above 100; help and version come here as well, with 0.
    return program.exit(x) == 0 ? all_met : bad_input;
  } catch (const std::exception& x) {
    std::fprintf(stderr, "spillover: %s\n", x.what());
    return run_failed;
  }
}
