#include "tests/support/random_revisions.hpp"

#include "model/random.hpp"

#include <algorithm>
#include <string>

namespace spillover::test {

namespace {

/// Gives backend services revisions, and an operator something to do.
class deployer {
public:
  deployer(scenario& of, std::uint64_t seed) : result_(of), random_(seed, "revisions") {}

  void work() {
    for (auto& service : result_.published_services)
      for (auto& backend : service.backend_services)
        if (one_in(2))
          divide(service.path() + "/" + backend.name, backend);
    std::stable_sort(result_.actions.begin(), result_.actions.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
  }

private:
  bool one_in(std::uint32_t n) { return random_.below(n) == 0; }

  std::string any_revision(const backend_service_spec& x) {
    return x.revisions[random_.below(x.revisions.size())].name;
  }

  std::vector<traffic_target> any_split(const backend_service_spec& x) {
    const auto share = static_cast<std::uint32_t>(random_.below(100)) + 1;
    std::vector<traffic_target> result{{x.revisions[0].name, share}};
    if (share < 100)
      result.push_back({x.revisions[1].name, 100 - share});
    if (one_in(3))
      result.push_back({any_revision(x), 0, "canary"});
    return result;
  }

  void divide(const std::string& path, backend_service_spec& x) {
    const auto cloud_run = std::holds_alternative<cloud_run_config>(x.autoscaling);
    for (const auto* name : {"v1", "v2", "v3"}) {
      revision_spec own{name, x.instance, x.autoscaling, x.pending, x.scale_in, x.request_timeout};
      if (one_in(2))
        own.instance.cold_start =
          constant_distribution{std::chrono::milliseconds{1 + random_.below(20'000)}};
      x.revisions.push_back(own);
    }
    if (one_in(2))
      x.traffic = any_split(x);
    if (cloud_run && one_in(3))
      x.scaling.max_instances = 1 + static_cast<std::uint32_t>(random_.below(10));
    for (auto n = random_.below(5); n > 0; --n)
      result_.actions.push_back(any_action(path, x, cloud_run));
  }

  service_action any_action(const std::string& path, const backend_service_spec& x,
                            bool cloud_run) {
    service_action result;
    result.at = run_start + std::chrono::milliseconds{5'000 + random_.below(140'000)};
    result.of = path;
    switch (random_.below(cloud_run ? 5 : 4)) {
      case 0: result.what = split_action{any_split(x)}; break;
      case 1: result.what = roll_back_action{any_revision(x)}; break;
      case 2:
      case 3: {
        rollout_plan plan;
        if (one_in(2))
          plan = {.steps = {10, 50, 100}, .every = std::chrono::seconds{5}};
        if (one_in(3))
          plan.deadline = std::chrono::seconds{5};
        result.what = deploy_action{any_revision(x), plan};
        break;
      }
      default:
        result.what =
          scale_action{{.manual_instances = 1 + static_cast<std::uint32_t>(random_.below(6))}};
    }
    return result;
  }

  scenario& result_;
  random_stream random_;
};

} // namespace

void add_revisions(scenario& x, std::uint64_t seed) {
  deployer{x, seed}.work();
}

} // namespace spillover::test
