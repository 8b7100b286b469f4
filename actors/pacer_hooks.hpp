#pragma once

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
};

} // namespace spillover
