#pragma once

#include "sweeps/search_text.hpp"
#include "sweeps/store.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace spillover {

/// A search over the runs of a sweep, by their keys.
class stored_search {
public:
  /// @param asked with at least one condition, setting and seed; every seed once
  explicit stored_search(search_question asked);

  /// Takes what is there already, but for runs that failed: they are tried again.
  void take_all(const sweep_store& store);

  /// Takes a run in. One with a seed that the search does not use is left out.
  void take(const run_outcome& x);

  /// @returns the runs to do next, all of which may go on at once; none: the search is over.
  [[nodiscard]] std::vector<run_key> next() const;

  [[nodiscard]] const search_question& asked() const noexcept { return asked_; }
  [[nodiscard]] search_answer answer() const { return search_.answer(); }

  /// @returns whether a run failed, so that the answer stands on something that is no result.
  [[nodiscard]] bool has_failures() const noexcept { return failures_ > 0; }

private:
  search_question asked_;
  halving_search search_;
  std::map<std::uint64_t, std::size_t> place_of_seed_;
  std::size_t failures_ = 0;
};

} // namespace spillover
