#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

void read_outcomes(const section& from, std::string_view key, std::vector<outcome>& into) {
  if (!from.has(key))
    return;
  into.clear();
  for (const auto& x : from.list(key)) {
    if (x.bad)
      continue;
    outcome value{};
    read_name(x, outcomes, value);
    into.push_back(value);
  }
}

std::vector<rate_step> read_rate(const section& from) {
  const auto* rate = from.find("rate");
  if (rate == nullptr)
    return {};
  if (rate->is_number())
    return {rate_step{run_start, rate->number, false}};
  std::vector<rate_step> steps;
  for (const auto& x : rate->items) {
    const section step{from.problems(), &x, x.at};
    rate_step result;
    step.read("at", result.at);
    step.read("rps", result.rps);
    step.read("ramp", result.ramp);
    const auto since_start = result.at.time_since_epoch();
    if (!step.has("at")) {
      // The schema has said so.
    } else if (steps.empty() && since_start != duration{}) {
      step.fail("at", "the first step must be at 0s; got " + to_string(since_start));
    } else if (steps.empty() && result.ramp) {
      step.fail("ramp", "the first step has none before it to move from");
    } else if (!steps.empty() && result.at <= steps.back().at) {
      step.fail("at", "must be after the step before ("
                        + to_string(steps.back().at.time_since_epoch()) + "); got "
                        + to_string(since_start));
    }
    steps.push_back(result);
  }
  return steps;
}

open_loop_config read_rates(const section& open) {
  open_loop_config result;
  result.rate = read_rate(open);
  for (const auto& x : open.list("waves")) {
    const section wave{open.problems(), &x, x.at};
    sinusoid sine;
    wave.read("amplitude", sine.amplitude);
    wave.read("period", sine.period);
    wave.read("phase", sine.phase);
    result.waves.push_back(sine);
  }
  read_name(open, "arrivals", arrival_processes, result.arrivals);
  return result;
}

void read_push_window(const section& from, const section& backoff, push_window_config& into) {
  from.read("initial", into.initial);
  from.read("minimum", into.minimum);
  from.read("linear_from", into.linear_from);
  from.read("maximum", into.maximum);
  from.read("growth", into.growth);
  from.read("shrink", into.shrink);
  from.read("slow", into.slow);
  from.read("acknowledged", into.acknowledged);
  from.read("judged_over", into.judged_over);
  backoff.read("min", into.pause);
  backoff.read("max", into.longest_pause);
  if (from.fine({"minimum", "maximum"}) && into.maximum < into.minimum)
    from.fail("maximum", "must be at least minimum (" + std::to_string(into.minimum) + "); got "
                           + std::to_string(into.maximum));
  else if (from.fine({"initial", "minimum", "maximum"})
           && (into.initial < into.minimum || into.initial > into.maximum))
    from.fail("initial", "must be from minimum (" + std::to_string(into.minimum) + ") to maximum ("
                           + std::to_string(into.maximum) + "); got "
                           + std::to_string(into.initial));
  else if (from.fine({"linear_from", "minimum"}) && into.linear_from < into.minimum)
    from.fail("linear_from", "must be at least minimum (" + std::to_string(into.minimum) + "); got "
                               + std::to_string(into.linear_from));
  if (backoff.fine({"min", "max"}) && into.longest_pause < into.pause
      && into.longest_pause != duration::zero())
    backoff.fail("max", "must be at least min (" + to_string(into.pause) + "), or 0s; got "
                          + to_string(into.longest_pause));
}

push_subscription_config read_subscription(const section& from) {
  const auto before = from.problems().size();
  push_subscription_config result;
  result.publish = read_rates(from);
  from.read("ack_deadline", result.ack_deadline);
  if (from.has("retry")) {
    const auto retry = from.at("retry");
    auto& into = result.retry.emplace();
    retry.read("min_backoff", into.min_backoff);
    retry.read("max_backoff", into.max_backoff);
    if (retry.fine({"min_backoff", "max_backoff"}) && into.max_backoff < into.min_backoff)
      retry.fail("max_backoff", "must be at least min_backoff (" + to_string(into.min_backoff)
                                  + "); got " + to_string(into.max_backoff));
  }
  from.read("retention", result.retention);
  from.read("max_delivery_attempts", result.max_delivery_attempts);
  read_push_window(from.at("window"), from.at("push_backoff"), result.window);
  if (from.has("rate") && from.clean() && from.problems().size() == before)
    from.report(validate(result));
  return result;
}

load_config read_load(const section& from, scenario_draft& draft) {
  const auto before = from.problems().size();
  if (from.has("push_subscription"))
    return read_subscription(from.at("push_subscription"));
  if (from.has("trace"))
    return read_trace(from.at("trace"), draft);
  if (const auto closed = from.at("closed_loop"); from.has("closed_loop")) {
    closed_loop_config result;
    closed.read("clients", result.clients);
    closed.read("think_time", result.think_time);
    closed.read("from", result.from);
    closed.read("ramp_up", result.ramp_up);
    closed.read("to", result.to);
    if (closed.fine({"from", "to"}) && result.to && *result.to <= result.from)
      closed.fail("to", "must be after from (" + to_string(result.from.time_since_epoch())
                          + "); got " + to_string(result.to->time_since_epoch()));
    if (closed.clean() && from.problems().size() == before)
      closed.report(validate(result));
    return result;
  }
  const auto open = from.at("open_loop");
  const auto result = read_rates(open);
  if (open.has("rate") && open.clean() && from.problems().size() == before)
    open.report(validate(result));
  return result;
}

