#include "tests/report/log_builder.hpp"

#include "model/histogram.hpp"

namespace spillover::test {

using namespace std::chrono_literals;

namespace {

std::string path(std::string_view first, std::string_view rest) {
  return std::string{first} + "/" + std::string{rest};
}

books made(std::uint64_t taken, std::initializer_list<std::pair<outcome, std::uint64_t>> ended) {
  books result;
  result.taken = taken;
  for (const auto& [how, count] : ended)
    result.ended[static_cast<std::size_t>(how)] = count;
  return result;
}

} // namespace

log_builder::log_builder(duration lasts, duration warm_up)
  : log({"director", "us-east1", "us-west1", "clients-east", "clients-west"}), lasts_(lasts) {
  add(0s, "director", {},
      run_started{"brownout", "Half of us-east1 falls silent.", 1, lasts, warm_up});
}

event_id log_builder::fault_starts(duration at, std::string what, std::string target) {
  return add(at, "director", {}, fault_started{0, std::move(what), std::move(target)});
}

event_id log_builder::fault_ends(duration at, event_id fault) {
  const auto started = std::get<fault_started>(log.find(fault)->what);
  return add(at, "director", fault, fault_ended{started.index, started.what, started.target});
}

event_id log_builder::half_falls_silent() {
  const auto fault =
    fault_starts(300s, "instances us-east1/checkout/web: 50 % silent", "us-east1/checkout/web");
  add(300s, "us-east1/checkout/web", fault, fault_applied{0, true, 5, 10, "silent"});
  return fault;
}

event_id log_builder::endpoint_turns(duration at, event_id fault, std::uint32_t instance,
                                     health after) {
  const auto entity = "us-east1/checkout/web/" + std::to_string(instance);
  const auto active = after == health::unhealthy;
  const auto onset = log.find(fault)->at - run_start;
  const auto applied =
    add(onset, "us-east1/checkout/web", fault, fault_applied{0, active, 5, 10, "silent"});
  const auto afflicted = add(onset, entity, applied, instance_afflicted{0, active, "silent"});
  return add(at, entity, afflicted,
             endpoint_changed{active ? health::healthy : health::unhealthy, after, 2, 3,
                              "5 s x 2, timeout 5 s"});
}

event_id log_builder::source_turns(duration at, event_id cause, health after,
                                   std::uint32_t healthy) {
  const auto before = after == health::healthy ? health::unhealthy : health::healthy;
  return add(at, "us-east1/checkout/web/source", cause,
             source_changed{before, after, healthy, 10, 6});
}

event_id log_builder::composite_turns(duration at, event_id cause, health before, health after,
                                      std::string_view service) {
  return add(at, path(service, "composite"), cause,
             composite_changed{before, after, ++generation_});
}

event_id log_builder::consumer_learns(duration at, event_id cause, std::string_view consumer,
                                      health after, std::string region) {
  const auto before = after == health::healthy ? health::unhealthy : health::healthy;
  return add(at, path(consumer, "lb"), cause,
             neg_changed{std::move(region), before, after, generation_});
}

event_id log_builder::route_turns(duration at, event_id cause, std::string_view consumer,
                                  std::string before, std::string after, duration last_sent,
                                  bool fail_open) {
  return add(at, path(consumer, "lb"), cause,
             routing_changed{std::move(before), std::move(after), fail_open, last_sent.count()});
}

event_id log_builder::first_request_goes(duration at, event_id cause, std::string_view consumer,
                                         std::string region) {
  return add(at, path(consumer, "lb"), cause, first_request{std::move(region)});
}

void log_builder::everybody_starts_in(std::initializer_list<std::string_view> consumers) {
  const auto composite = composite_turns(10s, {}, health::unknown, health::healthy);
  for (const auto consumer : consumers) {
    const auto neg = consumer_learns(12s, composite, consumer, health::healthy);
    route_turns(13s, neg, consumer, "", "us-east1", -1ns);
  }
}

event_id log_builder::region_turns_unhealthy(event_id fault) {
  event_id last;
  for (std::uint32_t i = 0; i < 5; ++i)
    last = endpoint_turns(305'100ms + i * 2'200ms, fault, i, health::unhealthy);
  const auto source = source_turns(314'300ms, last, health::unhealthy, 5);
  return composite_turns(314'300ms, source, health::healthy, health::unhealthy);
}

event_id log_builder::region_turns_healthy(duration at, event_id fault_end) {
  event_id last;
  for (std::uint32_t i = 0; i < 5; ++i)
    last = endpoint_turns(at + i * 100ms, fault_end, i, health::healthy);
  const auto source = source_turns(at + 600ms, last, health::healthy, 10);
  return composite_turns(at + 600ms, source, health::unhealthy, health::healthy);
}

void log_builder::survivor_second(duration at, std::uint32_t arrivals, std::uint32_t completions,
                                  std::uint32_t ready, std::uint32_t queue_peak) {
  revision_sample sample;
  sample.arrivals = arrivals;
  sample.completions = completions;
  sample.ready = ready;
  sample.queue_peak = queue_peak;
  sample.billed_milli = std::uint64_t{ready} * 1000;
  add(at, "us-west1/checkout/web", {}, sample);
}

void log_builder::survivor_seconds(duration from, duration to, std::uint32_t arrivals,
                                   std::uint32_t completions, std::uint32_t ready) {
  for (auto at = from + 1s; at <= to; at += 1s)
    survivor_second(at, arrivals, completions, ready);
}

void log_builder::close_bill(std::string_view revision, std::uint64_t life_milli) {
  add(lasts_, revision, {},
      bill_closed{"instance_based", "interval", 8, 0, 0, 0, 0, life_milli, life_milli});
}

void log_builder::survivor_queue(duration at, std::uint32_t length) {
  add(at, "us-west1/checkout/web", {}, queue_changed{length});
}

void log_builder::client_second(duration at, std::uint32_t good, std::uint32_t timeouts,
                                std::string_view consumer) {
  client_sample sample;
  sample.started = good + timeouts;
  sample.ended[static_cast<std::size_t>(outcome::ok)] = good;
  sample.ended[static_cast<std::size_t>(outcome::lb_timeout)] = timeouts;
  if (good > 0)
    sample.latency.emplace_back(latency_histogram::bucket_of(74ms), good);
  add(at, path(consumer, "clients"), {}, sample);
}

void log_builder::close_books(std::string_view entity, std::string account, std::string counterpart,
                              const books& x, std::uint64_t in_flight) {
  add(
    lasts_, entity, {},
    books_closed{std::move(account), std::move(counterpart), x.taken, x.ended, in_flight, x.late});
}

void log_builder::end(std::uint64_t on_the_way) {
  add(lasts_, "director", {}, run_ended{on_the_way});
}

void close_balanced_books(log_builder& to, std::uint64_t scale) {
  using enum outcome;
  const auto close = [&to, scale](std::string_view entity, std::string account,
                                  std::string counterpart, books x, std::uint64_t in_flight) {
    x.taken *= scale;
    x.late *= scale;
    for (auto& count : x.ended)
      count *= scale;
    to.close_books(entity, std::move(account), std::move(counterpart), x, in_flight * scale);
  };
  // Clients: 1,000 requests and 3 further tries. Tries: 600 in us-east1, 410 in us-west1.
  auto requests = made(1'000, {{ok, 980}, {unavailable, 4}, {lb_timeout, 6}});
  requests.late = 2;
  close("clients-east/clients", "consumer", "", requests, 10);
  close("clients-east/lb", "balancer", "",
        made(1'003, {{ok, 981}, {unavailable, 6}, {lb_timeout, 6}}), 10);
  auto east = made(600, {{ok, 580}, {unavailable, 10}, {lb_timeout, 6}});
  east.late = 1;
  close("clients-east/lb", "attempts", "us-east1", east, 4);
  close("clients-east/lb", "attempts", "us-west1", made(410, {{ok, 401}, {unavailable, 3}}), 6);
  close("clients-east/link/us-east1", "link", "data", made(600, {{lost, 1}}), 599);
  close("clients-east/link/us-west1", "link", "data", made(410, {}), 410);
  const auto in_east = made(598, {{ok, 583}, {unavailable, 10}, {lost, 3}});
  close("us-east1/checkout", "service", "clients-east", in_east, 2);
  close("us-east1/checkout/web", "revision", "", in_east, 2);
  const auto in_west = made(409, {{ok, 402}, {unavailable, 3}});
  close("us-west1/checkout", "service", "clients-east", in_west, 4);
  close("us-west1/checkout/web", "revision", "", in_west, 4);
  // 591 answers arrived from us-east1 (one too late), 404 from us-west1.
  close("us-east1/link/clients-east", "link", "data", made(593, {{lost, 2}}), 591);
  close("us-west1/link/clients-east", "link", "data", made(405, {}), 405);
  to.end(3 * scale);
}

log_builder clean_failover(std::initializer_list<std::string_view> consumers) {
  log_builder to;
  to.everybody_starts_in(consumers);
  to.survivor_seconds(290s, 317s, 0, 0, 4);
  const auto fault = to.half_falls_silent();
  const auto down = to.region_turns_unhealthy(fault);
  // Each further consumer hears of it 0.5 s later than the one before, and applies it 1 s later.
  auto later = 0ms;
  for (const auto consumer : consumers) {
    const auto knows = to.consumer_learns(316'800ms + later, down, consumer, health::unhealthy);
    const auto route =
      to.route_turns(317'800ms + later, knows, consumer, "us-east1", "us-west1", 317'800ms + later);
    to.first_request_goes(317'810ms + later, route, consumer, "us-west1");
    later += 500ms;
  }
  // 300 rps arrive; four instances answer 200, eight answer all, and the queue empties at 382.6 s.
  to.survivor_queue(319s, 1);
  to.add(330s, "us-west1/checkout/web", {}, scaling_decided{"cloud_run", 4, 8, 4, 0, "CPU", {}});
  for (auto at = 318s; at <= 380s; at += 1s)
    to.survivor_second(at, 300, 200, at < 335s ? 4 : 8, 35);
  to.survivor_queue(382'600ms, 0);
  to.survivor_seconds(380s, 1200s, 300, 300, 8);
  const auto over = to.fault_ends(660s, fault);
  const auto up = to.region_turns_healthy(670s, over);
  later = 0ms;
  for (const auto consumer : consumers) {
    const auto knows = to.consumer_learns(672'900ms + later, up, consumer, health::healthy);
    const auto route =
      to.route_turns(673'900ms + later, knows, consumer, "us-west1", "us-east1", 673'890ms + later);
    to.first_request_goes(674s + later, route, consumer, "us-east1");
    later += 500ms;
  }
  for (auto at = 1s; at <= 1200s; at += 1s)
    to.client_second(at, 299, at > 306s && at <= 318s ? 1 : 0);
  to.close_bill("us-east1/checkout/web", 12'000'000);
  to.close_bill("us-west1/checkout/web", 8'000'000);
  close_balanced_books(to, 1'000);
  return to;
}

} // namespace spillover::test
