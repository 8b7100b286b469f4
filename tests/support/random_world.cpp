#include "tests/support/random_world.hpp"

#include "lb/outlier_detection.hpp"
#include "model/random.hpp"

#include <algorithm>

namespace spillover::test {

namespace {

using namespace std::chrono_literals;

class world_maker {
public:
  world_maker(std::uint64_t seed, bool calm)
    : random_(seed, "random world"),
      probes_(seed, "random world/probes"),
      health_(seed, "random world/health"),
      calm_(calm) {
    result_.name = "random-world";
    result_.seed = seed;
    result_.lasts = random_world_lasts;
  }

  scenario make();

private:
  std::uint32_t between(std::uint32_t least, std::uint32_t most) {
    return least + static_cast<std::uint32_t>(random_.below(most - least + 1));
  }
  bool one_in(std::uint32_t n) { return random_.below(n) == 0; }
  double share() { return 1 - random_.unit(); }
  /// In milliseconds, because nothing meets by chance at odd nanoseconds.
  duration span(duration least, duration most) {
    return least + 1ms * random_.below(static_cast<std::uint64_t>((most - least) / 1ms) + 1);
  }
  template <class T>
  const T& one_of(const std::vector<T>& x) {
    return x[random_.below(x.size())];
  }

  void add_probes(instance_config& x);
  void vary_checks(backend_service_spec& x);
  void vary_health(published_service_spec& x);
  backend_service_spec backend_service(const std::string& name);
  void add_service(const std::string& name);
  void add_consumer(const std::string& name);
  link_config link();
  std::string any_backend();
  symptom any_symptom();
  instance_fault on_instances();
  link_fault on_link();
  link_symptom any_link_symptom();
  quota_fault on_quota();
  decltype(fault::what) any_target();
  void watch_for_outliers(load_balancer_config& x);
  void add_fault();

