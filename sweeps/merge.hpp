#pragma once

#include "sweeps/store.hpp"

#include <cstdint>
#include <filesystem>
#include <span>

namespace spillover {

/// What a merge did.
struct merge_result {
  std::uint64_t added = 0;
  /// Runs that were there already, and came out the same.
  std::uint64_t known = 0;
};

/// Joins the runs of several files of one sweep, all of them or none.
///
/// A run that several have must have come out the same in each. One whose process was lost has no
/// outcome, and gives way to one that has.
/// @param out is made, or gone on with
/// @throws store_error when the files are not one sweep's, a run differs, or a file cannot be used; what
///         differs is named
merge_result merge_sweeps(const std::filesystem::path& out,
                          std::span<const std::filesystem::path> in);

} // namespace spillover
