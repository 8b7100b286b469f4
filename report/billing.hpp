#pragma once

#include "report/anatomy.hpp"
#include "report/event_index.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// @returns part / whole x `x`, rounded down.
/// @param whole above 0; whole x part and whole x whole within 64 bits
std::uint64_t share_of(std::uint64_t x, std::uint64_t part, std::uint64_t whole);

/// What a bill says under its own way of billing, in thousandths of (vCPU) seconds.
struct billed_time {
  std::uint64_t instances_milli = 0;
  vcpu_cost cost;

  billed_time& operator+=(const billed_time& x) noexcept;
};

/// @returns what is charged of all that the event says.
billed_time charged(const bill_closed& x);

/// What the revisions of one region cost.
struct region_bill {
  std::string region;
  billed_time billed;
};

/// What part of a service's bill is put down to one consumer, by its share of the tries that came. No
/// bill says so: instances serve everybody.
struct consumer_bill {
  std::string_view consumer;
  /// In its region, e.g. "us-east1/checkout".
  std::string_view service;
  std::uint64_t tries = 0;
  std::uint64_t of_tries = 0;
  vcpu_cost cost;
};

/// @returns what each region cost, in the order of the first bill of each.
std::vector<region_bill> bills_by_region(const event_index& index);

/// @returns an allocation of every service's bill to the consumers that used it, in the order of the
///          books; the parts of a bill add up to it.
std::vector<consumer_bill> bills_by_consumer(const event_index& index);

/// @returns what the service's backends in all regions cost because of the failover; for one without a
///          service all backends.
failover_cost cost_of(const event_index& index, const failover_anatomy& x);

} // namespace spillover