void read_regions(const section& from, scenario_draft& draft,
                  const scenario_draft::service* service, consumer_spec& into) {
  if (!from.has("regions") && service != nullptr)
    into.regions = service->regions;
  for (const auto& x : from.list("regions")) {
    if (x.bad)
      continue;
    if (service != nullptr && draft.regions_known && !contains(service->regions, x.text)) {
      draft.consumers_known = false;
      from.problems().add(x.at, "regions: " + service->name + " is not published in \"" + x.text
                                  + "\"" + suggestion(x.text, service->regions, "known"));
    }
    into.regions.push_back(x.text);
  }
}

void read_load_balancer(const section& from, scenario_draft& draft,
                        const scenario_draft::service* service, consumer_spec& into) {
  const auto before = from.problems().size();
  auto& config = into.load_balancer;
  read_kind(from, config);
  from.read("timeout", config.timeout);
  if (tries_again(config.kind)) {
    from.read("retries", config.retries);
    read_outcomes(from, "retry_on", config.retry_on);
  }
  read_tries(from, config);
  read_name(from, "unknown_policy", unknown_policies, config.unknown);
  from.read("proxies", config.proxies);
  read_regions(from, draft, service, into);
  if (config.kind == load_balancer_kind::envoy && !into.regions.empty())
    config.envoy = read_envoy(from.at("envoy"), into.regions);
  if (config.kind == load_balancer_kind::dns)
    config.dns = read_dns(from.at("dns"));
  if (makes_connections(config))
    config.grpc = read_grpc(from.at("grpc"));
  read_capacity(from, draft, into);
  read_failover(from, draft, into);
  if (from.has("circuit_breakers"))
    config.circuit_breakers = read_circuit_breakers(from.at("circuit_breakers"));
  if (from.clean() && from.problems().size() == before)
    from.report(validate(config));
  // Which has said itself what is wrong with it.
  if (from.has("outlier_detection"))
    config.outlier_detection = read_outlier_detection(from.at("outlier_detection"));
}

void read_client(const section& from, client_config& into) {
  from.read("timeout", into.timeout);
  from.read("retries", into.retries);
  const auto backoff = from.at("backoff");
  backoff.read("base", into.backoff_base);
  backoff.read("max", into.backoff_max);
  backoff.read("jitter", into.backoff_jitter);
  read_outcomes(from, "retry_on", into.retry_on);
  if (backoff.fine({"base", "max"}) && into.backoff_max < into.backoff_base)
    backoff.fail("max", "must be at least base (" + to_string(into.backoff_base) + "); got "
                          + to_string(into.backoff_max));
  else if (from.clean())
    from.report(validate(into));
}

const scenario_draft::service* find_producer(const section& from, const scenario_draft& draft) {
  if (!from.fine({"producer"}) || draft.services.empty())
    return nullptr;
  if (!from.has("producer")) {
    if (draft.services.size() > 1)
      from.fail("the key producer is missing, and there is more than one: "
                + listing(draft.service_names()));
    return draft.services.size() == 1 ? &draft.services.front() : nullptr;
  }
  std::string name;
  from.read("producer", name);
  const auto* result = draft.find_service(name);
  if (result == nullptr)
    from.fail("producer", "unknown producer \"" + name + "\""
                            + suggestion(name, draft.service_names(), "known"));
  return result;
}

} // namespace

void read_consumers(const section& root, scenario_draft& draft) {
  if (!root.has("consumers"))
    draft.consumers_known = false;
  for (const auto& x : root.entries("consumers")) {
    if (x.value.bad) {
      draft.consumers_known = false;
      continue;
    }
    if (x.key == "director" || contains(draft.result.regions, x.key))
      root.problems().add(x.key_at, "consumer \"" + x.key + "\" has the name of "
                                      + (x.key == "director" ? "a site of its own" : "a region")
                                      + "; each site needs a name of its own");
    const section from{root.problems(), &x.value, x.value.at};
    consumer_spec spec;
    spec.name = x.key;
    const auto* service = find_producer(from, draft);
    if (service != nullptr)
      spec.service = service->name;
    from.read("tag", spec.tag);
    read_load_balancer(from.at("load_balancer"), draft, service, spec);
    if (!from.at("load_balancer").fine({"regions"}) || (service == nullptr && spec.regions.empty()))
      draft.consumers_known = false;
    for (const auto& load : from.list("traffic"))
      if (!load.bad)
        spec.traffic.push_back(read_load(section{root.problems(), &load, load.at}, draft));
    read_client(from.at("client"), spec.client);
    draft.result.consumers.push_back(std::move(spec));
  }
}

} // namespace spillover
