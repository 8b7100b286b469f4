#include "sweeps/outcome_line.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

namespace {

using json = nlohmann::json;

json number_or_null(const std::optional<std::int64_t>& x) {
  return x ? json(*x) : json(nullptr);
}

std::optional<std::int64_t> number_of(const json& x) {
  return x.is_null() ? std::nullopt : std::optional{x.get<std::int64_t>()};
}

} // namespace

std::string to_line(const run_outcome& x) {
  auto values = json::array();
  for (const auto& y : x.values)
    values.push_back(number_or_null(y));
  auto expectations = json::array();
  for (const auto& y : x.expectations)
    expectations.push_back({y.met, number_or_null(y.value)});
  const json all{x.key.setting, x.key.seed,        static_cast<int>(x.end),
                 x.trouble,     std::move(values), std::move(expectations),
                 x.took.count()};
  return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<run_outcome> parse_outcome(std::string_view line) {
  try {
    const auto all = json::parse(line);
    run_outcome result;
    result.key = {all.at(0).get<std::uint32_t>(), all.at(1).get<std::uint64_t>()};
    const auto end = all.at(2).get<int>();
    if (end < 0 || end > static_cast<int>(run_end::failed))
      return std::nullopt;
    result.end = static_cast<run_end>(end);
    result.trouble = all.at(3).get<std::string>();
    if (all.at(4).size() != measure_count)
      return std::nullopt;
    for (std::size_t i = 0; i < measure_count; ++i)
      result.values[i] = number_of(all.at(4).at(i));
    for (const auto& x : all.at(5))
      result.expectations.push_back({x.at(0).get<bool>(), number_of(x.at(1))});
    result.took = std::chrono::nanoseconds{all.at(6).get<std::int64_t>()};
    return result;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

} // namespace spillover
