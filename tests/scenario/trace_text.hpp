#pragma once

#include "scenario/trace_file.hpp"

#include <sstream>
#include <string>

namespace spillover::test {

/// What reading a text gave: the traffic in words, or the problems, a line each.
struct read_text {
  trace_reading reading;
  std::string result;
};

inline read_text read_trace_text(const std::string& text, const trace_source& how = {}) {
  problem_list problems{"s.yaml"};
  std::istringstream in{text};
  read_text result{parse_trace(in, how, problems.add_file("t"), problems), ""};
  auto& words = result.result;
  for (const auto& x : problems.take())
    words += (words.empty() ? "" : "\n") + to_string(x);
  if (!result.reading.traffic)
    return result;
  const auto& traffic = *result.reading.traffic;
  if (traffic.has_arrivals()) {
    words = "at";
    arrival_times::reader all{traffic.arrivals()};
    for (auto x = all.next(); x; x = all.next())
      words += " " + to_string(*x);
  } else {
    words = "each " + to_string(traffic.bucket());
    for (const auto x : traffic.counts()) {
      std::ostringstream number;
      number << x;
      words += " " + number.str();
    }
  }
  return result;
}

} // namespace spillover::test
