#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

// What a key says about an ailment of links; nothing when it has no meaning there.
std::string_view meaning_of(std::string_view key, link_ailment become) {
  using enum link_ailment;
  if (key == "by") {
    switch (become) {
      case delayed: return "how much is added to the latency";
      case jittery: return "how much is added to the latency at most";
      case reordering: return "for how long a message is held back";
      case limited: return "how long a message waits at most";
      default: return {};
    }
  }
  if (key == "share") {
    switch (become) {
      case lossy: return "which share is lost";
      case duplicating: return "which share arrives twice";
      case reordering: return "which share is held back";
      default: return {};
    }
  }
  return become == limited ? "how many messages pass in a second" : std::string_view{};
}

// The ailments that a key has a meaning for.
std::string ailments_with(std::string_view key) {
  std::string result;
  for (const auto& [name, value] : link_ailments)
    if (!meaning_of(key, value).empty())
      result.append(result.empty() ? "" : ", ").append(name);
  return result;
}

link_symptom read_link_symptom(const section& from) {
  link_symptom result;
  read_name(from, "become", link_ailments, result.become);
  if (!from.has("become"))
    return result;
  const auto become = std::string{to_string(result.become)};
  for (const std::string key : {"by", "share", "per_second"}) {
    const auto meaning = meaning_of(key, result.become);
    if (meaning.empty() && from.has(key))
      from.fail(key, "has no meaning with become: " + become + "; it has one with "
                       + ailments_with(key));
    else if (!meaning.empty() && from.fine({key}) && !from.has(key))
      from.fail("the key " + key + " is missing; it says " + std::string{meaning});
  }
  if (!meaning_of("by", result.become).empty())
    from.read("by", result.by);
  if (!meaning_of("share", result.become).empty())
    from.read("share", result.share);
  if (!meaning_of("per_second", result.become).empty())
    from.read("per_second", result.per_second);
  // A limit may let nobody wait; the others would do nothing.
  if (result.become != link_ailment::limited && from.has("by") && result.by == duration::zero()
      && !meaning_of("by", result.become).empty())
    from.fail("by", "must be above 0s with become: " + become + "; got 0s");
  return result;
}

const backend_service_spec* find_backend(const std::string& path, const scenario_draft& draft) {
  for (const auto& service : draft.result.published_services)
    for (const auto& backend : service.backend_services)
      if (service.path() + "/" + backend.name == path)
        return &backend;
  return nullptr;
}

} // namespace

link_fault read_link_fault(const section& from, const scenario_draft& draft) {
  link_fault result;
  if (auto ends = read_ends(from, draft)) {
    result.from = std::move(ends->from);
    result.to = std::move(ends->to);
    result.both = ends->both;
  }
  const auto planes = read_planes(from);
  result.data = planes.data;
  result.health = planes.health;
  result.suffer = read_link_symptom(from);
  return result;
}

prober_fault read_prober_fault(const section& from, const scenario_draft& draft) {
  prober_fault result;
  from.read("of", result.of);
  read_name(from, "become", prober_ailments, result.become);
  from.read("count", result.count);
  const auto& paths = draft.backend_paths();
  if (!from.has("of") || !draft.regions_known || !draft.backends_known)
    return result;
  if (!contains(paths, result.of)) {
    from.fail("of", "unknown backend service \"" + result.of + "\""
                      + suggestion(result.of, paths, "known"));
    return result;
  }
  const auto* backend = find_backend(result.of, draft);
  if (backend != nullptr && result.count.value_or(0) > backend->health_check.probers)
    from.fail("count", "must be at most probers of " + result.of + " ("
                         + std::to_string(backend->health_check.probers) + "); got "
                         + std::to_string(*result.count));
  return result;
}

namespace {

std::string read_consumer_name(const section& from, const char* key, const scenario_draft& draft) {
  std::string result;
  from.read(key, result);
  if (from.has(key) && draft.consumers_known && !draft.has_consumer(result))
    from.fail(key, "unknown consumer \"" + result + "\""
                     + suggestion(result, draft.consumer_names(), "known"));
  return result;
}

} // namespace

consumer_fault read_consumer_fault(const section& from, const scenario_draft& draft) {
  return {read_consumer_name(from, "name", draft)};
}

balancer_fault read_balancer_fault(const section& from, const scenario_draft& draft) {
  balancer_fault result{read_consumer_name(from, "of", draft)};
  from.read("error_fraction", result.error_fraction);
  read_name(from, "status", outcomes, result.status);
  const auto& consumers = draft.result.consumers;
  const auto whose = std::find_if(consumers.begin(), consumers.end(),
                                  [&result](const auto& x) { return x.name == result.consumer; });
  if (from.has("of") && whose != consumers.end()
      && whose->load_balancer.kind == load_balancer_kind::dns)
    from.fail("of", "has no meaning with kind dns of " + result.consumer
                      + ": no balancer is between clients and regions");
  return result;
}

clock_fault read_clock_fault(const section& from, const scenario_draft& draft) {
  clock_fault result;
  from.read("site", result.site);
  if (from.has("behind")) {
    from.read("behind", result.ahead);
    result.ahead = -result.ahead;
  } else {
    from.read("ahead", result.ahead);
  }
  if (from.has("site") && draft.regions_known && draft.consumers_known
      && !draft.has_site(result.site))
    from.fail("site", "unknown region or consumer \"" + result.site + "\""
                        + suggestion(result.site, draft.site_names(), "known"));
  return result;
}

} // namespace spillover
