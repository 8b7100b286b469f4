#include "scenario/read.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

// Reads a region that must exist.
std::string read_region(const section& from, std::string_view key, const scenario_draft& draft) {
  std::string region;
  from.read(key, region);
  if (from.has(key) && draft.regions_known && !contains(draft.result.regions, region))
    from.fail(key, "unknown region \"" + region + "\""
                     + suggestion(region, draft.result.regions, "known"));
  return region;
}

expect_errors read_errors(const section& from, const section& root, const scenario_draft& draft) {
  expect_errors result;
  from.read("from", result.from);
  from.read("to", result.to);
  from.read("at_most", result.at_most);
  if (!from.has("from") || !from.has("to"))
    return result;
  const auto end = draft.result.lasts;
  const auto to = result.to.time_since_epoch();
  if (result.from >= result.to)
    from.fail("to", "must be after from (" + to_string(result.from.time_since_epoch()) + "); got "
                      + to_string(to));
  else if (root.has("duration") && to > end)
    from.fail("to", "must be within the run (" + to_string(end) + "); got " + to_string(to));
  else if (root.fine({"warm_up"}) && draft.result.warm_up < end && to <= draft.result.warm_up)
    from.fail("to", "must be after the warm-up (" + to_string(draft.result.warm_up) + "); got "
                      + to_string(to));
  return result;
}

expect_transitions read_transitions(const section& from, const scenario_draft& draft) {
  expect_transitions result;
  from.read("of", result.of);
  from.read("at_most", result.at_most);
  if (!from.has("of") || !draft.regions_known)
    return result;
  const auto paths = draft.published_paths();
  if (!contains(paths, result.of)) {
    from.fail("of", "unknown published service \"" + result.of + "\""
                      + suggestion(result.of, paths, "known"));
    return result;
  }
  const auto* service = draft.find_service(result.of.substr(result.of.find('/') + 1));
  if (service != nullptr && !service->composite)
    from.fail("of", "\"" + result.of + "\" has no composite_health, hence no transitions");
  return result;
}

} // namespace

void read_expectations(const section& root, scenario_draft& draft) {
  auto& into = draft.result.expectations;
  for (const auto& x : root.list("expect")) {
    if (x.bad)
      continue;
    const section from{root.problems(), &x, x.at};
    if (const auto failover = from.at("failover"); from.has("failover")) {
      expect_failover result{read_region(failover, "from", draft), {}};
      failover.read("within", result.within);
      into.emplace_back(std::move(result));
    } else if (const auto failback = from.at("failback"); from.has("failback")) {
      expect_failback result{read_region(failback, "to", draft), {}};
      failback.read("within", result.within);
      into.emplace_back(std::move(result));
    } else if (const auto recovered = from.at("capacity_recovered");
               from.has("capacity_recovered")) {
      expect_capacity_recovered result{read_region(recovered, "in", draft), {}};
      recovered.read("within", result.within);
      into.emplace_back(std::move(result));
    } else if (from.has("errors")) {
      into.emplace_back(read_errors(from.at("errors"), root, draft));
    } else if (from.has("transitions")) {
      into.emplace_back(read_transitions(from.at("transitions"), draft));
    }
  }
}

} // namespace spillover
