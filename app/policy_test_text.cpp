#include "app/policy_test_text.hpp"

#include "report/format.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace spillover::app {

namespace {

using json = nlohmann::ordered_json;

std::string share_of(duration part, const endpoint_timeline& timeline) {
  // In milliseconds: shares are made by products, for which nanoseconds are too many.
  constexpr duration unit = std::chrono::milliseconds{1};
  return share_text(static_cast<std::uint64_t>(part / unit),
                    static_cast<std::uint64_t>((timeline.lasts - timeline.warm_up) / unit));
}

/// The outcomes of one region under each policy.
struct region_rows {
  std::string service;
  std::string region;
  std::vector<std::pair<std::string, const region_outcome*>> by_policy;
};

std::vector<region_rows> rows_of(const std::vector<policy_outcome>& outcomes) {
  std::vector<region_rows> result;
  for (std::size_t s = 0; s < outcomes.front().services.size(); ++s)
    for (std::size_t r = 0; r < outcomes.front().services[s].regions.size(); ++r) {
      const auto& service = outcomes.front().services[s];
      region_rows rows{service.service, service.regions[r].region, {}};
      for (const auto& x : outcomes)
        rows.by_policy.emplace_back(x.policy, &x.services[s].regions[r]);
      result.push_back(std::move(rows));
    }
  return result;
}

std::string table(const region_rows& rows, const endpoint_timeline& timeline) {
  std::size_t width = 6;
  for (const auto& [name, x] : rows.by_policy)
    width = std::max(width, name.size());
  auto result = fmt::format("{}/{}\n  {:<{}} {:>11} {:>5} {:>11} {:>18} {:>12} {:>13}\n"
                            "  {:<{}} {:>11} {:>5} {:>11} {:>18} {:>12} {:>13}\n",
                            rows.region, rows.service, "", width, "", "", "", "longest outage",
                            "avoided", "used though", "policy", width, "transitions", "flaps",
                            "unhealthy", "not noticed", "though fine", "not fine");
  for (const auto& [name, x] : rows.by_policy)
    result += fmt::format("  {:<{}} {:>11} {:>5} {:>11} {:>18} {:>12} {:>13}\n", name, width,
                          x->transitions, x->flaps, clock_text(x->unhealthy),
                          clock_text(x->unnoticed), share_of(x->avoided_though_fine, timeline),
                          share_of(x->used_though_not_fine, timeline));
  return result;
}

std::string transitions(const region_rows& rows) {
  std::string result;
  for (const auto& [name, x] : rows.by_policy) {
    if (!x->steps.empty())
      result += fmt::format("  {}\n", name);
    for (const auto& step : x->steps)
      result +=
        fmt::format("    {:>12}  {} -> {}{}   {}\n", instant_text(step.at), to_string(step.before),
                    to_string(step.after), step.flap ? " (flap)" : "", step.why);
    for (const auto& broken : x->broken)
      result += fmt::format("    FAIL          {}\n", broken);
  }
  return result;
}

json limits_json(const region_outcome& x) {
  auto result = json::array();
  for (const auto& broken : x.broken)
    result.push_back(broken);
  return result;
}

json region_json(const region_outcome& x) {
  auto steps = json::array();
  for (const auto& step : x.steps)
    steps.push_back({{"at_ns", step.at.time_since_epoch().count()},
                     {"before", to_string(step.before)},
                     {"after", to_string(step.after)},
                     {"flap", step.flap},
                     {"why", step.why}});
  return {{"region", x.region},
          {"transitions", x.transitions},
          {"flaps", x.flaps},
          {"unhealthy_ns", x.unhealthy.count()},
          {"unnoticed_ns", x.unnoticed.count()},
          {"unnoticed_from_ns", x.unnoticed_from.time_since_epoch().count()},
          {"avoided_though_fine_ns", x.avoided_though_fine.count()},
          {"used_though_not_fine_ns", x.used_though_not_fine.count()},
          {"broken", limits_json(x)},
          {"steps", std::move(steps)}};
}

} // namespace

std::string policy_test_text(const endpoint_timeline& timeline, const policy_test& test,
                             const std::vector<policy_outcome>& outcomes) {
  const auto judged = timeline.lasts - timeline.warm_up;
  auto result = fmt::format("{}: {} {}, {} judged; a region is fine while {} of the endpoints of "
                            "each source answer\n",
                            timeline.name, exact_text(timeline.lasts),
                            timeline.recorded ? "as a run recorded them" : "as invented",
                            exact_text(judged), percent_text(test.fine));
  for (const auto& rows : rows_of(outcomes))
    result += "\n" + table(rows, timeline) + transitions(rows);
  return result;
}

std::string policy_test_json(const endpoint_timeline& timeline, const policy_test& test,
                             const std::vector<policy_outcome>& outcomes) {
  auto policies = json::array();
  for (const auto& x : outcomes) {
    auto services = json::array();
    for (const auto& service : x.services) {
      auto regions = json::array();
      for (const auto& region : service.regions)
        regions.push_back(region_json(region));
      services.push_back({{"service", service.service}, {"regions", std::move(regions)}});
    }
    policies.push_back({{"policy", x.policy}, {"met", x.met()}, {"services", std::move(services)}});
  }
  const json result = {{"timeline", timeline.name},
                       {"recorded", timeline.recorded},
                       {"seed", timeline.seed},
                       {"lasts_ns", timeline.lasts.count()},
                       {"warm_up_ns", timeline.warm_up.count()},
                       {"fine", percent_text(test.fine)},
                       {"flap_within_ns", test.flap_within.count()},
                       {"policies", std::move(policies)}};
  return result.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace spillover::app
