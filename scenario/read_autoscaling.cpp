#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

#include <array>
#include <span>

namespace spillover {

namespace {

// The keys that each policy has beside `policy` itself.
constexpr std::array<std::string_view, 1> fixed_keys{"instances"};
constexpr std::array<std::string_view, 7> cloud_run_keys{
  "variant",    "min_instances", "max_instances", "cpu_target", "concurrency_target",
  "evaluation", "dead_band"};
constexpr std::array<std::string_view, 8> knative_kpa_keys{
  "config",        "annotations", "reachable", "deployed_at_start",
  "report_offset", "tick_offset", "routing",   "scrape_sample"};

using key_list = std::span<const std::string_view>;

constexpr std::array<std::pair<std::string_view, key_list>, 3> keys_by_policy{{
  {fixed_config::policy, fixed_keys},
  {cloud_run_config::policy, cloud_run_keys},
  {knative_kpa_config::policy, knative_kpa_keys},
}};

void refuse_other_keys(const section& from, std::string_view policy) {
  const auto own =
    std::find_if(keys_by_policy.begin(), keys_by_policy.end(), [policy](const auto& x) {
      return x.first == policy;
    })->second;
  std::string allowed{"policy"};
  for (const auto key : own)
    allowed.append(", ").append(key);
  for (const auto& [other, keys] : keys_by_policy)
    for (const auto key : keys)
      if (from.has(key) && std::find(own.begin(), own.end(), key) == own.end())
        from.fail(key,
                  "has no meaning with policy " + std::string{policy} + "; allowed: " + allowed);
}

// A target is within the product's range, or 0, which turns its driver off.
void check_target(const section& from, std::string_view key, double value) {
  if (from.fine({key}) && value != 0 && (value < 0.1 || value > 0.95))
    from.fail(key, "must be between 10% and 95%, or 0 to turn the driver off; got "
                     + format_number(value * 100) + "%");
}

void read_policy(const section& from, cloud_run_config& into) {
  read_name(from, "variant", cloud_run_variants, into.variant);
  from.read("min_instances", into.min_instances);
  from.read("max_instances", into.max_instances);
  from.read("cpu_target", into.cpu_target);
  from.read("concurrency_target", into.concurrency_target);
  from.read("evaluation", into.evaluation);
  from.read("dead_band", into.dead_band);

  if (from.fine({"min_instances", "max_instances"}) && into.min_instances > into.max_instances)
    from.fail("min_instances",
              "must be at most max_instances (" + std::to_string(into.max_instances) + "); got "
                + std::to_string(into.min_instances),
              "max_instances");
  check_target(from, "cpu_target", into.cpu_target);
  check_target(from, "concurrency_target", into.concurrency_target);
  if (from.fine({"cpu_target", "concurrency_target"}) && into.cpu_target == 0
      && into.concurrency_target == 0)
    from.fail("concurrency_target",
              "both drivers are off; one of cpu_target and "
              "concurrency_target must be above 0",
              "cpu_target");
}

void read_policy(const section& from, fixed_config& into) {
  from.read("instances", into.instances);
}

// Knative takes texts, numbers and truths alike; what they mean is its own affair.
void read_texts(const section& from, std::map<std::string, std::string, std::less<>>& into,
                std::string_view key) {
  for (const auto& x : from.entries(key))
    if (!x.value.bad)
      into[x.key] = x.value.text;
}

void read_policy(const section& from, knative_kpa_config& into) {
  read_texts(from, into.knative.config, "config");
  read_texts(from, into.knative.annotations, "annotations");
  auto reachable = into.knative.reach != kpa::reachability::unreachable;
  from.read("reachable", reachable);
  into.knative.reach = reachable ? kpa::reachability::reachable : kpa::reachability::unreachable;
  from.read("deployed_at_start", into.deployed_at_start);
  from.read("report_offset", into.report_offset);
  from.read("tick_offset", into.tick_offset);
  read_name(from, "routing", spreads, into.routing);
  from.read("scrape_sample", into.scrape_sample);
  // Knative's rules beside whatever else is wrong: a value that is not allowed was not read.
  from.report(validate(into, 0));
}

// Requests an instance takes at a time when nobody says: the product's default, and Knative's
// (C-3), which is no limit.
std::uint32_t default_concurrency(const autoscaling_config& policy, double cpu) {
  if (std::holds_alternative<knative_kpa_config>(policy))
    return 0;
  return std::holds_alternative<cloud_run_config>(policy) && cpu < 1 ? 1 : 80;
}

} // namespace

void read_autoscaling(const section& from, autoscaling_config& into) {
  std::string policy{policy_of(into)};
  if (!from.fine({"policy"}))
    return;
  from.read("policy", policy);
  // Another policy than before begins with its own defaults.
  if (policy != policy_of(into))
    into = default_policy(policy).value();
  refuse_other_keys(from, policy);
  std::visit([&from](auto& x) { read_policy(from, x); }, into);
}

void read_instance(const section& from, const autoscaling_config& policy, instance_config& into) {
  const auto before = from.problems().size();
  from.read("cpu", into.cpu);
  if (from.given("concurrency"))
    from.read("concurrency", into.concurrency);
  else
    into.concurrency = default_concurrency(policy, into.cpu);
  from.read("cold_start", into.cold_start);
  from.read("service_time", into.service_time);
  from.read("cpu_per_request", into.cpu_per_request);
  const auto counted = platform_of(policy, into).packs();
  if (counted && into.concurrency == 0 && from.fine({"concurrency"}))
    from.fail("concurrency", "must be at least 1 with policy " + std::string{policy_of(policy)}
                               + "; got 0, which is no limit");
  if (from.clean() && from.problems().size() == before)
    from.report(validate(into));
}

} // namespace spillover