  random_stream random_;
  random_stream probes_; // of its own, so that probes change nothing else of a world
  random_stream health_; // likewise
  bool calm_;
  scenario result_;
};

void world_maker::add_probes(instance_config& x) {
  const auto below = [this](std::uint32_t n) {
    return static_cast<std::uint32_t>(probes_.below(n));
  };
  const auto seconds = [&below](std::uint32_t most) {
    return std::chrono::seconds{1 + below(most)};
  };
  x.startup_cpu_boost = below(2) == 0;
  if (below(2) == 0) {
    auto& probe = x.startup_probe.emplace(custom_startup_probe());
    probe.kind = below(2) == 0 ? startup_probe_kind::tcp : startup_probe_kind::custom;
    probe.period = seconds(3);
    // In a calm world every start ends well that no fault keeps from it.
    probe.failure_threshold = calm_ ? 6 : 1 + below(3);
  }
  if (below(2) == 0) {
    auto& probe = x.liveness_probe.emplace();
    probe.initial_delay = seconds(4) - 1s;
    probe.period = seconds(5);
    probe.failure_threshold = 1 + below(3);
  }
  if (below(2) == 0) {
    auto& probe = x.readiness_probe.emplace();
    probe.period = seconds(5);
    probe.failure_threshold = 1 + below(3);
    probe.success_threshold = 1 + below(3);
  }
  x.restart_backoff = {.base = seconds(5), .max = 20s, .reset_after = 30s};
}

// What a health check can be beside its times, and auto-healing, in a third of the worlds each.
void world_maker::vary_checks(backend_service_spec& x) {
  const auto below = [this](std::uint32_t n) {
    return static_cast<std::uint32_t>(health_.below(n));
  };
  auto& check = x.health_check;
  if (below(3) == 0)
    check.protocol = static_cast<probe_protocol>(below(5));
  check.first_result_decides = below(3) == 0;
  check.error_decides = below(3) == 0;
  if (below(3) == 0) {
    check.unhealthy_interval = 100ms * (1 + below(20));
    check.healthy_edge_interval = 100ms * (1 + below(20));
  }
  if (below(3) == 0)
    check.no_traffic_interval = 1s * (1 + below(10));
  if (below(3) == 0) {
    check.initial_delay = 1s * below(4);
    check.network_lag = 1s * below(8);
  }
  if (below(3) == 0)
    x.auto_healing = auto_healing_config{1s * below(10), {.interval = 2s, .timeout = 1s}};
}

// Who else looks at health: a load balancer in front, or nobody but readiness probes.
void world_maker::vary_health(published_service_spec& x) {
  if (health_.below(2) == 0) {
    x.load_balancer =
      producer_balancer_config{static_cast<producer_balancer>(health_.below(3)), false};
    return;
  }
  const auto probed = [](const backend_service_spec& y) {
    return y.instance.readiness_probe.has_value();
  };
  if (!x.composite_health
      || !std::all_of(x.backend_services.begin(), x.backend_services.end(), probed))
    return;
  x.composite_health->signal = health_signal::readiness;
  for (auto& source : x.composite_health->sources)
    source.policy = x.composite_health->sources.front().policy;
  for (auto& y : x.backend_services) {
    y.health_check = {};
    y.auto_healing.reset();
  }
}

backend_service_spec world_maker::backend_service(const std::string& name) {
  backend_service_spec x;
  x.name = name;
  x.weight = between(1, 3);
  x.instance.cpu = between(1, 2);
  x.instance.concurrency = calm_ ? 80 : between(1, 20);
  x.instance.service_time = exponential_distribution{span(5ms, 100ms)};
  x.instance.cpu_per_request = span(0ms, 10ms);
  x.instance.cold_start = constant_distribution{span(0ms, 3s)};
  add_probes(x.instance);
  if (calm_ || one_in(3)) {
    x.autoscaling = fixed_config{between(2, 5)};
  } else {
    cloud_run_config scaling;
    scaling.min_instances = between(0, 3);
    scaling.max_instances = scaling.min_instances + between(1, 8);
    x.autoscaling = scaling;
  }
  auto& check = x.health_check;
  check.interval = span(1s, 5s);
  check.timeout = span(1s, check.interval);
  check.healthy_threshold = between(1, 3);
  check.unhealthy_threshold = between(1, 3);
  check.probers = between(1, 5);
  x.scale_in.idle_timeout = 20s;
  if (!calm_)
    vary_checks(x);
  return x;
}

void world_maker::add_service(const std::string& name) {
  std::vector<backend_service_spec> backends{backend_service("web")};
  if (one_in(3))
    backends.push_back(backend_service("api"));
  std::optional<composite_health_spec> composite;
  if (calm_ || !one_in(3)) {
    composite.emplace();
    for (const auto& x : backends)
      composite->sources.push_back({x.name, {between(20, 100), between(1, 2)}});
    composite->propagation.warm_up = 20s;
  }
  published_service_spec published{name, {}, backends, composite};
  if (!calm_)
    vary_health(published);
  const auto first = random_.below(result_.regions.size());
  for (std::size_t i = 0; i < result_.regions.size(); ++i)
    if (i == first || one_in(2)) {
      published.region = result_.regions[i];
      result_.published_services.push_back(published);
    }
}

link_config world_maker::link() {
  link_config x;
  x.latency = span(1ms, 80ms);
  x.jitter = span(0ms, 5ms);
  if (!calm_ && one_in(4))
    x.loss = 0.02;
  return x;
}

void world_maker::add_consumer(const std::string& name) {
  consumer_spec x;
  x.name = name;
  x.service = one_of(result_.published_services).service;
  x.load_balancer.timeout = calm_ ? 5s : span(200ms, 5s);
  x.load_balancer.retries = between(0, 2);
  for (const auto& y : result_.published_services) {
    if (y.service != x.service)
      continue;
    x.regions.push_back(y.region);
    result_.links.push_back({name, y.region, {link(), link()}});
    result_.links.push_back({y.region, name, {link(), link()}});
  }
  open_loop_config open;
  open.rate = {{run_start, static_cast<double>(between(1, 10)), false}};
  x.traffic.emplace_back(open);
  if (one_in(2))
    x.traffic.emplace_back(
      closed_loop_config{between(1, 3), constant_distribution{span(100ms, 2s)}});
  // Not drawn, so that what else there is stays as it is without.
  if (result_.consumers.size() % 2 == 1)
    x.traffic.emplace_back(push_subscription_config{.publish = {.rate = {{run_start, 5, false}}},
                                                    .retry = push_retry{1s, 20s}});
  x.client.timeout = span(6s, 10s);
  x.client.retries = between(0, 2);
  result_.consumers.push_back(std::move(x));
}

std::string world_maker::any_backend() {
  const auto& service = one_of(result_.published_services);
  return service.path() + "/" + one_of(service.backend_services).name;
}

symptom world_maker::any_symptom() {
  symptom x;
  x.become = static_cast<ailment>(random_.below(9));
  switch (x.become) {
    case ailment::failing:
      x.error_fraction = share();
      x.affects = static_cast<affected_part>(random_.below(3));
      break;
    case ailment::silent: x.affects = static_cast<affected_part>(random_.below(3)); break;
    case ailment::slow:
    case ailment::slow_starting: x.factor = 1 + 4 * share(); break;
    case ailment::waiting: x.by = span(1ms, 2s); break;
    case ailment::leaking: x.vcpu_per_minute = 4 * share(); break;
    case ailment::hung:
    case ailment::crashed:
    case ailment::unstartable: break;
  }
  return x;
}

instance_fault world_maker::on_instances() {
  instance_fault x;
  x.of = any_backend();
  x.suffer = any_symptom();
  if (one_in(2))
    x.count = between(1, 6);
  else
    x.fraction = share();
  if (x.suffer.become == ailment::crashed && one_in(2))
    x.restart_jitter = span(1ms, 5s);
  return x;
}

link_symptom world_maker::any_link_symptom() {
  link_symptom x;
  x.become = static_cast<link_ailment>(random_.below(7));
  switch (x.become) {
    case link_ailment::cut: break;
    case link_ailment::delayed:
    case link_ailment::jittery: x.by = span(1ms, 2s); break;
    case link_ailment::lossy:
    case link_ailment::duplicating: x.share = share(); break;
    case link_ailment::reordering:
      x.share = share();
      x.by = span(1ms, 2s);
      break;
    case link_ailment::limited:
      x.per_second = between(1, 10);
      x.by = span(0ms, 2s);
      break;
  }
  return x;
}

link_fault world_maker::on_link() {
  const auto& link = one_of(result_.links);
  link_fault x{.from = link.from, .to = link.to, .both = one_in(2)};
  x.data = !one_in(3);
  x.health = !x.data || one_in(2);
  x.suffer = any_link_symptom();
  return x;
}

quota_fault world_maker::on_quota() {
  quota_fault x;
  x.of = any_backend();
  if (one_in(2))
    x.starts_per_minute = between(0, 3);
  if (!x.starts_per_minute || one_in(2))
    x.instances = between(0, 4);
  return x;
}

decltype(fault::what) world_maker::any_target() {
  const auto fate = one_in(2) ? ailment::silent : ailment::crashed;
  switch (random_.below(13)) {
    case 0: return zone_fault{one_of(result_.regions), one_in(2) ? "a" : "b", fate, {}};
    case 1: return region_fault{one_of(result_.regions), fate, {}};
    case 2: {
      prober_fault x{.of = any_backend()};
      x.become = one_in(2) ? prober_ailment::lost : prober_ailment::cut_off;
      if (one_in(2))
        x.count = 1;
      return x;
    }
    case 3: return on_quota();
    case 4: return consumer_fault{one_of(result_.consumers).name};
    case 5: return clock_fault{one_of(result_.regions), one_in(2) ? 3s : -1s};
    case 6: return balancer_fault{one_of(result_.consumers).name, one_in(2) ? 1 : 0.25};
    case 7:
    case 8:
    case 9: return on_link();
    default: return on_instances();
  }
}

void world_maker::add_fault() {
  fault x;
  x.at = run_start + span(20s, calm_ ? 60s : 160s);
  if (calm_)
    x.lasts = span(1ms, faults_over - x.at.time_since_epoch());
  else if (!one_in(3))
    x.lasts = span(1ms, 60s);
  if (one_in(4)) {
    flapping flap;
    flap.period = span(1s, 10s);
    flap.down = span(1ms, flap.period - 1ms);
    x.flap = flap;
  }
  x.what = any_target();
  result_.faults.push_back(std::move(x));
}

// In a calm world every ejection is over long before it must be calm again.
void world_maker::watch_for_outliers(load_balancer_config& x) {
  auto& detection = x.outlier_detection.emplace();
  x.proxies = between(1, 4);
  detection.consecutive_5xx = between(1, 5);
  detection.interval = span(1s, 5s);
  detection.base_ejection_time = span(1s, 10s);
  detection.max_ejection_time = 20s;
  detection.max_ejection_percent = between(0, 100);
  detection.split_external_local_origin_errors = one_in(2);
  detection.success_rate_minimum_hosts = between(2, 5);
  detection.success_rate_request_volume = between(1, 20);
}

scenario world_maker::make() {
  std::vector<std::string> regions;
  for (std::uint32_t i = 0, n = between(1, 6); i < n; ++i)
    regions.push_back("region-" + std::to_string(i + 1));
  result_.regions = regions;
  for (std::uint32_t i = 0, n = between(1, 4); i < n; ++i)
    add_service("service-" + std::to_string(i + 1));
  // Regions of a scenario are those of its services.
  std::erase_if(result_.regions, [this](const std::string& name) {
    return std::none_of(result_.published_services.begin(), result_.published_services.end(),
                        [&name](const auto& x) { return x.region == name; });
  });
  for (std::uint32_t i = 0, n = between(1, 3); i < n; ++i)
    add_consumer("consumer-" + std::to_string(i + 1));
  for (std::uint32_t i = 0, n = between(1, 8); i < n; ++i)
    add_fault();
  for (auto& x : result_.consumers)
    if (one_in(2))
      watch_for_outliers(x.load_balancer);
  return std::move(result_);
}

} // namespace

scenario random_world(std::uint64_t seed, bool calm) {
  return world_maker{seed, calm}.make();
}

} // namespace spillover::test
