#include "scenario/lint_checks.hpp"
#include "scenario/plan.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace spillover {

namespace {

// The most instances that a backend service, or a revision of it, can have; nothing for one that is not
// there, for several revisions together, which may have more, and where an operator says how many
// there are.
std::optional<std::uint32_t> most_of(const scenario& x, const std::string& path,
                                     const std::string& revision) {
  const auto is_scaled = std::any_of(x.actions.begin(), x.actions.end(), [&path](const auto& y) {
    return y.of == path && std::holds_alternative<scale_action>(y.what);
  });
  if (is_scaled)
    return std::nullopt;
  for (const auto& published : x.published_services)
    for (const auto& backend : published.backend_services) {
      if (published.path() + "/" + backend.name != path)
        continue;
      if (backend.revisions.empty())
        return bounds_in(backend).max;
      for (const auto& y : backend.revisions)
        if (y.name == revision && !backend.scaling.manual_instances)
          return bounds_of(y.autoscaling).max;
    }
  return std::nullopt;
}

// Adds a remark about a count above the maximum, or at it unless that can be reached.
void add_beyond(const scenario& x, lint_path place, const std::string& of,
                const std::string& revision, std::uint32_t count, bool maximum_is_good,
                const std::string& what, lint_list& out) {
  const auto most = most_of(x, of, revision);
  if (!most || count < *most || (count == *most && maximum_is_good))
    return;
  out.add(std::move(place), what + ": there are at most " + std::to_string(*most) + " instances of "
                              + revision_path(of, revision));
}

} // namespace

/// A count of instances that a backend service never has, as it is above its maximum: an
/// expectation that can only fail, a stop condition that never comes, a fault that hits all there are.
/// Way out: a count within the maximum.
void lint_count_out_of_reach(const scenario& x, lint_list& out) {
  for (std::size_t i = 0; i < x.expectations.size(); ++i)
    if (const auto* y = std::get_if<expect_instances>(&x.expectations[i].what);
        y != nullptr && y->at_least)
      add_beyond(x, {"expect", std::to_string(i), "instances", "at_least"}, y->of, y->revision,
                 *y->at_least, true, "at_least " + std::to_string(*y->at_least) + " can only fail",
                 out);
  for (std::size_t i = 0; i < x.stop_if.size(); ++i)
    if (const auto* y = std::get_if<stop_on_instances>(&x.stop_if[i].what);
        y != nullptr && y->above)
      add_beyond(x, {"stop_if", std::to_string(i), "instances", "above"}, y->of, y->revision,
                 *y->above, false, "above " + std::to_string(*y->above) + " never comes", out);
  for (std::size_t i = 0; i < x.faults.size(); ++i)
    if (const auto* y = std::get_if<instance_fault>(&x.faults[i].what);
        y != nullptr && y->count && !is_of_starts(y->suffer.become))
      add_beyond(x, {"faults", std::to_string(i), "instances", "count"}, y->of, {}, *y->count, true,
                 "count " + std::to_string(*y->count) + " hits all that are there", out);
}

} // namespace spillover
