#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

instance_fault read_instance_fault(const section& from, const scenario_draft& draft) {
  instance_fault result;
  from.read("of", result.of);
  read_name(from, "become", ailments, result.suffer.become);
  from.read("count", result.count);
  from.read("error_fraction", result.suffer.error_fraction);
  read_name(from, "status", outcomes, result.suffer.status);
  if (!result.count)
    from.read("fraction", result.fraction);

  const auto paths = draft.backend_paths();
  if (from.has("of") && draft.regions_known && draft.backends_known && !contains(paths, result.of))
    from.fail("of", "unknown backend service \"" + result.of + "\""
                      + suggestion(result.of, paths, "known"));
  if (from.has("fraction") && from.has("count"))
    from.fail("count", "stands beside fraction; use one or the other");
  if (from.fine({"become"}) && result.suffer.become != ailment::failing)
    for (const auto* key : {"error_fraction", "status"})
      if (from.has(key))
        from.fail(key, "has a meaning with become: failing only");
  return result;
}

region_fault read_region_fault(const section& from, const scenario_draft& draft) {
  region_fault result;
  from.read("name", result.region);
  if (from.has("name") && draft.regions_known && !contains(draft.result.regions, result.region))
    from.fail("name", "unknown region \"" + result.region + "\""
                        + suggestion(result.region, draft.result.regions, "known"));
  return result;
}

} // namespace

void read_faults(const section& root, scenario_draft& draft) {
  for (const auto& x : root.list("faults")) {
    if (x.bad)
      continue;
    const section from{root.problems(), &x, x.at};
    fault result;
    from.read("at", result.at);
    from.read("for", result.lasts);
    const auto since_start = result.at.time_since_epoch();
    if (from.has("at") && root.has("duration") && since_start >= draft.result.lasts)
      from.fail("at", "must be before the end of the run (" + to_string(draft.result.lasts)
                        + "); got " + to_string(since_start));
    if (from.has("instances"))
      result.what = read_instance_fault(from.at("instances"), draft);
    else if (from.has("region"))
      result.what = read_region_fault(from.at("region"), draft);
    else if (from.has("probers"))
      result.what = read_prober_fault(from.at("probers"), draft);
    else if (from.has("consumer"))
      result.what = read_consumer_fault(from.at("consumer"), draft);
    else if (from.has("clock"))
      result.what = read_clock_fault(from.at("clock"), draft);
    else
      result.what = read_link_fault(from.at("link"), draft);
    draft.result.faults.push_back(std::move(result));
  }
}

} // namespace spillover
