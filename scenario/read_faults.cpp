#include "producers/zone_placement.hpp"
#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

#include <algorithm>
#include <set>

namespace spillover {

namespace {

void check_backend_path(const section& from, const std::string& of, const scenario_draft& draft) {
  const auto& paths = draft.backend_paths();
  if (from.has("of") && draft.regions_known && draft.backends_known && !contains(paths, of))
    from.fail("of", "unknown backend service \"" + of + "\"" + suggestion(of, paths, "known"));
}

/// @returns whether the region is known to exist.
bool check_region(const section& from, std::string_view key, const std::string& region,
                  const scenario_draft& draft) {
  if (!from.has(key) || !draft.regions_known)
    return false;
  const auto known = contains(draft.result.regions, region);
  if (!known)
    from.fail(key, "unknown region \"" + region + "\""
                     + suggestion(region, draft.result.regions, "known"));
  return known;
}

// Keys that belong to certain ailments only.
struct special_key {
  std::string_view key;
  std::vector<ailment> of;
  // What it says, when it must be there.
  std::string_view says = {};
};

void check_special(const section& from, const special_key& x, ailment become) {
  const auto belongs = std::find(x.of.begin(), x.of.end(), become) != x.of.end();
  if (belongs && !x.says.empty() && from.fine({x.key}) && !from.has(x.key))
    from.fail("the key " + std::string{x.key} + " is missing; it says " + std::string{x.says});
  if (belongs || !from.has(x.key))
    return;
  std::string names;
  for (const auto y : x.of)
    names.append(names.empty() ? "" : " or ").append(to_string(y));
  from.fail(x.key, "has a meaning with become: " + names + " only");
}

symptom read_symptom(const section& from, ailment usual) {
  symptom result;
  result.become = usual;
  read_name(from, "become", ailments, result.become);
  read_name(from, "affects", affected_parts, result.affects);
  from.read("error_fraction", result.error_fraction);
  read_name(from, "status", outcomes, result.status);
  from.read("factor", result.factor);
  from.read("by", result.by);
  from.read("vcpu_per_minute", result.vcpu_per_minute);
  return result;
}

instance_fault read_instance_fault(const section& from, const scenario_draft& draft) {
  instance_fault result;
  from.read("of", result.of);
  result.suffer = read_symptom(from, result.suffer.become);
  from.read("count", result.count);
  from.read("restart_jitter", result.restart_jitter);
  if (!result.count)
    from.read("fraction", result.fraction);
  check_backend_path(from, result.of, draft);
  if (from.has("fraction") && from.has("count"))
    from.fail("count", "stands beside fraction; use one or the other");
  if (!from.fine({"become"}))
    return result;
  using enum ailment;
  const special_key keys[] = {
    {"affects", {silent, failing}},
    {"error_fraction", {failing}},
    {"status", {failing}},
    {"factor", {slow, slow_starting}, "how many times as long it takes"},
    {"by", {waiting}, "how much longer a request waits"},
    {"vcpu_per_minute", {leaking}, "how fast the leak grows"},
    {"restart_jitter", {crashed}},
  };
  for (const auto& x : keys)
    check_special(from, x, result.suffer.become);
  return result;
}

// A part of a scenario that goes down as a whole.
template <class Fault, std::size_t N>
void read_outage(const section& from, const name_table<ailment, N>& names, Fault& into) {
  read_name(from, "become", names, into.become);
  from.read("restart_jitter", into.restart_jitter);
  if (from.has("restart_jitter") && from.fine({"become"}) && into.become != ailment::crashed)
    from.fail("restart_jitter", "has a meaning with become: crashed only");
}

region_fault read_region_fault(const section& from, const scenario_draft& draft) {
  region_fault result;
  from.read("name", result.region);
  check_region(from, "name", result.region, draft);
  read_outage(from, region_ailments, result);
  return result;
}

zone_fault read_zone_fault(const section& from, const scenario_draft& draft) {
  zone_fault result;
  from.read("region", result.region);
  from.read("name", result.zone);
  read_outage(from, zone_ailments, result);
  if (!check_region(from, "region", result.region, draft) || !draft.backends_known)
    return result;
  std::uint32_t zones = 0;
  for (const auto& x : draft.result.published_services)
    if (x.region == result.region)
      for (const auto& backend : x.backend_services)
        zones = std::max(zones, backend.zones);
  const auto last = zone_name(std::max(zones, 1U) - 1);
  if (from.has("name") && zone_number(result.zone).value_or(0) >= zones)
    from.fail("name", "no backend service in " + result.region + " has a zone \"" + result.zone
                        + "\"; known: " + (last == "a" ? "a" : "a to " + last));
  return result;
}

quota_fault read_quota_fault(const section& from, const scenario_draft& draft) {
  quota_fault result;
  from.read("of", result.of);
  from.read("starts_per_minute", result.starts_per_minute);
  from.read("instances", result.instances);
  check_backend_path(from, result.of, draft);
  if (from.fine({"starts_per_minute", "instances"}) && !from.has("starts_per_minute")
      && !from.has("instances"))
    from.fail("one of starts_per_minute and instances is missing; a quota limits something");
  return result;
}

flapping read_flapping(const section& from) {
  flapping result;
  from.read("period", result.period);
  from.read("down", result.down);
  if (from.has("period") && from.has("down") && result.down >= result.period)
    from.fail("down", "must be below period (" + to_string(result.period) + "); got "
                        + to_string(result.down));
  return result;
}

} // namespace

void read_faults(const section& root, scenario_draft& draft) {
  std::set<std::string> names;
  for (const auto& x : root.list("faults")) {
    if (x.bad)
      continue;
    const section from{root.problems(), &x, x.at};
    fault result;
    from.read("at", result.at);
    from.read("for", result.lasts);
    from.read("name", result.name);
    if (from.has("name") && !names.insert(result.name).second)
      from.fail("name", "\"" + result.name + "\" is the name of a fault already");
    if (from.has("flap"))
      result.flap = read_flapping(from.at("flap"));
    const auto since_start = result.at.time_since_epoch();
    if (from.has("at") && root.has("duration") && since_start >= draft.result.lasts)
      from.fail("at", "must be before the end of the run (" + to_string(draft.result.lasts)
                        + "); got " + to_string(since_start));
    if (from.has("instances"))
      result.what = read_instance_fault(from.at("instances"), draft);
    else if (from.has("zone"))
      result.what = read_zone_fault(from.at("zone"), draft);
    else if (from.has("region"))
      result.what = read_region_fault(from.at("region"), draft);
    else if (from.has("quota"))
      result.what = read_quota_fault(from.at("quota"), draft);
    else if (from.has("probers"))
      result.what = read_prober_fault(from.at("probers"), draft);
    else if (from.has("consumer"))
      result.what = read_consumer_fault(from.at("consumer"), draft);
    else if (from.has("load_balancer"))
      result.what = read_balancer_fault(from.at("load_balancer"), draft);
    else if (from.has("clock"))
      result.what = read_clock_fault(from.at("clock"), draft);
    else
      result.what = read_link_fault(from.at("link"), draft);
    draft.result.faults.push_back(std::move(result));
  }
}

} // namespace spillover
