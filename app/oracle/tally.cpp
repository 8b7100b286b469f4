#include "app/oracle/tally.hpp"

#include <algorithm>
#include <cmath>

namespace spillover::oracle {

namespace {

constexpr std::size_t most_examples = 20;

bool same(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.is_number_float() || b.is_number_float())
    return a.is_number() && b.is_number() && a.get<double>() == b.get<double>()
           && std::signbit(a.get<double>()) == std::signbit(b.get<double>());
  return a == b;
}

} // namespace

void tally::begin(const std::string& kind, const std::string& file) {
  kind_ = kind;
  file_ = file;
}

void tally::add(std::size_t line, const std::vector<finding>& differences) {
  auto& count = kinds_[kind_];
  ++count.compared;
  if (differences.empty())
    return;
  ++count.mismatches;
  for (const auto& x : differences)
    if (examples_.size() < most_examples)
      examples_.push_back(file_ + ":" + std::to_string(line) + ": " + x.field + ": expected "
                          + x.expected.dump() + ", got " + x.got.dump());
}

tally::counts tally::total() const noexcept {
  counts result;
  for (const auto& [kind, x] : kinds_) {
    result.compared += x.compared;
    result.mismatches += x.mismatches;
  }
  return result;
}

void comparison::exact(const std::string& field, const nlohmann::json& got) {
  const auto& expected = line_.at(field);
  if (!same(expected, got))
    differences_.push_back({field, expected, got});
}

void comparison::close(const std::string& field, double got) {
  const auto expected = line_.at(field).get<double>();
  const auto most = 1e-11 * std::max(std::abs(expected), std::abs(got));
  if (!(std::abs(expected - got) <= most))
    differences_.push_back({field, line_.at(field), got});
}

} // namespace spillover::oracle
