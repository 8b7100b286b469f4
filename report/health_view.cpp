#include "report/health_view.hpp"

#include "report/event_index.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace spillover {

namespace {

// Keys stay in the order in which they are written.
using json = nlohmann::ordered_json;

constexpr const char* producer_log = "compute.googleapis.com%2Fcompositehealth";
constexpr const char* consumer_log = "compute.googleapis.com%2Fservicehealthchecks";

/// What is known of health after some events.
class health_book {
public:
  void take(const event& x);

  [[nodiscard]] std::string_view state_of(std::string_view entity) const {
    const auto found = states_.find(entity);
    return to_string(found == states_.end() ? health::unknown : found->second);
  }

  /// @returns the endpoints of a backend service, by group.
  [[nodiscard]] json backends_of(const health_resources::service& x,
                                 const std::string& backend) const;

  /// @returns the PSC NEG of a consumer as it is called here.
  static std::string neg_name(std::string_view consumer, std::string_view region) {
    return std::string{consumer}.append("/").append(region);
  }

private:
  struct instance {
    instance_state state = instance_state::starting;
    health found = health::unknown; // by probers, or by its readiness probe
    bool by_itself = false;         // the latter (B-68)
    std::string zone;
  };
  [[nodiscard]] static bool serves(instance_state x) noexcept {
    return x == instance_state::ready || x == instance_state::deprioritised;
  }
  [[nodiscard]] static bool counts(const instance& x, bool by_readiness) {
    const auto leaves = x.state == instance_state::draining || x.state == instance_state::stopped;
    return by_readiness ? serves(x.state) && x.found != health::unknown : !leaves;
  }

  std::map<std::string, instance, std::less<>> instances_; // by path
  std::map<std::string, health, std::less<>> states_;      // of sources, composites and NEGs
};

void health_book::take(const event& x) {
  if (const auto* change = std::get_if<instance_changed>(&x.what)) {
    auto& own = instances_[x.entity];
    own.state = change->after;
    own.zone = change->zone;
    // What its readiness probe found is gone with the process, what probers found is not.
    if (own.by_itself && !serves(own.state))
      own.found = health::unknown;
  } else if (const auto* endpoint = std::get_if<endpoint_changed>(&x.what)) {
    auto& own = instances_[x.entity];
    own.found = endpoint->after;
    own.by_itself = endpoint->probers == 0;
  } else if (const auto* source = std::get_if<source_changed>(&x.what)) {
    states_[x.entity] = source->after;
  } else if (const auto* composite = std::get_if<composite_changed>(&x.what)) {
    states_[x.entity] = composite->after;
  } else if (const auto* neg = std::get_if<neg_changed>(&x.what)) {
    states_[neg_name(first_part(x.entity), neg->region)] = neg->after;
  }
}

json health_book::backends_of(const health_resources::service& x,
                              const std::string& backend) const {
  struct group {
    std::uint32_t endpoints = 0;
    std::uint32_t healthy = 0;
  };
  std::map<std::string, group> groups; // by zone
  for (const auto& [path, own] : instances_) {
    if (!is_within(path, backend))
      continue;
    auto& to = groups[own.zone];
    if (!counts(own, x.by_readiness))
      continue;
    ++to.endpoints;
    to.healthy += own.found == health::healthy ? 1 : 0;
  }
  auto result = json::array();
  for (const auto& [zone, y] : groups) {
    auto name = std::string{"zones/"}.append(first_part(x.path)).append("-").append(zone);
    name.append("/instanceGroups/").append(last_part(backend));
    result.push_back(
      {{"group", name}, {"endpointCount", y.endpoints}, {"healthyEndpointCount", y.healthy}});
  }
  return result;
}

json source_info(const health_book& book, const health_resources::service& x,
                 const std::string& backend) {
  json result = {{"source", backend}};
  if (x.passthrough)
    result["forwardingRule"] = x.path;
  result["backends"] = book.backends_of(x, backend);
  return result;
}

json source_view(const health_book& book, const health_resources::service& x,
                 const std::string& backend) {
  const auto name = backend + "/source";
  return {{"name", name},
          {"kind", "compute#healthSourceHealth"},
          {"healthState", book.state_of(name)},
          {"sources", json::array({source_info(book, x, backend)})}};
}

json composite_view(const health_book& book, const health_resources::service& x) {
  auto sources = json::array();
  for (const auto& backend : x.backends) {
    const auto name = backend + "/source";
    sources.push_back({{"source", name}, {"healthState", book.state_of(name)}});
  }
  return {
    {"name", x.aggregate}, {"healthState", book.state_of(x.aggregate)}, {"healthSources", sources}};
}

std::string line(const event& x, const char* name, json resource, json payload) {
  const json entry = {{"logName", name},
                      {"at_ns", x.at.time_since_epoch().count()},
                      {"resource", std::move(resource)},
                      {"jsonPayload", std::move(payload)}};
  return entry.dump() + "\n";
}

/// @returns the service that a source or a composite belongs to, or nullptr.
const health_resources::service* service_of(const health_resources& of, std::string_view entity) {
  const auto found = std::find_if(of.services.begin(), of.services.end(),
                                  [entity](const auto& x) { return is_within(entity, x.path); });
  return found == of.services.end() ? nullptr : &*found;
}

std::string producer_line(const health_book& book, const health_resources& of, const event& x,
                          health before, health after) {
  const auto* service = service_of(of, x.entity);
  if (service == nullptr)
    return {};
  auto sources = json::array();
  for (const auto& backend : service->backends)
    if (x.entity == service->aggregate || x.entity == backend + "/source")
      sources.push_back(source_info(book, *service, backend));
  return line(x, producer_log, {{"name", x.entity}},
              {{"healthState", to_string(after)},
               {"previousHealthState", to_string(before)},
               {"healthDestination", service->path},
               {"sources", sources}});
}

} // namespace

std::string health_view(const event_log& log, const health_resources& of, instant at) {
  health_book book;
  for (const auto& x : log.events()) {
    if (x.at > at)
      break;
    book.take(x);
  }
  auto sources = json::array();
  auto composites = json::array();
  for (const auto& x : of.services) {
    for (const auto& backend : x.backends)
      sources.push_back(source_view(book, x, backend));
    composites.push_back(composite_view(book, x));
  }
  auto negs = json::array();
  for (const auto& x : of.negs)
    negs.push_back({{"consumer", x.consumer},
                    {"neg", x.region},
                    {"healthState", book.state_of(health_book::neg_name(x.consumer, x.region))}});
  const json result = {{"at_ns", at.time_since_epoch().count()},
                       {"healthSources", sources},
                       {"compositeHealthChecks", composites},
                       {"networkEndpointGroups", negs}};
  return result.dump(2) + "\n";
}

std::string health_log(const event_log& log, const health_resources& of) {
  health_book book;
  std::string result;
  for (const auto& x : log.events()) {
    book.take(x);
    if (const auto* source = std::get_if<source_changed>(&x.what))
      result += producer_line(book, of, x, source->before, source->after);
    else if (const auto* composite = std::get_if<composite_changed>(&x.what))
      result += producer_line(book, of, x, composite->before, composite->after);
    else if (const auto* neg = std::get_if<neg_changed>(&x.what))
      result += line(x, consumer_log, {{"type", "compute.googleapis.com/NetworkEndpointGroupV2"}},
                     {{"healthState", to_string(neg->after)},
                      {"previousHealthState", to_string(neg->before)},
                      {"serviceHealthCheckResult",
                       {{"neg", health_book::neg_name(first_part(x.entity), neg->region)}}}});
  }
  return result;
}

} // namespace spillover
