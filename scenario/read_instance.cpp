#include "scenario/names.hpp"
#include "scenario/read.hpp"

namespace spillover {

namespace {

// Requests an instance takes at a time when nobody says: the product's default, and Kubernetes'
// (C-3) and NetScaler's, which is no limit.
std::uint32_t default_concurrency(const autoscaling_config& policy, double cpu) {
  const auto counted = std::holds_alternative<cloud_run_config>(policy)
                       || std::holds_alternative<fixed_config>(policy);
  if (!counted)
    return 0;
  return std::holds_alternative<cloud_run_config>(policy) && cpu < 1 ? 1 : 80;
}

void read_cold_start(const section& from, distribution& into) {
  std::string runtime;
  from.at("cold_start").read("runtime", runtime);
  if (runtime.empty())
    from.read("cold_start", into);
  else
    into = find_cold_start(runtime).value();
}

// What a user configures has other defaults than the product's own probe, which is on TCP and has no
// other key.
startup_probe_config default_startup_probe(const section& from, startup_probe_kind kind) {
  auto result = custom_startup_probe();
  result.kind = kind;
  for (const auto key : {"initial_delay", "period", "timeout", "failure_threshold"})
    if (from.has(key))
      return result;
  return kind == startup_probe_kind::tcp ? startup_probe_config{} : result;
}

void read_probe(const section& from, std::optional<startup_probe_config>& into) {
  auto kind = into ? into->kind : startup_probe_kind::tcp;
  read_name(from, "kind", startup_probe_kinds, kind);
  if (!into || kind != into->kind)
    into = default_startup_probe(from, kind);
  from.read("initial_delay", into->initial_delay);
  from.read("period", into->period);
  from.read("timeout", into->timeout);
  from.read("failure_threshold", into->failure_threshold);
}

void read_probe(const section& from, std::optional<liveness_probe_config>& into) {
  if (!into)
    into.emplace();
  from.read("initial_delay", into->initial_delay);
  from.read("period", into->period);
  from.read("timeout", into->timeout);
  from.read("failure_threshold", into->failure_threshold);
}

void read_probe(const section& from, std::optional<readiness_probe_config>& into) {
  if (!into)
    into.emplace();
  from.read("period", into->period);
  from.read("timeout", into->timeout);
  from.read("failure_threshold", into->failure_threshold);
  from.read("success_threshold", into->success_threshold);
}

// `off`, or a probe.
template <class Probe>
void read_switch(const section& from, std::string_view key, std::optional<Probe>& into) {
  const auto* x = from.find(key);
  if (x == nullptr)
    return;
  if (x->is_text())
    into.reset();
  else
    read_probe(from.at(key), into);
}

void read_containers(const section& from, instance_config& into) {
  from.read("startup_cpu_boost", into.startup_cpu_boost);
  read_switch(from, "startup_probe", into.startup_probe);
  read_switch(from, "liveness_probe", into.liveness_probe);
  read_switch(from, "readiness_probe", into.readiness_probe);
  const auto backoff = from.at("restart_backoff");
  backoff.read("base", into.restart_backoff.base);
  backoff.read("max", into.restart_backoff.max);
  backoff.read("reset_after", into.restart_backoff.reset_after);
}

// A node that the policy provisions is no container.
void refuse_containers(const section& from, const autoscaling_config& policy,
                       instance_config& into) {
  const instance_config plain;
  into.cold_start = plain.cold_start;
  into.startup_cpu_boost = false;
  into.startup_probe.reset();
  into.liveness_probe.reset();
  into.readiness_probe.reset();
  into.restart_backoff = {};
  const auto no_meaning = "has no meaning with policy " + std::string{policy_of(policy)};
  if (from.has("cold_start"))
    from.fail("cold_start", no_meaning + ", whose provisioning_time says how long a node takes");
  for (const auto key : {"startup_cpu_boost", "startup_probe", "liveness_probe", "readiness_probe",
                         "restart_backoff"})
    if (from.has(key))
      from.fail(key, no_meaning + ", whose nodes are no containers");
}

void read_sidecars(const section& from, std::vector<sidecar_config>& into) {
  if (!from.has("sidecars"))
    return;
  into.clear();
  for (const auto& x : from.list("sidecars")) {
    sidecar_config sidecar;
    section{from.problems(), &x, x.at}.read("cpu", sidecar.cpu);
    into.push_back(sidecar);
  }
}

} // namespace

void read_instance(const section& from, const autoscaling_config& policy, instance_config& into) {
  const auto before = from.problems().size();
  from.read("cpu", into.cpu);
  if (from.given("concurrency"))
    from.read("concurrency", into.concurrency);
  else
    into.concurrency = default_concurrency(policy, into.cpu);
  if (platform_of(policy, into).start_time) {
    refuse_containers(from, policy, into);
  } else {
    read_cold_start(from, into.cold_start);
    read_containers(from, into);
  }
  from.read("service_time", into.service_time);
  from.read("cpu_per_request", into.cpu_per_request);
  read_sidecars(from, into.sidecars);
  const auto counted = platform_of(policy, into).packs();
  if (counted && into.concurrency == 0 && from.fine({"concurrency"}))
    from.fail("concurrency", "must be at least 1 with policy " + std::string{policy_of(policy)}
                               + "; got 0, which is no limit");
  if (from.clean() && from.problems().size() == before)
    from.report(validate(into));
}

} // namespace spillover
