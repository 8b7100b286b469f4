#include "tests/scenario/random_scenario.hpp"

#include "tests/scenario/random_balancer.hpp"
#include "tests/scenario/random_failover.hpp"
#include "tests/scenario/random_health.hpp"
#include "tests/scenario/random_load.hpp"
#include "tests/scenario/random_outliers.hpp"
#include "tests/scenario/random_service.hpp"
#include "tests/scenario/random_source.hpp"

#include <algorithm>
#include <utility>

namespace spillover::test {

namespace {
using namespace std::chrono_literals;

class maker : private random_source {
public:
  explicit maker(std::uint64_t seed) : random_source(seed) {}

  scenario make();

private:
  backend_service_spec any_backend_service(const std::string& name, std::uint32_t revisions);
  void add_service(const std::string& name);
  std::vector<outcome> outcomes_of(std::initializer_list<outcome> allowed);
  void add_consumer(const std::string& name);
  symptom any_symptom();
  instance_fault any_instance_fault(const published_service_spec& service);
  zone_fault any_zone_fault(const published_service_spec& service);
  quota_fault any_quota_fault(const published_service_spec& service);
  link_symptom any_link_symptom();
  prober_fault any_prober_fault(const published_service_spec& service);
  void add_fault();
  void add_actions(const published_service_spec& service, const backend_service_spec& of);
  std::optional<std::uint32_t> any_choice();
  event_pattern any_pattern();
  expectation any_expectation();
  expectation any_revision_expectation(const published_service_spec& service);
  void add_expectation();
  void add_stop_condition();

