#include "scenario/lint.hpp"

#include "scenario/fault_files.hpp"
#include "scenario/lint_checks.hpp"
#include "scenario/values.hpp"
#include "scenario/yaml_tree.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <variant>

namespace spillover {

namespace {

constexpr auto note = lint_grade::note;
constexpr auto warning = lint_grade::warning;

constexpr std::array checks{
  lint_check{"single-loss-fails-over", "B-16, B-17", warning, lint_single_loss},
  lint_check{"scale-out-fails-over", "B-38", warning, lint_scale_out},
  lint_check{"scales-to-unhealthy", "B-18", warning, lint_scale_to_zero},
  lint_check{"never-healthy", "B-16", warning, lint_never_healthy},
  lint_check{"emulator-extension", "A-74", note, lint_extension},
  lint_check{"heals-what-starts", "B-67", warning, lint_heals_starting},
  lint_check{"status-not-expected", "B-35", warning, lint_unexpected_status},
  lint_check{"failover-too-slow", "B-39, B-42", warning, lint_failover_too_slow},
  lint_check{"failover-may-be-late", "B-39, B-42", warning, lint_failover_may_be_late},
  lint_check{"one-region", "B-29", warning, lint_one_region},
  lint_check{"no-health", "B-22, B-31", warning, lint_no_health},
  lint_check{"failover-cannot-happen", "B-22, B-29", warning, lint_impossible_failover},
  lint_check{"retry-in-place", "B-29", warning, lint_retry_in_place},
  lint_check{"balancer-outlasts-client", "B-58", warning, lint_balancer_outlasts_client},
  lint_check{"failover-outlasts-request", "B-88", warning, lint_failover_outlasts_request},
  lint_check{"capacity-out-of-reach", "B-50, B-51", warning, lint_capacity_out_of_reach},
  lint_check{"ejection-cap-spares-all", "B-43", warning, lint_cap_spares_all},
  lint_check{"ejection-cap-spares-some", "B-43", warning, lint_cap_spares_some},
  lint_check{"ejection-never-happens", "B-43, B-46", warning, lint_ejection_never_happens},
  lint_check{"ejection-slow-per-proxy", "B-48", warning, lint_ejection_slow_per_proxy},
  lint_check{"proxies-without-detection", "B-48, B-81", warning, lint_proxies_alike},
  lint_check{"survivor-short-of-slots", "A-52, B-33", warning, lint_too_few_slots},
  lint_check{"survivor-short-of-cpu", "A-52, B-33", warning, lint_too_little_cpu},
  lint_check{"cold-start-beyond-pending-limit", "A-35, A-36", warning, lint_cold_start},
  lint_check{"count-out-of-reach", "A-14", warning, lint_count_out_of_reach},
  lint_check{"revision-never-deployed", "A-58", warning, lint_revision_never_deployed},
  lint_check{"tag-without-revision", "A-57", warning, lint_tag_without_revision},
  lint_check{"rollout-beyond-end", "A-58", warning, lint_rollout_beyond_end},
  lint_check{"action-in-warm-up", "warm_up", note, lint_action_in_warm_up},
  lint_check{"errors-window-too-short", "B-58", warning, lint_short_errors_window},
  lint_check{"errors-window-in-warm-up", "warm_up", warning, lint_window_in_warm_up},
  lint_check{"load-beyond-end", "duration", warning, lint_load_beyond_end},
  lint_check{"expectation-beyond-end", "duration", warning, lint_expectation_beyond_end},
  lint_check{"fault-in-warm-up", "warm_up", warning, lint_fault_in_warm_up},
  lint_check{"fault-outlasts-run", "duration", warning, lint_fault_outlasts_run},
  lint_check{"failback-without-end", "B-29", warning, lint_failback_without_end},
};

// The region of a path such as "us-east1/checkout/web".
bool is_in(std::string_view path, std::string_view region) {
  return path.substr(0, path.find('/')) == region;
}

bool touches(const instance_fault& x, std::string_view region) {
  return is_in(x.of, region);
}
bool touches(const zone_fault& x, std::string_view region) {
  return x.region == region;
}
bool touches(const region_fault& x, std::string_view region) {
  return x.region == region;
}
bool touches(const link_fault& x, std::string_view region) {
  return x.from == region || x.to == region;
}
bool touches(const prober_fault& x, std::string_view region) {
  return is_in(x.of, region);
}
bool touches(const quota_fault& x, std::string_view region) {
  return is_in(x.of, region);
}
// No region notices.
bool touches(const balancer_fault&, std::string_view) {
  return false;
}
// Cut off from every region, which none of them notices.
bool touches(const consumer_fault&, std::string_view) {
  return false;
}
bool touches(const clock_fault& x, std::string_view region) {
  return x.site == region;
}

// What a step of a path leads to.
const yaml_node* step_into(const yaml_node& x, const std::string& step) {
  if (x.is_mapping())
    return x.find(step);
  std::size_t index = 0;
  const auto* end = step.data() + step.size();
  const auto [rest, error] = std::from_chars(step.data(), end, index);
  if (error != std::errc{} || rest != end || index >= x.items.size())
    return nullptr;
  return &x.items[index];
}

// How far a path leads, and what it leads to.
std::pair<std::size_t, const yaml_node*> follow(const yaml_node& root, const lint_path& path) {
  const auto* node = &root;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto* next = step_into(*node, path[i]);
    if (next == nullptr)
      return {i, node};
    node = next;
  }
  return {path.size(), node};
}

mark place_of(const yaml_node& root, const lint& x) {
  mark result = root.at;
  for (const auto& path : x.places) {
    const auto [steps, node] = follow(root, path);
    result = node->at;
    if (steps == path.size())
      break;
  }
  return result;
}

} // namespace

