#include "sweeps/stored_search.hpp"

#include <utility>

namespace spillover {

stored_search::stored_search(search_question asked)
  : asked_{std::move(asked)}, search_{asked_.plan()} {
  for (std::size_t i = 0; i < asked_.seeds.size(); ++i)
    place_of_seed_.emplace(asked_.seeds[i], i);
}

void stored_search::take_all(const sweep_store& store) {
  for (std::uint32_t i = 0; i < asked_.settings.size(); ++i) {
    for (const auto& x : store.runs_of(i)) {
      if (x.end != run_end::failed)
        take(x);
    }
  }
}

void stored_search::take(const run_outcome& x) {
  const auto seed = place_of_seed_.find(x.key.seed);
  if (seed == place_of_seed_.end())
    return;
  failures_ += x.end == run_end::failed ? 1 : 0;
  search_.take({x.key.setting, seed->second}, facts_of(asked_.conditions, *asked_.minimised, x));
}

std::vector<run_key> stored_search::next() const {
  std::vector<run_key> result;
  for (const auto& x : search_.next())
    result.push_back({static_cast<std::uint32_t>(x.setting), asked_.seeds[x.seed]});
  return result;
}

} // namespace spillover
