#include "scenario/read.hpp"
#include "scenario/values.hpp"

namespace spillover {

bool contains(const std::vector<std::string>& names, std::string_view name) noexcept {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> scenario_draft::service_names() const {
  std::vector<std::string> names;
  for (const auto& x : services)
    names.push_back(x.name);
  return names;
}

std::vector<std::string> scenario_draft::consumer_names() const {
  std::vector<std::string> names;
  for (const auto& x : result.consumers)
    names.push_back(x.name);
  return names;
}

std::vector<std::string> scenario_draft::site_names() const {
  auto names = result.regions;
  for (const auto& x : result.consumers)
    names.push_back(x.name);
  return names;
}

bool scenario_draft::has_consumer(std::string_view name) const noexcept {
  return std::any_of(result.consumers.begin(), result.consumers.end(),
                     [name](const consumer_spec& x) { return x.name == name; });
}

bool scenario_draft::has_site(std::string_view name) const noexcept {
  return contains(result.regions, name) || has_consumer(name);
}

std::vector<std::string> scenario_draft::published_paths() const {
  std::vector<std::string> paths;
  for (const auto& x : services)
    for (const auto& region : x.regions)
      paths.push_back(region + "/" + x.name);
  return paths;
}

const backend_service_spec* scenario_draft::find_backend(std::string_view path) const {
  const auto slash = path.rfind('/');
  if (slash == std::string_view::npos)
    return nullptr;
  const auto published = path.substr(0, slash);
  for (const auto& x : result.published_services) {
    const auto middle = x.region.size();
    if (published.size() != middle + 1 + x.service.size() || published[middle] != '/'
        || !published.starts_with(x.region) || !published.ends_with(x.service))
      continue;
    for (const auto& backend : x.backend_services)
      if (backend.name == path.substr(slash + 1))
        return &backend;
  }
  return nullptr;
}

std::vector<std::string> scenario_draft::revision_paths() const {
  std::vector<std::string> paths;
  for (const auto& x : result.published_services)
    for (const auto& backend : x.backend_services)
      for (const auto& revision : backend.revisions)
        paths.push_back(x.path() + "/" + backend.name + "/" + revision.name);
  return paths;
}

void read_run(const section& root, scenario_draft& draft) {
  auto& result = draft.result;
  root.read("name", result.name);
  root.read("description", result.description);
  root.read("seed", result.seed);
  root.read("duration", result.lasts);
  root.read("warm_up", result.warm_up);
  if (root.has("duration") && root.fine({"duration"})
      && result.lasts % std::chrono::seconds{1} != duration::zero())
    root.fail("duration", "must be whole seconds; got " + to_string(result.lasts));
  if (root.has("duration") && root.fine({"duration", "warm_up"}) && result.warm_up >= result.lasts)
    root.fail("warm_up", "must be below duration (" + to_string(result.lasts) + "); got "
                           + to_string(result.warm_up));

  const auto recovery = root.at("recovery");
  recovery.read("window", result.recovery.window);
  recovery.read("keep_up", result.recovery.keep_up);
}

} // namespace spillover
