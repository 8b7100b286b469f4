#pragma once

#include "model/random.hpp"
#include "scenario/scenario.hpp"

namespace spillover::test {

// A valid scenario that uses every alternative now and then.
scenario random_scenario(std::uint64_t seed);

} // namespace spillover::test
