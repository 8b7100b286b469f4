#include "producers/service.hpp"
#include "scenario/read.hpp"

#include <array>

namespace spillover {

namespace {

constexpr std::string_view latest = "latest";

// The latest revision of a split, and parts of paths that others have: "REGION/SERVICE/BACKEND/source".
// Names start with a letter, so that none can be taken for an instance's number.
constexpr std::array<std::string_view, 3> reserved_names{latest, "source", "probers"};

// The keys that a revision can have for itself.
constexpr std::array<std::string_view, 5> own_keys{"instance", "autoscaling", "pending", "scale_in",
                                                   "request_timeout"};

/// @returns `above` laid over `below`: what a file says at last, for rules over two keys, and the places.
yaml_node laid_over(const yaml_node& below, const yaml_node& above) {
  if (!below.is_mapping() || !above.is_mapping() || below.bad || above.bad)
    return above;
  auto result = above;
  for (const auto& x : below.members) {
    const auto found = std::find_if(result.members.begin(), result.members.end(),
                                    [&x](const auto& y) { return y.key == x.key; });
    if (found == result.members.end())
      result.members.push_back(x);
    else
      found->value = laid_over(x.value, found->value);
  }
  return result;
}

/// @returns a mapping of what a backend service or a revision says of the keys that revisions have.
yaml_node settings_of(const yaml_node& x) {
  yaml_node result;
  result.is = yaml_node::type::mapping;
  result.at = x.at;
  if (x.is_mapping())
    for (const auto& member : x.members)
      if (std::find(own_keys.begin(), own_keys.end(), member.key) != own_keys.end())
        result.members.push_back(member);
  return result;
}

/// @returns the revisions that a backend service or its override names.
const yaml_node* revisions_of(const yaml_node* x) noexcept {
  const auto* result = x == nullptr || x->bad ? nullptr : x->find("revisions");
  return result == nullptr || result->bad || !result->is_mapping() ? nullptr : result;
}

std::vector<std::string> names_of(const backend_service_spec& x) {
  std::vector<std::string> result;
  for (const auto& revision : x.revisions)
    result.push_back(revision.name);
  return result;
}

std::string no_such_revision(const std::string& name, const backend_service_spec& of) {
  if (of.revisions.empty())
    return "unknown revision \"" + name + "\"; " + of.name + " has no revisions";
  return "unknown revision \"" + name + "\"" + suggestion(name, names_of(of), "known");
}

void check_names(problem_list& problems, const yaml_node& named, const backend_service_spec* of) {
  for (const auto& x : named.members) {
    if (of == nullptr
        && std::find(reserved_names.begin(), reserved_names.end(), x.key) != reserved_names.end())
      problems.add(x.key_at, "a revision cannot be named \"" + x.key
                               + "\", which has a meaning of "
                                 "its own");
    if (of != nullptr && !is_named(*of, x.key))
      problems.add(x.key_at, no_such_revision(x.key, *of));
  }
}

} // namespace

bool is_named(const backend_service_spec& of, std::string_view revision) noexcept {
  return std::any_of(of.revisions.begin(), of.revisions.end(),
                     [revision](const auto& y) { return y.name == revision; });
}

std::string_view policy_without_scaling(const backend_service_spec& of) {
  const auto other = [](const autoscaling_config& y) {
    return std::holds_alternative<cloud_run_config>(y) ? std::string_view{} : policy_of(y);
  };
  if (of.revisions.empty())
    return other(of.autoscaling);
  for (const auto& revision : of.revisions)
    if (const auto policy = other(revision.autoscaling); !policy.empty())
      return policy;
  return {};
}

void read_revisions(problem_list& problems, const yaml_node& base, const yaml_node* above,
                    scenario_draft& draft, backend_service_spec& into) {
  const auto* named = revisions_of(&base);
  if (const auto* given = base.find("revisions");
      base.bad || (given != nullptr && named == nullptr))
    draft.revisions_known = false;
  if (!draft.revisions_known)
    return;
  auto common = settings_of(base);
  if (above != nullptr)
    common = laid_over(common, settings_of(*above));
  const auto* changed = revisions_of(above);
  into.revisions.clear();
  if (named != nullptr && above == nullptr)
    check_names(problems, *named, nullptr);
  for (std::size_t i = 0; named != nullptr && i < named->members.size(); ++i) {
    const auto& x = named->members[i];
    revision_spec spec{x.key,        into.instance, into.autoscaling,
                       into.pending, into.scale_in, into.request_timeout};
    read_revision({problems, &x.value, x.value.at, &common}, spec);
    if (const auto* other = changed == nullptr ? nullptr : changed->find(x.key)) {
      const auto below = laid_over(common, settings_of(x.value));
      read_revision({problems, other, other->at, &below}, spec);
    }
    into.revisions.push_back(std::move(spec));
  }
  if (changed != nullptr)
    check_names(problems, *changed, &into);
}

bool check_revision(const section& from, std::string_view key, const std::string& name,
                    const backend_service_spec& of) {
  const auto known = is_named(of, name);
  if (!known)
    from.fail(key, no_such_revision(name, of));
  return known;
}

std::vector<traffic_target> read_traffic(const section& from, std::string_view key,
                                         const backend_service_spec* of) {
  std::vector<traffic_target> result;
  auto sound = from.fine({key});
  for (const auto& x : from.list(key)) {
    const section entry{from.problems(), &x, x.at};
    traffic_target target;
    entry.read("revision", target.revision);
    entry.read("percent", target.percent);
    entry.read("tag", target.tag);
    if (target.revision == latest)
      target.revision.clear();
    else if (entry.has("revision") && of != nullptr)
      sound = check_revision(entry, "revision", target.revision, *of) && sound;
    result.push_back(std::move(target));
  }
  if (!sound)
    return result;
  auto problems = validate(result);
  for (auto& x : problems)
    x.insert(0, std::string{key} + (x.front() == '[' ? "" : ": "));
  from.report(problems);
  return result;
}

service_scaling read_scaling(const section& from) {
  service_scaling result;
  from.read("min_instances", result.min_instances);
  from.read("max_instances", result.max_instances);
  from.read("manual_instances", result.manual_instances);
  if (from.clean())
    from.report(validate(result));
  return result;
}

void read_service_settings(const section& from, const scenario_draft& draft,
                           backend_service_spec& into) {
  if (from.has("traffic"))
    into.traffic = read_traffic(from, "traffic", draft.revisions_known ? &into : nullptr);
  if (const auto* x = from.find("scaling"))
    into.scaling = read_scaling({from.problems(), x, x->at});
  if (into.scaling == service_scaling{} || !from.fine({"autoscaling", "revisions", "scaling"}))
    return;
  if (const auto other = policy_without_scaling(into); !other.empty())
    from.fail("scaling",
              "has no meaning with policy " + std::string{other} + "; only cloud_run has it",
              "autoscaling");
}

} // namespace spillover