  scenario result_;
};

backend_service_spec maker::any_backend_service(const std::string& name, std::uint32_t revisions) {
  backend_service_spec x;
  x.name = name;
  x.backends = coin() ? backend_kind::instance_group : backend_kind::network_endpoint_group;
  x.weight = between(1, 1'000);
  x.zones = between(1, 26);
  x.instance = {64 * (1 - random_.unit()), between(1, 1'000), any_distribution(),
                any_distribution(), span(0s, 1s)};
  x.autoscaling = any_autoscaling(*this);
  if (platform_of(x.autoscaling, x.instance).packs()) {
    x.pending = {span(1ns, 1min), 10 * (1 - random_.unit())};
    x.scale_in = {share(false), std::chrono::seconds{between(1, 3'600)}, span(1ns, 1h)};
    // Always with sessions: an override cannot take them away.
    x.routing = {coin(), coin(), session_affinity_config{between(1, 1'000'000), span(1ns, 720h)}};
  } else if (coin()) {
    x.instance.concurrency = 0;
  }
  if (const auto where = platform_of(x.autoscaling, x.instance); where.start_time)
    x.instance.cold_start = instance_config{}.cold_start;
  else
    x.scale_in.drain_deadline = span(1ns, 1h);
  if (!platform_of(x.autoscaling, x.instance).start_time)
    add_containers(*this, x.instance);
  x.health_check = any_health_check(*this);
  // An override cannot take Envoy's intervals away, nor can another kind of backends keep auto-healing.
  if (x.backends == backend_kind::instance_group && coin())
    x.auto_healing =
      auto_healing_config{std::chrono::seconds{between(0, 3'600)}, any_health_check(*this)};
  x.request_timeout = span(1s, 3600s);
  x.billing = any_billing(*this, x.autoscaling);
  add_revisions(*this, revisions, x);
  return x;
}

void maker::add_service(const std::string& name) {
  std::vector<std::string> regions;
  for (const auto& x : result_.regions)
    if (regions.empty() || coin())
      regions.push_back(x);
  std::vector<std::string> names{"web"};
  auto revisions = coin() ? between(0, 3) : 0;
  std::vector<backend_service_spec> backends{any_backend_service("web", revisions)};
  if (coin()) {
    names.emplace_back("api");
    revisions = between(0, 1);
    backends.push_back(any_backend_service("api", revisions));
  }
  std::optional<composite_health_spec> composite;
  if (coin())
    composite = any_composite(*this, names);
  for (const auto& region : regions) {
    auto here = backends;
    if (coin())
      here.back() = any_backend_service(names.back(), revisions);
    result_.published_services.push_back({name, region, here, composite});
  }
  if (coin())
    balance(*this, name, result_.published_services);
  if (coin())
    judge_by_readiness(*this, name, result_.published_services);
}

std::vector<outcome> maker::outcomes_of(std::initializer_list<outcome> allowed) {
  std::vector<outcome> x;
  for (const auto y : allowed)
    if (coin())
      x.push_back(y);
  return x;
}

void maker::add_consumer(const std::string& name) {
  consumer_spec x;
  x.name = name;
  x.service = one_of(result_.published_services).service;
  if (coin())
    x.tag = coin() ? "newest" : "tag-v1";
  auto& lb = x.load_balancer;
  lb.kind = static_cast<load_balancer_kind>(random_.below(6));
  lb.timeout = span(1ms, 86'400s);
  lb.retry_on.clear();
  lb.retries = 0;
  if (tries_again(lb.kind)) {
    lb.retries = between(0, 25);
    lb.retry_on =
      outcomes_of({outcome::bad_gateway, outcome::unavailable, outcome::internal_error});
  }
  lb.unknown = static_cast<unknown_policy>(random_.below(3));
  if (lb.kind != load_balancer_kind::dns) {
    lb.proxies = between(1, 1'000);
    if (!makes_connections(lb) && coin())
      lb.outlier_detection = any_outlier_detection(random_.bits());
    if (!makes_connections(lb) && coin())
      lb.circuit_breakers = any_circuit_breakers(random_.bits());
  }
  any_tries(random_.bits(), lb);
  any_of_kind(random_.bits(), lb);
  std::vector<link_spec> links;
  for (const auto& y : result_.published_services)
    if (y.service == x.service && (links.empty() || coin())) {
      link_spec there{name, y.region, {}};
      link_spec back{y.region, name, {}};
      for (auto* link : {&there, &back})
        for (auto& plane : link->planes)
          plane = {span(0s, 1s), span(0s, 1s), share(true)};
      links.push_back(there);
      links.push_back(back);
    }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < links.size(); i += 2)
    order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&links](std::size_t a, std::size_t b) {
    return links[a].planes[0].latency + links[a + 1].planes[0].latency
           < links[b].planes[0].latency + links[b + 1].planes[0].latency;
  });
  for (const auto i : order) {
    x.regions.push_back(links[i].to);
    result_.links.push_back(links[i]);
    result_.links.push_back(links[i + 1]);
  }
  if (lb.kind == load_balancer_kind::envoy)
    lb.envoy = any_envoy(random_.bits(), static_cast<std::uint32_t>(x.regions.size()));
  add_distribution(random_.bits(), result_, x);
  add_failover(*this, result_.lasts, x);
  for (std::uint32_t i = 0; i < between(1, 3); ++i)
    x.traffic.push_back(any_load(*this));
  if (x.traffic.empty())
    x.traffic.emplace_back(closed_loop_config{});
  if (coin())
    x.client.timeout = span(1ms, 86'400s);
  x.client.retries = between(0, 25);
  x.client.backoff_base = span(0s, 1s);
  x.client.backoff_max = x.client.backoff_base + span(0s, 1min);
  x.client.backoff_jitter = share(true);
  x.client.retry_on =
    outcomes_of({outcome::client_timeout, outcome::lb_timeout, outcome::unavailable});
  result_.consumers.push_back(std::move(x));
}

symptom maker::any_symptom() {
  symptom x;
  x.become = static_cast<ailment>(random_.below(9));
  switch (x.become) {
    case ailment::failing:
      x.error_fraction = share(false);
      x.status = coin() ? outcome::internal_error : outcome::unavailable;
      [[fallthrough]];
    case ailment::silent: x.affects = static_cast<affected_part>(random_.below(3)); break;
    case ailment::slow:
    case ailment::slow_starting: x.factor = 1 + 999 * (1 - random_.unit()); break;
    case ailment::waiting: x.by = span(1ns, 1h); break;
    case ailment::leaking: x.vcpu_per_minute = 64 * (1 - random_.unit()); break;
    case ailment::hung:
    case ailment::crashed:
    case ailment::unstartable: break;
  }
  return x;
}

instance_fault maker::any_instance_fault(const published_service_spec& service) {
  instance_fault x;
  x.of = service.path() + "/" + one_of(service.backend_services).name;
  x.suffer = any_symptom();
  if (coin())
    x.count = between(1, 10'000);
  else
    x.fraction = share(false);
  if (x.suffer.become == ailment::crashed)
    x.restart_jitter = span(0s, 1h);
  return x;
}

zone_fault maker::any_zone_fault(const published_service_spec& service) {
  const auto zones = service.backend_services.front().zones;
  zone_fault x{service.region, std::string(1, "abcdefghijklmnopqrstuvwxyz"[random_.below(zones)])};
  if (coin()) {
    x.become = ailment::crashed;
    x.restart_jitter = span(0s, 1h);
  }
  return x;
}

quota_fault maker::any_quota_fault(const published_service_spec& service) {
  quota_fault x{service.path() + "/" + one_of(service.backend_services).name};
  if (coin())
    x.starts_per_minute = between(0, 1'000'000);
  if (!x.starts_per_minute || coin())
    x.instances = between(0, 1'000'000);
  return x;
}

link_symptom maker::any_link_symptom() {
  using enum link_ailment;
  switch (random_.below(7)) {
    case 0: return {.become = delayed, .by = span(1ns, 24h)};
    case 1: return {.become = jittery, .by = span(1ns, 1s)};
    case 2: return {.become = lossy, .share = share(false)};
    case 3: return {.become = duplicating, .share = share(false)};
    case 4: return {.become = reordering, .by = span(1ns, 1s), .share = share(false)};
    case 5: return {.become = limited, .by = span(0s, 1s), .per_second = between(1, 1'000'000)};
    default: return {};
  }
}

prober_fault maker::any_prober_fault(const published_service_spec& service) {
  const auto& backend = one_of(service.backend_services);
  prober_fault x;
  x.of = service.path() + "/" + backend.name;
  x.become = coin() ? prober_ailment::lost : prober_ailment::cut_off;
  if (coin())
    x.count = between(1, backend.health_check.probers);
  return x;
}

void maker::add_fault() {
  fault x;
  x.at = run_start + span(0s, result_.lasts - 1ns);
  if (coin())
    x.lasts = span(1ns, 1h);
  if (coin())
    x.name = "fault-" + std::to_string(result_.faults.size());
  if (coin()) {
    x.flap = {span(1s, 1h), {}};
    x.flap->down = span(1ms, x.flap->period - 1ns);
  }
  const auto& service = one_of(result_.published_services);
  const auto& link = one_of(result_.links);
  switch (random_.below(9)) {
    case 0: x.what = any_instance_fault(service); break;
    case 1:
      x.what = coin() ? region_fault{service.region}
                      : region_fault{service.region, ailment::crashed, span(0s, 1h)};
      break;
    case 2: x.what = any_zone_fault(service); break;
    case 3: x.what = any_quota_fault(service); break;
    case 4: x.what = any_prober_fault(service); break;
    case 5: x.what = consumer_fault{one_of(result_.consumers).name}; break;
    case 6: {
      const auto& of = one_of(result_.consumers);
      balancer_fault y{of.name, share(false)};
      y.status = coin() ? outcome::bad_gateway : outcome::internal_error;
      x.what = y;
      if (of.load_balancer.kind == load_balancer_kind::dns)
        x.what = consumer_fault{of.name};
      break;
    }
    case 7: {
      const auto& consumer = one_of(result_.consumers);
      const auto ahead = span(1ns, 24h);
      x.what = clock_fault{coin() ? service.region : consumer.name, coin() ? ahead : -ahead};
      break;
    }
    default: {
      link_fault y{.from = link.from, .to = link.to, .both = coin()};
      y.data = coin();
      y.health = !y.data || coin();
      y.suffer = any_link_symptom();
      x.what = y;
    }
  }
  result_.faults.push_back(std::move(x));
}

void maker::add_actions(const published_service_spec& service, const backend_service_spec& of) {
  const auto name = "a" + std::to_string(result_.actions.size()) + "-";
  for (auto& x : any_actions(*this, service, of, result_.lasts, name))
    result_.actions.push_back(std::move(x));
}

std::optional<std::uint32_t> maker::any_choice() {
  return coin() ? std::optional{between(1, 3)} : std::nullopt;
}

event_pattern maker::any_pattern() {
  const auto& service = one_of(result_.published_services);
  event_pattern x{one_of(event_kinds())};
  switch (random_.below(4)) {
    case 0: break;
    case 1: {
      const auto& backend = one_of(service.backend_services);
      x.of = service.path() + "/" + backend.name;
      if (!backend.revisions.empty())
        x.of += "/" + one_of(backend.revisions).name;
      x.of += coin() ? "" : "/17";
      break;
    }
    case 2: x.of = one_of(result_.consumers).name + "/lb"; break;
    default: x.of = one_of(result_.links).path();
  }
  for (const auto& field : fields_of_kind(x.kind)) {
    const auto value =
      one_of<std::string>({"true", "5", "a b", "", "HEALTHY", "ready", "-7", "0x1"});
    if (problem_of_value(x.kind, field, value).empty())
      x.where.emplace_back(field, value);
  }
  return x;
}

expectation maker::any_revision_expectation(const published_service_spec& service) {
  const auto& backend = one_of(service.backend_services);
  const auto path = service.path() + "/" + backend.name;
  const auto from = run_start + span(0s, result_.warm_up);
  const auto to = run_start + result_.lasts;
  const auto revision = any_revision(*this, backend);
  switch (random_.below(4)) {
    case 0:
      return expect_queue{path, coin() ? std::optional{from} : std::nullopt,
                          coin() ? std::optional{to} : std::nullopt, between(0, 1'000), revision};
    case 1: {
      expect_rate x{revision.empty() && coin() ? service.region : path, from, to};
      x.revision = revision;
      x.at_least = 100 * random_.unit();
      if (coin())
        x.at_most = *x.at_least + 1;
      return x;
    }
    case 2: {
      expect_instances x{path, coin() ? from : to, to};
      x.revision = revision;
      x.at_most = between(10, 1'000);
      if (coin())
        x.at_least = between(0, 10);
      return x;
    }
    default: {
      expect_cost x{.of = coin() ? "" : path};
      auto& limit = coin() ? x.instance_seconds_at_most : x.vcpu_seconds_at_most;
      limit = random_.below(1'000'000'000'000);
      x.from = coin() ? std::optional{from} : std::nullopt;
      x.to = coin() ? std::optional{to} : std::nullopt;
      return x;
    }
  }
}

expectation maker::any_expectation() {
  const auto& service = one_of(result_.published_services);
  const auto& consumer = one_of(result_.consumers);
  const auto from = run_start + span(0s, result_.warm_up);
  const auto to = run_start + result_.lasts;
  const auto is_push = [](const auto& x) {
    return std::holds_alternative<push_subscription_config>(x);
  };
  if (std::any_of(consumer.traffic.begin(), consumer.traffic.end(), is_push) && coin())
    return any_backlog(*this, consumer.name, from, to);
  switch (random_.below(10)) {
    case 0: return expect_failover{service.region, span(1ns, 1h), any_choice()};
    case 1: return expect_failback{service.region, span(1ns, 1h), any_choice()};
    case 2: return expect_capacity_recovered{service.region, span(1ns, 1h), any_choice()};
    case 3: {
      expect_errors x{from, to, share(false), coin() ? consumer.name : "",
                      coin() ? one_of(consumer.regions) : ""};
      if (coin())
        x.at_least = std::exchange(x.at_most, coin() ? x.at_most : std::nullopt);
      return x;
    }
    case 4:
      if (service.composite_health)
        return expect_transitions{service.path(), between(0, 1'000)};
      [[fallthrough]];
    case 5:
      return expect_clock{static_cast<failover_clock>(random_.below(5)), service.region,
                          span(0s, 1h)};
    case 6:
      return expect_latency{share(false), from, to, span(1ns, 1h), coin() ? consumer.name : ""};
    case 7: return expect_lost{random_.below(1'000), coin() ? consumer.name : "", span(0s, 1min)};
    case 8: return expect_sequence{{any_pattern(), any_pattern()}, span(0s, 1h)};
    default: return any_revision_expectation(service);
  }
}

void maker::add_expectation() {
  auto x = any_expectation();
  if (coin())
    x.name = "e: " + std::to_string(result_.expectations.size());
  result_.expectations.push_back(std::move(x));
}

void maker::add_stop_condition() {
  const auto& service = one_of(result_.published_services);
  const auto& backend = one_of(service.backend_services);
  const auto path = service.path() + "/" + backend.name;
  const auto revision = any_revision(*this, backend);
  const auto lasting = std::min<duration>(std::chrono::seconds{between(1, 60)}, result_.lasts);
  stop_condition x;
  switch (random_.below(4)) {
    case 0:
      // Whole seconds may not fit behind the warm-up.
      if (result_.lasts - result_.warm_up >= 1s)
        x.what = stop_on_errors{share(true), 1s, coin() ? one_of(result_.consumers).name : ""};
      else
        x.what = stop_on_queue{path, 5, lasting};
      break;
    case 1: x.what = stop_on_queue{path, between(0, 1'000), lasting, revision}; break;
    case 2:
      x.what = stop_on_instances{path, between(10, 20), between(1, 10), lasting, revision};
      break;
    default: {
      auto pattern = any_pattern();
      while (pattern.kind == "run_stopped" || pattern.kind == "run_ended"
             || pattern.kind == "books_closed")
        pattern = any_pattern();
      x.what = stop_on_event{std::move(pattern)};
    }
  }
  if (coin())
    x.name = "s" + std::to_string(result_.stop_if.size());
  result_.stop_if.push_back(std::move(x));
}

scenario maker::make() {
  result_.name = "random";
  result_.description = coin() ? "" : "a: \"b\" # c\n\t\xc3\xa4 {d}, 'e'";
  result_.seed = random_.bits() >> (1 + random_.below(63));
  result_.lasts = std::chrono::floor<std::chrono::seconds>(span(10s, 24h));
  result_.warm_up = span(0s, result_.lasts - 1ns);
  result_.regions = {"us-east1"};
  if (coin())
    result_.regions.emplace_back("true"); // a name that YAML would take for something else
  if (coin())
    result_.regions.emplace_back("us-west1");
  add_service("checkout");
  // Regions are those of the services, in their order.
  std::vector<std::string> used;
  for (const auto& x : result_.published_services)
    used.push_back(x.region);
  result_.regions = used;
  if (coin())
    add_service("null");
  add_consumer("shop");
  if (coin())
    add_consumer("false");
  for (std::uint32_t i = 0; i < between(0, 4); ++i)
    add_fault();
  for (const auto& x : result_.published_services)
    for (const auto& backend : x.backend_services)
      if (coin())
        add_actions(x, backend);
  for (std::uint32_t i = 0; i < between(0, 4); ++i)
    add_expectation();
  for (std::uint32_t i = 0; i < between(0, 2); ++i)
    add_stop_condition();
  result_.recovery = {std::chrono::seconds{between(1, 3'600)}, share(false)};
  return std::move(result_);
}

} // namespace

scenario random_scenario(std::uint64_t seed) {
  return maker{seed}.make();
}

} // namespace spillover::test
