#pragma once

#include "model/time.hpp"

#include <functional>

namespace spillover {

/// What a world that lives by the machine's clock does between two instants, on its own thread.
struct pacer_hooks {
  /// Takes what others left for this site. Called after each `wake`, and now and then without; the lane then
  /// stands at this moment, or, as long as there is more to do than can be done in time, at what was due
  /// last.
  std::function<void()> take_in = {};

  /// Passes on what the site has for others: everything due by now, and what was taken in, has been done.
  std::function<void()> give_out = {};

  /// Waits in the pacer's place, at most for so long in real time, and meanwhile does what else needs a
  /// thread: while a site has little to do, its messages then change threads half as often. Returns early
  /// when the file is readable, or something is there to take in. Empty: the pacer waits by itself.
  /// @returns whether the file was readable, or a signal came
  std::function<bool(duration, int)> wait = {};

  /// The pacer goes on without `wait` for a while. Called only after `wait`; given if that is.
  std::function<void()> leave = {};
};

} // namespace spillover
