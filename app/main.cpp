#include "app/commands.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

namespace {

constexpr const char* about =
  "Emulates multi-region failover: how long until consumers are served from another region, and "
  "does its autoscaler absorb them in time?\n";

constexpr const char* footer =
  "\nExit codes: 0 all expectations met, 1 an expectation failed, 2 bad input, 3 the run itself "
  "failed.\n";

bool knows(const CLI::App& program, const std::string& subcommand) {
  const auto all = program.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(all.begin(), all.end(),
                     [&](const CLI::App* x) { return x->get_name() == subcommand; });
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
  add_check(program, chosen);
  add_why(program, chosen);
  add_keys(program, chosen);
  try {
    if (argc > 1 && argv[1][0] != '-' && !knows(program, argv[1])) {
      std::fprintf(stderr, "spillover: there is no '%s'; choose run, check, why or keys\n", argv[1]);
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
