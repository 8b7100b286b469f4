#include "scenario/lint_checks.hpp"

#include <algorithm>
#include <variant>

namespace spillover {

namespace {

std::string time_text(instant x) {
  return to_string(x.time_since_epoch());
}

lint_path place_in(const scenario& x, const service_action& y, std::string_view key) {
  return {"actions", std::to_string(&y - x.actions.data()), std::string{key}};
}

bool names(const std::vector<traffic_target>& x, std::string_view revision) noexcept {
  return std::any_of(x.begin(), x.end(),
                     [revision](const auto& y) { return y.revision == revision; });
}

bool has_tag(const std::vector<traffic_target>& x, std::string_view tag) noexcept {
  return std::any_of(x.begin(), x.end(), [tag](const auto& y) { return y.tag == tag; });
}

// Whether a revision of a backend service exists when the run begins, or is deployed later.
bool is_deployed(const scenario& x, const std::string& path, const backend_service_spec& of,
                 const revision_spec& revision) {
  const auto is_named = std::any_of(of.revisions.begin(), of.revisions.end(),
                                    [&of](const auto& y) { return names(of.traffic, y.name); });
  // Without any name in the traffic the first is there.
  if (names(of.traffic, revision.name) || (!is_named && &revision == &of.revisions.front()))
    return true;
  return std::any_of(x.actions.begin(), x.actions.end(), [&](const service_action& y) {
    const auto* deployment = std::get_if<deploy_action>(&y.what);
    return deployment != nullptr && y.of == path && deployment->revision == revision.name;
  });
}

// Whether a revision, by its place and that of its backend service, exists in any region at any time.
bool is_deployed_anywhere(const scenario& x, std::string_view service, std::size_t backend,
                          std::size_t revision) {
  return std::any_of(
    x.published_services.begin(), x.published_services.end(), [&](const auto& published) {
      if (published.service != service)
        return false;
      const auto& of = published.backend_services[backend];
      return is_deployed(x, published.path() + "/" + of.name, of, of.revisions[revision]);
    });
}

void add_never_deployed(const published_service_spec& published, const backend_service_spec& of,
                        std::size_t revision, lint_list& out) {
  const auto& name = of.revisions[revision].name;
  out.add(
    lint_path{"producers", published.service, "backend_services", of.name, "revisions", name},
    published.service + "/" + of.name + "/" + name
      + ": is in no traffic when the run begins, and no action deploys it, so that it never runs; "
        "deploy it, or leave it out");
}

// Whether a revision of a published service has a tag at any time.
bool is_tag_set(const scenario& x, const published_service_spec& service, std::string_view tag) {
  return std::any_of(
    service.backend_services.begin(), service.backend_services.end(), [&](const auto& backend) {
      const auto path = service.path() + "/" + backend.name;
      return has_tag(backend.traffic, tag)
             || std::any_of(x.actions.begin(), x.actions.end(), [&](const service_action& y) {
                  const auto* split = std::get_if<split_action>(&y.what);
                  return split != nullptr && y.of == path && has_tag(split->traffic, tag);
                });
    });
}

} // namespace

/// A revision that no region has when the run begins, and that no action deploys, never runs. Way
/// out: deploy it, name it in the traffic, or leave it out.
void lint_revision_never_deployed(const scenario& x, lint_list& out) {
  const published_service_spec* before = nullptr;
  for (const auto& first : x.published_services) {
    // Regions of a service stand together: each service once, by its first region.
    if (before == nullptr || before->service != first.service)
      for (std::size_t i = 0; i < first.backend_services.size(); ++i)
        for (std::size_t j = 0; j < first.backend_services[i].revisions.size(); ++j)
          if (!is_deployed_anywhere(x, first.service, i, j))
            add_never_deployed(first, first.backend_services[i], j, out);
    before = &first;
  }
}

/// A consumer uses the URL of a tag that no revision of its service has in one of its regions, at any time
/// what it sends there is refused. Way out: give a revision that tag, in the traffic or by a split.
void lint_tag_without_revision(const scenario& x, lint_list& out) {
  for (const auto& consumer : x.consumers)
    for (const auto& region : consumer.regions) {
      const auto* service = find_published(x, consumer.service, region);
      if (consumer.tag.empty() || service == nullptr || is_tag_set(x, *service, consumer.tag))
        continue;
      out.add(lint_path{"consumers", consumer.name, "tag"},
              consumer.name + ": no revision of " + service->path() + " has the tag \""
                + consumer.tag
                + "\" at any time, so that its requests there are refused as unavailable; give one "
                  "that tag");
    }
}

/// A deployment takes its last step after the end of the run even if the revision is ready at once.
/// Way out: an earlier deployment, shorter or fewer steps, or a longer run.
void lint_rollout_beyond_end(const scenario& x, lint_list& out) {
  for (const auto& y : x.actions) {
    const auto* deployment = std::get_if<deploy_action>(&y.what);
    if (deployment == nullptr)
      continue;
    const auto left = run_start + x.lasts - y.at;
    const auto steps = static_cast<std::int64_t>(deployment->plan.steps.size()) - 1;
    if (steps == 0 || deployment->plan.every <= (left - duration{1}) / steps)
      continue;
    out.add(place_in(x, y, "deploy"),
            to_string(y) + " at " + y.of + ": begins at " + time_text(y.at)
              + ", and takes its last step " + to_string(deployment->plan.every * steps)
              + " later at the earliest, when the run is over (" + to_string(x.lasts)
              + "); deploy it earlier, or make the run longer");
  }
}

/// What follows from an action until the end of the warm-up is left out of error shares, latency and
/// queues. Way out, unless it is meant so: a later action, or a shorter warm-up.
void lint_action_in_warm_up(const scenario& x, lint_list& out) {
  for (const auto& y : x.actions)
    if (y.at < run_start + x.warm_up)
      out.add(place_in(x, y, "at"), to_string(y) + " at " + y.of + ": is carried out at "
                                      + time_text(y.at) + ", in the warm-up, which ends at "
                                      + to_string(x.warm_up)
                                      + "; what follows from it until then is not judged");
}

} // namespace spillover
