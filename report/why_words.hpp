#pragma once

#include "report/event_log.hpp"

#include <string>
#include <vector>

namespace spillover {

/// An event as people say it.
struct event_words {
  /// E.g. "us-west1/checkout/web wants 8 instances, 6 before".
  std::string sentence;
  /// The numbers that went into it, in lines; may be empty.
  std::vector<std::string> numbers;
};

/// @returns the event in words; one of a kind that has none of its own with its fields as they are.
event_words words_of(const event& x);

} // namespace spillover
