#include "scenario/read.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

/// @returns every path that an entity can have, but for the instances.
std::vector<std::string> entity_paths(const scenario_draft& draft) {
  std::vector<std::string> result{"director"};
  const auto add = [&result](const std::string& path, std::initializer_list<const char*> parts) {
    result.push_back(path);
    for (const auto* part : parts)
      result.push_back(path + part);
  };
  for (const auto& region : draft.result.regions)
    add(region, {});
  for (const auto& path : draft.published_paths())
    add(path, {"/composite", "/service_health"});
  for (const auto& path : draft.backend_paths())
    add(path, {"/source", "/probers", "/auto_healing"});
  for (const auto& path : draft.revision_paths())
    add(path, {});
  for (const auto& consumer : draft.consumer_names())
    add(consumer, {"/clients", "/lb"});
  for (const auto& link : draft.result.links)
    result.push_back(link.path());
  return result;
}

/// @returns whether a path names an instance of a revision, or of a backend service without named ones.
bool names_instance(const std::string& path, const scenario_draft& draft) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos || slash + 1 == path.size()
      || path.find_first_not_of("0123456789", slash + 1) != std::string::npos)
    return false;
  const auto of = path.substr(0, slash);
  if (const auto* backend = draft.find_backend(of))
    return backend->revisions.empty();
  const auto* backend = draft.find_backend(of.substr(0, of.rfind('/')));
  return backend != nullptr && is_named(*backend, of.substr(of.rfind('/') + 1));
}

void check_entity(const section& from, const std::string& path, const scenario_draft& draft) {
  if (!draft.regions_known || !draft.backends_known || !draft.consumers_known
      || !draft.revisions_known)
    return;
  const auto known = entity_paths(draft);
  if (!contains(known, path) && !names_instance(path, draft))
    from.fail("of", "unknown path \"" + path + "\"" + suggestion(path, known, "known"));
}

/// @returns the value of a field as events show it.
std::string shown_value(const yaml_node& x) {
  if (x.is == yaml_node::type::integer)
    return std::to_string(x.integer);
  if (x.is == yaml_node::type::boolean)
    return x.truth ? "true" : "false";
  return x.text;
}

} // namespace

std::string read_region(const section& from, std::string_view key, const scenario_draft& draft) {
  std::string region;
  from.read(key, region);
  if (from.has(key) && draft.regions_known && !contains(draft.result.regions, region))
    from.fail(key, "unknown region \"" + region + "\""
                     + suggestion(region, draft.result.regions, "known"));
  return region;
}

std::string read_consumer(const section& from, std::string_view key, const scenario_draft& draft) {
  std::string consumer;
  from.read(key, consumer);
  const auto known = draft.consumer_names();
  if (from.has(key) && draft.consumers_known && !contains(known, consumer))
    from.fail(key, "unknown consumer \"" + consumer + "\"" + suggestion(consumer, known, "known"));
  return consumer;
}

std::string read_backend_path(const section& from, std::string_view key,
                              const scenario_draft& draft) {
  std::string path;
  from.read(key, path);
  const auto& known = draft.backend_paths();
  if (from.has(key) && draft.regions_known && draft.backends_known && !contains(known, path))
    from.fail(key, "unknown backend service \"" + path + "\"" + suggestion(path, known, "known"));
  return path;
}

std::string read_revision_name(const section& from, std::string_view key, const std::string& of,
                               const scenario_draft& draft) {
  std::string name;
  from.read(key, name);
  if (!from.has(key) || !draft.revisions_known)
    return name;
  if (const auto* backend = draft.find_backend(of))
    check_revision(from, key, name, *backend);
  else if (contains(draft.result.regions, of))
    from.fail(key, "stands beside a region; a revision is one of a backend service");
  return name;
}

std::string read_region_or_backend(const section& from, std::string_view key,
                                   const scenario_draft& draft) {
  std::string path;
  from.read(key, path);
  auto known = draft.result.regions;
  const auto backends = draft.backend_paths();
  known.insert(known.end(), backends.begin(), backends.end());
  if (from.has(key) && draft.regions_known && draft.backends_known && !contains(known, path))
    from.fail(key, "unknown region or backend service \"" + path + "\""
                     + suggestion(path, known, "known"));
  return path;
}

event_pattern read_event_pattern(const section& from, const scenario_draft& draft) {
  event_pattern result;
  from.read("event", result.kind);
  from.read("of", result.of);
  const auto& kinds = event_kinds();
  const auto known = contains(kinds, result.kind);
  if (from.has("event") && !known)
    from.fail("event", "unknown kind of event \"" + result.kind + "\""
                         + suggestion(result.kind, kinds, "known"));
  if (from.has("of"))
    check_entity(from, result.of, draft);
  const auto fields = fields_of_kind(result.kind);
  for (const auto& [key, key_at, value] : from.entries("where")) {
    if (value.bad)
      continue;
    if (known && !contains(fields, key))
      from.problems().add(key_at, result.kind + " has no field \"" + key + "\""
                                    + suggestion(key, fields, "known"));
    const auto shown = shown_value(value);
    if (auto problem = problem_of_value(result.kind, key, shown); !problem.empty()) {
      problem.insert(0, key + ": ").append("; got \"").append(shown).append("\"");
      from.problems().add(value.at, problem);
    }
    result.where.emplace_back(key, shown);
  }
  return result;
}

std::string read_unique_name(const section& from, std::vector<std::string>& names) {
  std::string name;
  from.read("name", name);
  if (name.empty())
    return name;
  if (contains(names, name))
    from.fail("name", "\"" + name + "\" is the name of an entry before");
  names.push_back(name);
  return name;
}

} // namespace spillover
