#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// @param states of a `routing_changed`
/// @returns for each region that has a load and a capacity why it gets the share that it gets (B-50..B-57), e.g.
///          "us-east1: 10 of 10 endpoints healthy, load 100 of a capacity of 100, 71 % of the requests"; empty
///          when the load balancer does not distribute by capacity.
std::vector<std::string> words_of_capacity(std::string_view states);

} // namespace spillover
