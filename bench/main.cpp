#include "actors/world.hpp"
#include "bench/decisions.hpp"
#include "bench/lane_mmc.hpp"
#include "bench/native_loop.hpp"
#include "bench/routing.hpp"
#include "bench/worlds.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace spillover;
using namespace spillover::bench;

constexpr std::uint32_t servers = 100;
constexpr double load = 0.8;

/// One job, and its requests a second of wall time, one figure a round.
struct series {
  std::string name;
  std::function<std::uint64_t(std::uint32_t round)> run;
  std::vector<double> rates = {};
};

template <class F>
double rate_of(F&& run) {
  const auto begin = std::chrono::steady_clock::now();
  const std::uint64_t requests = run();
  const auto seconds =
    std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return static_cast<double>(requests) / seconds;
}

double median(std::vector<double> x) {
  std::sort(x.begin(), x.end());
  return x[x.size() / 2];
}

std::uint64_t run_world(job what, std::uint32_t instances, std::uint64_t requests) {
  const auto x = full_path(what, instances, requests);
  world w{x};
  w.run_until(run_start + x.lasts);
  w.finish();
  std::uint64_t taken = 0;
  for (const auto& e : w.log().events())
    if (const auto* b = std::get_if<books_closed>(&e.what); b && b->account == "consumer")
      taken += b->taken;
  return taken;
}

/// Ratios are taken round by round, because the machine's speed drifts.
void report(const series& x, const series& reference) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < x.rates.size(); ++i)
    ratios.push_back(x.rates[i] / reference.rates[i]);
  const auto [low, high] = std::minmax_element(ratios.begin(), ratios.end());
  fmt::print("{:<42} {:>8.3f} M requests/s   {:.3f} of the loop ({:.3f}..{:.3f})\n", x.name,
             median(x.rates) / 1e6, median(ratios), *low, *high);
}

/// The first is what all others are compared with.
std::vector<series> all_series(std::uint64_t requests) {
  std::vector<series> result;
  result.push_back({fmt::format("hand-written loop, M/M/{}", servers), [=](std::uint32_t round) {
                      return native_mmc(servers, load, requests, round).requests;
                    }});
  result.push_back({"lane and actors alone, the same job",
                    [=](std::uint32_t round) { return lane_mmc(servers, load, requests, round); }});
  result.push_back({"clients, revision and instances", [=](std::uint32_t round) {
                      return actor_mmc(servers, load, requests, round);
                    }});
  const auto path = [&](const char* name, job what, std::uint32_t n) {
    result.push_back({fmt::format("full path{}, {} instances", name, n),
                      [=](std::uint32_t) { return run_world(what, n, requests); }});
  };
  for (const auto n : {10U, 100U, 1'000U, 10'000U})
    path("", job::mmc, n);
  for (const auto n : {100U, 10'000U})
    path(" with CPU sharing", job::web, n);
  return result;
}

/// A decision about 1,000 instances takes at most so many steps of the loop.
constexpr double most_steps = 50;

/// @returns every policy that decides, with room for so many instances, so that no bound spares it work.
std::vector<autoscaling_config> all_policies(std::uint32_t instances) {
  cloud_run_config cloud_run;
  cloud_run.max_instances = 2 * instances;
  hpa_config hpa;
  hpa.kubernetes.max_replicas = static_cast<std::int32_t>(2 * instances);
  netscaler_adm_config netscaler;
  netscaler.adm.max_nodes = 2 * instances;
  return {cloud_run, knative_kpa_config{}, hpa, netscaler};
}

/// A step of the loop is one of its events, two for each request. Of some measurements the least counts:
/// whatever else the machine does only adds.
/// @returns whether every policy keeps to `most_steps`
bool report_decisions(const series& reference, std::uint32_t instances, std::uint32_t decisions) {
  const auto step = 1e9 / (2 * median(reference.rates));
  auto kept = true;
  for (const auto& x : all_policies(instances)) {
    auto least = decide_often(x, instances, decisions);
    for (int again = 0; again < 2; ++again) {
      const auto cost = decide_often(x, instances, decisions);
      least = {std::min(least.decide, cost.decide), std::min(least.observe, cost.observe)};
    }
    const auto steps = static_cast<double>(least.decide.count()) / step;
    kept = kept && steps <= most_steps;
    fmt::print(
      "a decision of {:<27} {:>8} ns, {:.1f} steps of the loop{}; taking in a second {} ns\n",
      fmt::format("{}, {} instances", policy_of(x), instances), least.decide.count(), steps,
      steps <= most_steps ? "" : fmt::format(", ABOVE {:.0f}", most_steps), least.observe.count());
  }
  return kept;
}

/// A choice of a region among 3 and among 100 takes at most so many steps of the loop.
struct routing_limit {
  std::uint32_t regions;
  double steps;
};
constexpr routing_limit routing_limits[] = {{3, 2}, {100, 15}};

/// @returns whether every router keeps to its limits
bool report_routing(const series& reference, std::uint32_t picks) {
  const auto step = 1e9 / (2 * median(reference.rates));
  auto kept = true;
  std::array<std::pair<const char*, load_balancer_config>, 4> routers{
    {{"failover", {}}, {"envoy", {}}, {"dns", {}}, {"capacity", {}}}};
  routers[1].second.kind = load_balancer_kind::envoy;
  routers[2].second.kind = load_balancer_kind::dns;
  routers[3].second.distribution.emplace();
  for (const auto& [name, config] : routers)
    for (const auto& limit : routing_limits) {
      auto least = route_often(config, limit.regions, picks);
      for (int again = 0; again < 4; ++again)
        least = std::min(least, route_often(config, limit.regions, picks));
      const auto steps = least / step;
      kept = kept && steps <= limit.steps;
      fmt::print("a choice of {:<29} {:>8.1f} ns, {:.1f} steps of the loop{}\n",
                 fmt::format("{}, {} regions", name, limit.regions), least, steps,
                 steps <= limit.steps ? "" : fmt::format(", ABOVE {:.0f}", limit.steps));
    }
  return kept;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App program{"Measures the emulator against a hand-written event loop, in one run"};
  bool brief = false;
  std::uint32_t rounds = 7;
  std::string only;
  program.add_flag("--short", brief, "A tenth of the work, for a quick look");
  program.add_option("--rounds", rounds, "Rounds; medians are printed")
    ->check(CLI::PositiveNumber)
    ->capture_default_str();
  program.add_option("--only", only, "Only the loop and the rows whose name contains this");
  CLI11_PARSE(program, argc, argv);

  auto rows = all_series(brief ? 200'000 : 2'000'000);
  rows.erase(
    std::remove_if(rows.begin() + 1, rows.end(),
                   [&](const series& x) { return x.name.find(only) == std::string::npos; }),
    rows.end());
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (auto& x : rows)
      x.rates.push_back(rate_of([&] { return x.run(round); }));
  for (const auto& x : rows)
    report(x, rows.front());
  auto kept = true;
  if (std::string{"decision"}.find(only) != std::string::npos)
    kept = report_decisions(rows.front(), 1'000, brief ? 100 : 3'000);
  if (std::string{"choice"}.find(only) != std::string::npos)
    kept = report_routing(rows.front(), brief ? 20'000 : 1'000'000) && kept;
  return kept ? 0 : 1;
}