std::span<const lint_check> lint_checks() noexcept {
  return checks;
}

std::vector<lint> lints(const scenario& x) {
  lint_list found;
  for (const auto& check : checks) {
    found.begin(check);
    check.look(x, found);
  }
  return found.take();
}

std::string to_string(const lint& x) {
  std::string result = x.grade == lint_grade::note ? "note: " : "lint: ";
  result += x.message + " [";
  return result.append(x.id).append(": ").append(x.rules) + "]";
}

std::vector<problem> locate(std::span<const lint> remarks, std::string_view text,
                            const std::string& name, const scenario_folder& folder) {
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    text.remove_prefix(3);
  problem_list files{name};
  auto root = parse_yaml(text, files);
  if (root)
    insert_fault_files(*root, folder, files);
  std::vector<problem> result;
  for (const auto& x : remarks) {
    const auto at = root ? place_of(*root, x) : mark{};
    result.push_back({files.file_name(at), at.line, at.column, to_string(x)});
  }
  return result;
}

void lint_list::add(std::vector<lint_path> places, std::string message) {
  lints_.push_back(
    {current_->id, current_->rules, current_->grade, std::move(places), std::move(message)});
}

void lint_list::add(lint_path place, std::string message) {
  add(std::vector<lint_path>{std::move(place)}, std::move(message));
}

lint_path source_in_region::in_source(std::string_view key) const {
  if (composite.signal == health_signal::readiness)
    return {"producers", published.service, "service_health", std::string{key}};
  return {"producers", published.service,     "composite_health",
          "sources",   std::to_string(index), std::string{key}};
}

void for_each_source(const scenario& x, const std::function<void(const source_in_region&)>& visit) {
  for (const auto& published : x.published_services) {
    if (!published.composite_health)
      continue;
    const auto& sources = published.composite_health->sources;
    for (std::size_t i = 0; i < sources.size(); ++i)
      for (const auto& backend : published.backend_services)
        if (backend.name == sources[i].backend_service)
          visit({published, *published.composite_health, sources[i], backend, i});
  }
}

std::vector<lint_path> in_backend(const published_service_spec& published,
                                  const backend_service_spec& backend,
                                  std::span<const std::string_view> keys) {
  lint_path above{"producers", published.service, "overrides", published.region, backend.name};
  lint_path below{"producers", published.service, "backend_services", backend.name};
  above.insert(above.end(), keys.begin(), keys.end());
  below.insert(below.end(), keys.begin(), keys.end());
  return {std::move(above), std::move(below)};
}

namespace {

// The keys under `autoscaling` that bound a policy's counts.
struct bound_keys {
  using keys = std::vector<std::string_view>;
  keys min;
  keys max;

  static bound_keys of(const cloud_run_config&) { return {{"min_instances"}, {"max_instances"}}; }
  static bound_keys of(const fixed_config&) { return {{"instances"}, {"instances"}}; }
  static bound_keys of(const knative_kpa_config&) {
    return {{"annotations", "min-scale"}, {"annotations", "max-scale"}};
  }
  static bound_keys of(const netscaler_adm_config&) { return {{"min_nodes"}, {"max_nodes"}}; }
  static bound_keys of(const hpa_config&) { return {{"min_replicas"}, {"max_replicas"}}; }
};

bound_place place_of(const published_service_spec& published, const backend_service_spec& backend,
                     bound_keys::keys bound_keys::*which) {
  auto keys =
    std::visit([](const auto& x) { return bound_keys::of(x); }, backend.autoscaling).*which;
  std::string name{keys.back()};
  keys.insert(keys.begin(), "autoscaling");
  return {std::move(name), in_backend(published, backend, keys)};
}

} // namespace

bound_place minimum_of(const published_service_spec& published,
                       const backend_service_spec& backend) {
  return place_of(published, backend, &bound_keys::min);
}

bound_place maximum_of(const published_service_spec& published,
                       const backend_service_spec& backend) {
  return place_of(published, backend, &bound_keys::max);
}

scaling_bounds bounds_in(const backend_service_spec& x) {
  auto result = bounds_of(x.autoscaling);
  if (x.scaling.manual_instances)
    return {*x.scaling.manual_instances, *x.scaling.manual_instances};
  if (x.scaling.max_instances)
    result.max = std::min(result.max, *x.scaling.max_instances);
  result.min = std::min(std::max(result.min, x.scaling.min_instances.value_or(0)), result.max);
  return result;
}

const published_service_spec* find_published(const scenario& x, std::string_view service,
                                             std::string_view region) noexcept {
  for (const auto& y : x.published_services)
    if (y.service == service && y.region == region)
      return &y;
  return nullptr;
}

bool hits(const fault& x, std::string_view region) {
  return std::visit([region](const auto& what) { return touches(what, region); }, x.what);
}

instant end_of(const fault& x, const scenario& in) noexcept {
  const auto end = run_start + in.lasts;
  // Compared as spans: the sum may be beyond what an instant can hold.
  return x.lasts && *x.lasts < end - x.at ? x.at + *x.lasts : end;
}

const fault* first_fault(const scenario& x, std::string_view region,
                         const std::function<bool(const fault&)>& matches) {
  const fault* result = nullptr;
  for (const auto& y : x.faults)
    if (y.at >= run_start + x.warm_up && (region.empty() || hits(y, region))
        && (result == nullptr || y.at < result->at) && matches(y))
      result = &y;
  return result;
}

std::string number_text(double x) {
  return format_number(std::round(x * 100) / 100);
}

double share_of(const published_service_spec& published,
                const backend_service_spec& backend) noexcept {
  double total = 0;
  for (const auto& x : published.backend_services)
    total += x.weight;
  return backend.weight / total;
}

} // namespace spillover
