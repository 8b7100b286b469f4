#pragma once

#include "consumers/client.hpp"
#include "report/expectation.hpp"
#include "tests/scenario/random_source.hpp"

#include <string>

namespace spillover::test {

load_config any_load(random_source& draw);

/// @param to the end of the run
expectation any_backlog(random_source& draw, const std::string& consumer, instant from, instant to);

} // namespace spillover::test
