#pragma once

#include "consumers/push_subscription.hpp"
#include "report/expectation.hpp"
#include "tests/scenario/random_source.hpp"

#include <string>

namespace spillover::test {

push_subscription_config any_subscription(random_source& draw, const open_loop_config& publish);

/// @param to the end of the run
expectation any_backlog(random_source& draw, const std::string& consumer, instant from, instant to);

} // namespace spillover::test
