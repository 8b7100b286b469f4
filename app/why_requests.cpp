#include "app/why_requests.hpp"

#include "actors/world.hpp"
#include "app/commands.hpp"
#include "app/repeated_run.hpp"
#include "report/request_keeper.hpp"
#include "report/why_request.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

namespace spillover::app {

namespace {

/// A request that shall be explained.
struct chosen_request {
  std::string consumer;
  std::uint64_t number = 0;
  std::string kept_as;
};

bool knows_consumer(const scenario& x, const std::string& name) {
  return std::any_of(x.consumers.begin(), x.consumers.end(),
                     [&](const consumer_spec& y) { return y.name == name; });
}

/// Adds the first `count` of those kept for a reason, in an order.
template <class Before>
void pick(const kept_requests& from, const request_choice& choice, bool kept_request::*reason,
          std::uint32_t count, Before before, std::vector<chosen_request>& to) {
  std::vector<kept_request> all;
  for (const auto& x : from.requests)
    if (x.*reason
        && (choice.consumer.empty() || from.consumers[x.what.consumer] == choice.consumer))
      all.push_back(x);
  std::stable_sort(all.begin(), all.end(), before);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, all.size()); ++i)
    to.push_back({from.consumers[all[i].what.consumer], all[i].what.number, reasons_of(all[i])});
}

/// @returns what shall be explained, or nothing, having said why.
std::optional<std::vector<chosen_request>> choose(const recorded_run& run,
                                                  const request_choice& choice) {
  if (!choice.consumer.empty() && !knows_consumer(run.spec, choice.consumer)) {
    fmt::print(stderr, "spillover: the run has no consumer {}\n", choice.consumer);
    return std::nullopt;
  }
  if (choice.number) {
    if (choice.consumer.empty() && run.spec.consumers.size() != 1) {
      fmt::print(stderr, "spillover: --id needs --consumer, as the run has several\n");
      return std::nullopt;
    }
    const auto name = choice.consumer.empty() ? run.spec.consumers.front().name : choice.consumer;
    return std::vector{chosen_request{name, *choice.number, {}}};
  }
  const auto kept = read_kept_or_explain(run);
  if (!kept)
    return std::nullopt;
  std::vector<chosen_request> result;
  if (choice.failed)
    pick(
      *kept, choice, &kept_request::failed, *choice.failed,
      [](const kept_request& a, const kept_request& b) { return a.what.ended < b.what.ended; },
      result);
  if (choice.slowest)
    pick(
      *kept, choice, &kept_request::slow, *choice.slowest,
      [](const kept_request& a, const kept_request& b) {
        return a.what.latency() > b.what.latency();
      },
      result);
  return result;
}

/// @returns whether all of them ended; says which did not.
bool check_ended(const std::vector<traced_request>& all) {
  for (const auto& x : all) {
    if (x.ended())
      continue;
    fmt::print(stderr, "spillover: request {} of {} {}\n", x.number, x.consumer,
               x.hops.empty() ? "does not exist in this run" : "had not ended when the run did");
    return false;
  }
  return true;
}

void print(const event_index& index, const std::vector<chosen_request>& chosen,
           std::vector<traced_request> all, bool json) {
  // In the order in which they were chosen, not in that of their numbers.
  std::vector<traced_request> ordered;
  for (const auto& x : chosen)
    ordered.push_back(*std::find_if(all.begin(), all.end(), [&x](const traced_request& y) {
      return y.consumer == x.consumer && y.number == x.number;
    }));
  if (json) {
    fmt::print("{}", to_json(index, ordered));
    return;
  }
  for (std::size_t i = 0; i < ordered.size(); ++i)
    fmt::print("{}{}", i == 0 ? "" : "\n", to_text(index, ordered[i], chosen[i].kept_as));
}

} // namespace

int explain_requests(const recorded_run& run, const request_choice& choice) {
  const auto chosen = choose(run, choice);
  if (!chosen)
    return bad_input;
  if (chosen->empty()) {
    fmt::print(stderr, "spillover: the run kept no such request\n");
    return bad_input;
  }
  std::vector<request_name> names;
  for (const auto& x : *chosen)
    names.push_back({x.consumer, x.number});
  return repeat_run(run, names, never, true, [&](const world& w) {
    auto all = w.traced().requests();
    if (!check_ended(all))
      return static_cast<int>(bad_input);
    print(event_index{w.log()}, *chosen, std::move(all), choice.json);
    return static_cast<int>(all_met);
  });
}

} // namespace spillover::app
