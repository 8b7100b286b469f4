#include "app/commands.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>

namespace {

constexpr const char* about =
  "Emulates multi-region failover: how long until consumers are served from another region, and "
  "does its autoscaler absorb them in time?\n";

constexpr const char* footer =
  "\nExit codes: 0 all expectations met, 1 an expectation failed, 2 bad input, 3 the run itself "
  "failed.\n";

} // namespace

int main(int argc, char** argv) {
  using namespace spillover::app;
  CLI::App program{about, "spillover"};
  program.footer(footer);
  program.set_version_flag("--version", SPILLOVER_VERSION);
  program.require_subcommand(1);
  command chosen;
  add_run(program, chosen);
  add_check(program, chosen);
  try {
    program.parse(argc, argv);
    return chosen();
  } catch (const CLI::ParseError& x) {
    // CLI11 has exit codes of its own above 100; help and version come here as well, with 0.
    return program.exit(x) == 0 ? all_met : bad_input;
  } catch (const std::exception& x) {
    std::fprintf(stderr, "spillover: %s\n", x.what());
    return run_failed;
  }
}
