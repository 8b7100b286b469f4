#include "report/why_words.hpp"

#include "report/event_index.hpp"
#include "report/format.hpp"
#include "report/why_capacity.hpp"
#include "report/why_connection.hpp"
#include "report/why_decisions.hpp"
#include "report/why_outlier.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace spillover {

namespace {

std::string plural(std::uint64_t count, const char* one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string name_of(health x) {
  return std::string{to_string(x)};
}

struct sentences {
  const event& of;

  [[nodiscard]] std::string parent() const { return std::string{parent_of(of.entity)}; }

  event_words operator()(const run_started& x) const {
    return {"the run " + x.name + " begins, seed " + std::to_string(x.seed), {}};
  }
  event_words operator()(const run_ended&) const { return {"the run ends", {}}; }
  event_words operator()(const run_stopped& x) const {
    return {"the run is stopped: " + x.reason, {}};
  }
  event_words operator()(const site_joined& x) const {
    return {"the site " + of.entity + (x.late ? " takes part again" : " takes part"),
            {"process " + std::to_string(x.incarnation)}};
  }
  event_words operator()(const site_lost& x) const {
    return {"the site " + x.site + " is lost", {x.reason}};
  }
  event_words operator()(const site_returned& x) const {
    return {"the site " + x.site + " is heard of again", {}};
  }
  event_words operator()(const operator_acted& x) const {
    return {"an operator had this done: " + x.what, {x.who}};
  }
  event_words operator()(const fault_started& x) const {
    return {"fault" + (x.name.empty() ? "" : " " + x.name) + " sets in: " + x.what, {}};
  }
  event_words operator()(const fault_ended& x) const {
    return {"the fault is over: " + x.what, {}};
  }
  event_words operator()(const fault_applied& x) const {
    const auto again = std::string{x.active ? " " : " no longer "} + x.effect;
    if (last_part(parent()) == "link")
      return {"the link " + std::string{first_part(of.entity)} + " -> "
                + std::string{last_part(of.entity)} + " is" + again,
              {}};
    if (last_part(of.entity) == "lb")
      return {"the load balancer of " + parent() + " is" + again, {}};
    if (x.effect == "quota")
      return {(x.active ? "a quota lies on " : "no quota lies any longer on ") + of.entity, {}};
    return {std::to_string(x.affected) + " of " + std::to_string(x.present) + " of " + of.entity
              + (x.affected == 1 ? " is" : " are") + again,
            {}};
  }
  event_words operator()(const instance_afflicted& x) const {
    return {of.entity + (x.active ? " becomes " : " is no longer ") + x.effect, {}};
  }
  event_words operator()(const instance_changed& x) const {
    event_words result{of.entity + " is " + std::string{to_string(x.after)} + ", "
                         + std::string{to_string(x.before)} + " before",
                       {x.reason}};
    if (x.incarnation > 1)
      result.numbers.front() += ", process " + std::to_string(x.incarnation);
    if (!x.zone.empty())
      result.numbers.front() += ", zone " + x.zone;
    return result;
  }
  event_words operator()(const readiness_changed& x) const {
    return {of.entity
              + (x.takes_requests ? " takes new requests again" : " takes no new requests for now"),
            {x.reason}};
  }
  event_words operator()(const endpoint_changed& x) const {
    // It counts by its own readiness probe, and nobody had to agree (B-68).
    if (x.probers == 0)
      return {of.entity + " counts as " + name_of(x.after) + " for service health, "
                + name_of(x.before) + " before",
              {x.reason}};
    return {
      "probers find " + of.entity + " " + name_of(x.after) + ", " + name_of(x.before) + " before",
      {std::to_string(x.agreeing) + " of " + plural(x.probers, "prober") + " agree; " + x.reason}};
  }
  event_words operator()(const auto_healing_judged& x) const {
    const auto still = x.before == x.after;
    return {"auto-healing " + std::string{still ? "still finds " : "finds "} + of.entity + " "
              + name_of(x.after) + (still ? "" : ", " + name_of(x.before) + " before"),
            {x.reason + (x.recreates ? "; it is made anew" : "")}};
  }
  event_words operator()(const source_changed& x) const {
    return {"source " + parent() + " turns " + name_of(x.after) + ", " + name_of(x.before)
              + " before",
            {std::to_string(x.healthy) + " of " + plural(x.total, "endpoint") + " healthy, "
             + std::to_string(x.needed) + " needed"}};
  }
  event_words operator()(const composite_changed& x) const {
    const auto* what =
      last_part(of.entity) == "service_health" ? "service health of " : "composite of ";
    return {what + parent() + " turns " + name_of(x.after) + ", " + name_of(x.before) + " before",
            {"generation " + std::to_string(x.generation)
             + (x.sources.empty() ? "" : "; sources: " + x.sources)}};
  }
  event_words operator()(const neg_changed& x) const {
    event_words result{std::string{first_part(of.entity)} + " learns that " + x.region + " is "
                         + name_of(x.after) + ", " + name_of(x.before) + " before",
                       {"generation " + std::to_string(x.generation)}};
    if (x.age_ns > 0)
      result.numbers.front() += ", " + clock_text(duration{x.age_ns}) + " old by the sites' clocks";
    return result;
  }
  event_words operator()(const endpoints_seen& x) const {
    event_words result{std::string{first_part(of.entity)} + " learns that "
                         + std::to_string(x.healthy) + " of " + plural(x.total, "endpoint") + " of "
                         + x.region + (x.total == 1 ? " is healthy" : " are healthy"),
                       {"by zone: " + x.zones + "; generation " + std::to_string(x.generation)}};
    if (x.unknown > 0)
      result.numbers.front() += "; " + std::to_string(x.unknown) + " without a state yet";
    if (x.age_ns > 0)
      result.numbers.front() += ", " + clock_text(duration{x.age_ns}) + " old by the sites' clocks";
    return result;
  }
  event_words operator()(const outlier_changed& x) const { return words_of_outlier(of, x); }
  event_words operator()(const connection_changed& x) const { return words_of_connection(of, x); }
  event_words operator()(const routing_changed& x) const {
    event_words result{
      of.entity + (x.after.empty() ? " has nowhere to send requests to" : " prefers " + x.after)
        + (x.before.empty()      ? ", the first time"
           : x.before == x.after ? ", as before"
                                 : ", " + x.before + " before"),
      {}};
    if (x.fail_open)
      result.numbers.push_back(
        "every region is unhealthy"
        + std::string{x.states.find("(ejected:") == std::string::npos ? "" : " or ejected"}
        + ", so all of them are used");
    const auto capacities = words_of_capacity(x.states);
    result.numbers.insert(result.numbers.end(), capacities.begin(), capacities.end());
    if (!x.states.empty() && capacities.empty())
      result.numbers.push_back("takes them for " + x.states);
    if (x.last_sent_ns >= 0)
      result.numbers.push_back("last request to " + x.before + " at "
                               + instant_text(run_start + duration{x.last_sent_ns}));
    return result;
  }
  event_words operator()(const first_request& x) const {
    return {of.entity + " sends its first request to " + x.region, {}};
  }
  event_words operator()(const scaling_decided& x) const {
    auto numbers = words_of_inputs(x);
    numbers.push_back(std::to_string(x.running) + " running, " + std::to_string(x.starting)
                      + " starting");
    if (!numbers.empty())
      numbers.front().insert(0, x.policy + ", driver " + x.driver + ": ");
    // A step of an action may leave the count.
    if (x.after == x.before)
      return {of.entity + " stays at " + plural(x.after, "instance"), std::move(numbers)};
    return {of.entity + " wants " + plural(x.after, "instance") + ", " + std::to_string(x.before)
              + " before",
            std::move(numbers)};
  }
  event_words operator()(const start_denied& x) const {
    return {of.entity + " may start " + std::to_string(x.granted) + " of "
              + plural(x.wanted, "instance"),
            {x.reason}};
  }
  event_words operator()(const queue_changed& x) const {
    return {x.length == 0 ? "no request waits at " + of.entity + " any more"
                          : "requests begin to wait at " + of.entity,
            {}};
  }
  event_words operator()(const path_changed& x) const {
    return {"requests to " + of.entity
              + (x.activator ? " go through the activator" : " go past the activator"),
            {"excess burst capacity " + std::to_string(x.excess_burst_capacity)}};
  }
  event_words operator()(const action_taken& x) const {
    auto result = x.what + (x.name.empty() ? "" : " (" + x.name + ")") + " at " + of.entity;
    return {x.refused.empty() ? result : result + " is not possible", {x.refused}};
  }
  event_words operator()(const rollout_stepped& x) const {
    return {of.entity + " is " + x.step,
            {std::to_string(x.instances) + " of " + plural(x.needed, "needed instance"), x.reason}};
  }
  event_words operator()(const traffic_changed& x) const {
    std::string shares;
    for (const auto& [revision, percent] : x.shares)
      shares.append(shares.empty() ? "" : ", ")
        .append(revision)
        .append(" ")
        .append(std::to_string(percent))
        .append(" %");
    return {of.entity + " sends its requests to " + shares,
            {x.reason, x.tags.empty() ? "" : "tags " + x.tags}};
  }
  template <class T>
  event_words operator()(const T&) const {
    auto kind = std::string{kind_of(of)};
    std::replace(kind.begin(), kind.end(), '_', ' ');
    return {of.entity + ": " + kind, {fields_text(of)}};
  }
};

} // namespace

event_words words_of(const event& x) {
  auto result = std::visit(sentences{x}, x.what);
  std::erase(result.numbers, "");
  return result;
}

} // namespace spillover
