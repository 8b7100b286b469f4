#include "scenario/write_observed.hpp"

#include "scenario/names.hpp"

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

std::string text(duration x) {
  return to_string(x);
}

std::string text(instant x) {
  return to_string(x.time_since_epoch());
}

json write(const failover_choice& x) {
  return x ? json(*x) : json("all");
}

json write(const event_pattern& x) {
  json result = {{"event", x.kind}};
  if (!x.of.empty())
    result["of"] = x.of;
  auto& where = result["where"] = json::object();
  for (const auto& [field, value] : x.where)
    where[field] = value;
  return result;
}

/// Adds a text unless it is empty, which stands for all.
void add(json& to, const char* key, const std::string& x) {
  if (!x.empty())
    to[key] = x;
}

template <class T>
void add(json& to, const char* key, const std::optional<T>& x) {
  if (x)
    to[key] = *x;
}

void add(json& to, const char* key, const std::optional<instant>& x) {
  if (x)
    to[key] = text(*x);
}

struct expectation_writer {
  json operator()(const expect_failover& x) const {
    return {{"from", x.from}, {"within", text(x.within)}, {"which", write(x.which)}};
  }
  json operator()(const expect_failback& x) const {
    return {{"to", x.to}, {"within", text(x.within)}, {"which", write(x.which)}};
  }
  json operator()(const expect_capacity_recovered& x) const {
    return {{"in", x.in}, {"within", text(x.within)}, {"which", write(x.which)}};
  }
  json operator()(const expect_clock& x) const {
    return {{"which", name_of(x.which, failover_clocks)}, {"of", x.of}, {"within", text(x.within)}};
  }
  json operator()(const expect_errors& x) const {
    json result = {{"from", text(x.from)}, {"to", text(x.to)}};
    add(result, "at_least", x.at_least);
    add(result, "at_most", x.at_most);
    add(result, "consumer", x.consumer);
    add(result, "region", x.region);
    return result;
  }
  json operator()(const expect_latency& x) const {
    json result = {{"quantile", x.quantile},
                   {"from", text(x.from)},
                   {"to", text(x.to)},
                   {"at_most", text(x.at_most)}};
    add(result, "consumer", x.consumer);
    return result;
  }
  json operator()(const expect_queue& x) const {
    json result = {{"of", x.of}};
    add(result, "revision", x.revision);
    add(result, "from", x.from);
    add(result, "to", x.to);
    result["at_most"] = x.at_most;
    return result;
  }
  json operator()(const expect_rate& x) const {
    json result = {{"of", x.of}, {"from", text(x.from)}, {"to", text(x.to)}};
    add(result, "revision", x.revision);
    add(result, "at_least", x.at_least);
    add(result, "at_most", x.at_most);
    return result;
  }
  json operator()(const expect_instances& x) const {
    json result = {{"of", x.of}};
    add(result, "revision", x.revision);
    if (x.from == x.to) {
      result["at"] = text(x.from);
    } else {
      result["from"] = text(x.from);
      result["to"] = text(x.to);
    }
    add(result, "at_least", x.at_least);
    add(result, "at_most", x.at_most);
    return result;
  }
  json operator()(const expect_transitions& x) const {
    return {{"of", x.of}, {"at_most", x.at_most}};
  }
  json operator()(const expect_lost& x) const {
    json result = {{"at_most", x.at_most}};
    add(result, "consumer", x.consumer);
    result["young"] = text(x.young);
    return result;
  }
  json operator()(const expect_cost& x) const {
    auto result = json::object();
    add(result, "of", x.of);
    add(result, "instance_seconds_at_most", x.instance_seconds_at_most);
    add(result, "vcpu_seconds_at_most", x.vcpu_seconds_at_most);
    add(result, "from", x.from);
    add(result, "to", x.to);
    return result;
  }
  json operator()(const expect_sequence& x) const {
    auto of = json::array();
    for (const auto& y : x.of)
      of.push_back(write(y));
    return {{"of", of}, {"within", text(x.within)}};
  }
  json operator()(const expect_backlog& x) const {
    json result = {{"consumer", x.consumer}};
    if (x.from && x.from == x.to) {
      add(result, "at", x.from);
    } else {
      add(result, "from", x.from);
      add(result, "to", x.to);
    }
    result["at_most"] = x.at_most;
    return result;
  }
};

/// An entry of `stop_if`, its key and what stands there.
struct condition_writer {
  std::pair<const char*, json> operator()(const stop_on_errors& x) const {
    json result = {{"above", x.above}, {"over", text(x.over)}};
    add(result, "consumer", x.consumer);
    return {"errors", result};
  }
  std::pair<const char*, json> operator()(const stop_on_queue& x) const {
    json result = {{"of", x.of}, {"above", x.above}, {"for", text(x.lasting)}};
    add(result, "revision", x.revision);
    return {"queue", result};
  }
  std::pair<const char*, json> operator()(const stop_on_instances& x) const {
    json result = {{"of", x.of}};
    add(result, "revision", x.revision);
    add(result, "above", x.above);
    add(result, "below", x.below);
    result["for"] = text(x.lasting);
    return {"instances", result};
  }
  std::pair<const char*, json> operator()(const stop_on_event& x) const {
    return {"event", write(x.what)};
  }
};

} // namespace

json write(const expectation& x) {
  auto result = json::object();
  add(result, "name", x.name);
  result[std::string{words_of(x).kind}] = std::visit(expectation_writer{}, x.what);
  return result;
}

json write(const stop_condition& x) {
  auto result = json::object();
  add(result, "name", x.name);
  const auto [key, value] = std::visit(condition_writer{}, x.what);
  result[key] = value;
  return result;
}

} // namespace spillover
