#include "tests/scenario/random_service.hpp"

#include "scenario/plan.hpp"

#include <algorithm>

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

// Policies whose keys are all written: an override adds to what its service has, and takes nothing away.
revision_spec any_own(random_source& from, const backend_service_spec& of, std::string name) {
  revision_spec x{std::move(name), of.instance, of.autoscaling,
                  of.pending,      of.scale_in, of.request_timeout};
  if (from.coin())
    return x;
  cloud_run_config policy;
  policy.max_instances = from.between(1, 10'000);
  policy.min_instances = from.between(0, policy.max_instances);
  x.autoscaling = policy;
  x.instance = {64 * (1 - from.unit()), from.between(1, 1'000), from.any_distribution(),
                from.any_distribution(), from.span(0s, 1s)};
  x.pending = {from.span(1ns, 1min), 10 * (1 - from.unit())};
  x.scale_in = {from.share(false), std::chrono::seconds{from.between(1, 3'600)}, from.span(1ns, 1h),
                from.span(1ns, 1h)};
  x.request_timeout = from.span(1s, 3600s);
  return x;
}

/// Shares of some of the names, in their order, and tags.
std::vector<traffic_target> any_traffic(random_source& from,
                                        const std::vector<std::string>& names) {
  std::vector<traffic_target> x;
  std::uint32_t left = 100;
  for (const auto& name : names)
    if (left > 1 && from.coin()) {
      const auto percent = from.between(1, left - 1);
      x.push_back({name, percent});
      left -= percent;
    }
  x.push_back({"", left});
  for (const auto& name : names)
    if (from.coin())
      x.push_back({.revision = name, .tag = "tag-" + name});
  if (from.coin())
    x.push_back({.tag = "newest"});
  return x;
}

service_scaling any_scaling(random_source& from) {
  if (from.coin())
    return {.manual_instances = from.between(1, 10'000)};
  service_scaling x{.max_instances = from.between(1, 10'000)};
  if (from.coin())
    x.min_instances = from.between(0, *x.max_instances);
  return x;
}

bool can_be_scaled(const backend_service_spec& x) {
  const auto is_cloud_run = [](const auto& y) {
    return std::holds_alternative<cloud_run_config>(y.autoscaling);
  };
  return x.revisions.empty() ? is_cloud_run(x)
                             : std::all_of(x.revisions.begin(), x.revisions.end(), is_cloud_run);
}

std::vector<std::string> names_of(const backend_service_spec& x) {
  std::vector<std::string> names;
  for (const auto& y : x.revisions)
    names.push_back(y.name);
  return names;
}

/// Those that exist when the run begins.
std::vector<std::string> names_at_start(const backend_service_spec& x) {
  std::vector<std::string> names;
  for (const auto& y : x.revisions)
    if (std::any_of(x.traffic.begin(), x.traffic.end(),
                    [&y](const auto& z) { return z.revision == y.name; }))
      names.push_back(y.name);
  if (names.empty() && !x.revisions.empty())
    names.push_back(x.revisions.front().name);
  return names;
}

deploy_action any_deployment(random_source& from, const std::string& revision) {
  deploy_action x{revision};
  if (from.coin())
    x.plan.steps = {from.between(1, 50), from.between(51, 100)};
  x.plan.every = from.span(1ns, 1h);
  x.plan.deadline = from.span(1ns, 1h);
  return x;
}

} // namespace

void add_containers(random_source& from, instance_config& x) {
  const auto seconds = [&from](std::uint32_t least, std::uint32_t most) {
    return std::chrono::seconds{from.between(least, most)};
  };
  for (auto count = from.between(0, 9); count > 0; --count)
    x.sidecars.push_back({64 * (1 - from.unit())});
  x.startup_cpu_boost = from.coin();
  if (from.coin()) {
    auto& probe = x.startup_probe.emplace();
    probe.kind = from.coin() ? startup_probe_kind::tcp : startup_probe_kind::custom;
    probe.initial_delay = seconds(0, 240);
    probe.period = seconds(1, 240);
    probe.timeout = seconds(1, static_cast<std::uint32_t>(probe.period / 1s));
    probe.failure_threshold = from.between(1, static_cast<std::uint32_t>(600s / probe.period));
  }
  if (from.coin()) {
    auto& probe = x.liveness_probe.emplace();
    probe.initial_delay = seconds(0, 3'600);
    probe.period = seconds(1, 3'600);
    probe.timeout = seconds(1, static_cast<std::uint32_t>(probe.period / 1s));
    probe.failure_threshold = from.between(1, 1'000);
  }
  if (from.coin()) {
    auto& probe = x.readiness_probe.emplace();
    probe.period = seconds(1, 3'600);
    probe.timeout = seconds(1, static_cast<std::uint32_t>(probe.period / 1s));
    probe.failure_threshold = from.between(1, 1'000);
    probe.success_threshold = from.between(1, 1'000);
  }
  x.restart_backoff.base = from.span(1ns, 1min);
  x.restart_backoff.max = from.span(x.restart_backoff.base, 1h);
  x.restart_backoff.reset_after = from.span(1ns, 1h);
}

void add_revisions(random_source& from, std::uint32_t count, backend_service_spec& into) {
  for (std::uint32_t i = 1; i <= count; ++i)
    into.revisions.push_back(any_own(from, into, "v" + std::to_string(i)));
  if (from.coin())
    into.traffic = any_traffic(from, names_of(into));
  if (can_be_scaled(into) && from.coin())
    into.scaling = any_scaling(from);
}

patch_policy_action any_patch(random_source& from, duration at_most) {
  patch_policy_action result;
  result.healthy_percent_threshold = from.between(0, 100);
  if (from.coin())
    result.min_healthy_threshold = from.between(1, 10'000);
  if (from.coin())
    result.read_at = run_start + from.span(0s, at_most);
  if (from.coin())
    result.takes_effect_after = from.span(0s, 1h);
  return result;
}

update_check_action any_update(random_source& from, const health_check_config& of) {
  update_check_action result;
  result.healthy_threshold = from.between(1, 10);
  if (from.coin())
    result.unhealthy_threshold = from.between(1, 10);
  if (from.coin())
    result.interval = from.span(of.interval, 300s);
  if (from.coin())
    result.timeout = of.timeout;
  return result;
}

std::vector<service_action> any_actions(random_source& from, const published_service_spec& service,
                                        const backend_service_spec& of, duration lasts,
                                        const std::string& name) {
  const auto path = service.path() + "/" + of.name;
  std::vector<service_action> result;
  auto there = names_at_start(of);
  const auto part = lasts / 4;
  const auto add = [&](std::uint32_t place, auto what) {
    result.push_back({run_start + place * part + from.span(0s, part - 1ns), path, std::move(what),
                      from.coin() ? name + std::to_string(place) : ""});
  };
  for (const auto& x : names_of(of))
    if (std::find(there.begin(), there.end(), x) == there.end()) {
      add(0, any_deployment(from, x));
      there.push_back(x);
      break;
    }
  if (from.coin())
    add(1, split_action{any_traffic(from, there)});
  if (!there.empty() && from.coin())
    add(2, roll_back_action{from.one_of(there)});
  if (can_be_scaled(of) && from.coin())
    add(3, scale_action{{.min_instances = 1, .max_instances = from.between(1, 10'000)}});
  const auto counts = [&of](const auto& x) { return x.backend_service == of.name; };
  const auto& health = service.composite_health;
  if (health && std::any_of(health->sources.begin(), health->sources.end(), counts) && from.coin())
    result.push_back({run_start + 3 * part, path, any_patch(from, 3 * part)});
  if (!counts_by_readiness(service) && from.coin())
    result.push_back({run_start + 3 * part, path, any_update(from, of.health_check)});
  return result;
}

std::string any_revision(random_source& from, const backend_service_spec& of) {
  return of.revisions.empty() || from.coin() ? "" : from.one_of(of.revisions).name;
}

} // namespace spillover::test
