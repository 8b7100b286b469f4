#pragma once

#include "app/commands.hpp"

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace spillover::app {

/// Which deployment an operator means.
struct control_target {
  /// HOST:PORT with the director's first port; empty: the one that `up` runs on this machine.
  std::string director;
  /// Folder with the operator's key.
  std::string keys;
  bool insecure = false;
  /// Exit code after `ask_or_explain` returned nothing.
  mutable int failed = bad_input;
};

/// Adds `--director`, `--keys` and `--insecure`.
void add_target_options(CLI::App& sub, control_target& x);

/// @returns the target with the deployment of this machine filled in where none was named, or nothing when
///          that was explained
std::optional<control_target> resolve_or_explain(const control_target& x);

/// Asks the director, or says on stderr why there is no answer.
/// @returns its answer; nothing when there is none: `to.failed` then is 2 when it refused or nobody could be
///          asked, 3 when it did not answer
std::optional<std::string> ask_or_explain(const control_target& to, const std::string& kind,
                                          const std::string& body);

} // namespace spillover::app
