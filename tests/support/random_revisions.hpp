#pragma once

#include "scenario/scenario.hpp"

#include <cstdint>

namespace spillover::test {

/// Gives about half of a world's backend services three revisions, some with a split and a tag, and lets
/// an operator deploy, split, roll back and scale them at random.
void add_revisions(scenario& x, std::uint64_t seed);

} // namespace spillover::test
