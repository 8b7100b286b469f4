#pragma once

#include "lb/load_balancer_config.hpp"

#include <cstdint>

namespace spillover::bench {

/// Lets a router of a load balancer choose a region again and again, in a world where the closest regions are
/// partly ill; by capacity every region gets load.
/// @param picks at least 1
/// @returns the nanoseconds of wall time for one
double route_often(load_balancer_config config, std::uint32_t regions, std::uint32_t picks);

} // namespace spillover::bench
