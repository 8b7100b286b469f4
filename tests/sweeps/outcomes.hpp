#pragma once

#include "sweeps/store.hpp"

namespace spillover::test {

/// @returns an outcome all of whose numbers follow from its key, some of them missing.
inline run_outcome some_outcome(run_key key) {
  run_outcome result;
  result.key = key;
  result.end = key.seed % 2 == 0 ? run_end::met : run_end::missed;
  for (std::size_t i = 0; i < measure_count; ++i)
    if (i % 5 != key.seed % 5)
      result.values[i] = static_cast<std::int64_t>(key.setting * 1'000 + key.seed * 100 + i);
  result.values[measure_count - 1] = 1;
  result.expectations = {{key.seed % 2 == 0, 17}, {true, std::nullopt}};
  result.took = std::chrono::milliseconds{5};
  return result;
}

/// @returns a sweep of two settings.
inline sweep_identity some_sweep() {
  return {"spillover 1", "shop", "name: shop\nduration: 1m\n", {{{"a.b", "1"}}, {{"a.b", "2"}}}};
}

inline std::vector<stored_expectation> some_expectations() {
  return {{0, 0, "fast", "failover from us-east1 within 20s", "ns", std::nullopt, 20},
          {0, 1, "", "errors", "ppm", 1, std::nullopt}};
}

/// @returns what a function throws as a store_error, or "" when it does not.
template <class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const store_error& x) {
    return x.what();
  }
  return {};
}

} // namespace spillover::test
