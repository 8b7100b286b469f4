#include "report/billing.hpp"

#include <algorithm>
#include <set>

namespace spillover {

namespace {

using std::chrono::seconds;

/// @returns region and service of a backend service or a revision of it.
std::string_view service_of(std::string_view path) {
  const auto region = path.find('/');
  return region == std::string_view::npos ? path : path.substr(0, path.find('/', region + 1));
}

/// What was billed in some seconds.
struct spending {
  std::set<instant> seconds;
  vcpu_cost cost;

  void add(const event* x) {
    const auto& sample = payload_of<revision_sample>(x);
    seconds.insert(x->at);
    cost.full += static_cast<std::int64_t>(sample.billed_milli);
    cost.idle_minimum += static_cast<std::int64_t>(sample.billed_idle_milli);
  }
};

/// @returns x / from x to, rounded to the nearest.
std::int64_t at_rate(std::int64_t x, std::size_t from, std::size_t to) {
  const auto denominator = static_cast<std::int64_t>(from);
  const auto factor = static_cast<std::int64_t>(to);
  return x / denominator * factor + (x % denominator * factor + denominator / 2) / denominator;
}

instant end_of_failback(const event_index& index, const failover_anatomy& x) {
  return x.fault_end && x.failback.span ? *x.fault_end + *x.failback.span : index.run_end();
}

} // namespace

std::uint64_t share_of(std::uint64_t x, std::uint64_t part, std::uint64_t whole) {
  return x / whole * part + x % whole * part / whole;
}

billed_time& billed_time::operator+=(const billed_time& x) noexcept {
  instances_milli += x.instances_milli;
  cost.full += x.cost.full;
  cost.idle_minimum += x.cost.idle_minimum;
  return *this;
}

billed_time charged(const bill_closed& x) {
  const auto number = [](std::uint64_t y) { return static_cast<std::int64_t>(y); };
  if (x.mode == "instance_based")
    return {x.life_milli, {number(x.life_vcpu_milli), 0}};
  return {x.active_milli + x.idle_minimum_milli,
          {number(x.active_vcpu_milli), number(x.idle_minimum_vcpu_milli)}};
}

std::vector<region_bill> bills_by_region(const event_index& index) {
  std::vector<region_bill> result;
  for (const auto* x : index.all<bill_closed>()) {
    const auto region = first_part(x->entity);
    auto found = std::find_if(result.begin(), result.end(),
                              [region](const auto& y) { return y.region == region; });
    if (found == result.end())
      found = result.insert(result.end(), {std::string{region}, {}});
    found->billed += charged(payload_of<bill_closed>(x));
  }
  return result;
}

std::vector<consumer_bill> bills_by_consumer(const event_index& index) {
  std::vector<consumer_bill> result;
  for (const auto* x : index.all<books_closed>()) {
    const auto& books = payload_of<books_closed>(x);
    if (books.account == "service" && books.taken > 0)
      result.push_back({books.counterpart, x->entity, books.taken, 0, {}});
  }
  for (auto& x : result)
    for (const auto& y : result)
      x.of_tries += y.service == x.service ? y.tries : 0;
  // Each gets what is due up to it, less what those before it got: nothing is left over.
  for (std::size_t i = 0; i < result.size(); ++i) {
    auto& x = result[i];
    billed_time bill;
    for (const auto* y : index.all<bill_closed>())
      if (service_of(y->entity) == x.service)
        bill += charged(payload_of<bill_closed>(y));
    std::uint64_t before = 0;
    for (std::size_t j = 0; j < i; ++j)
      before += result[j].service == x.service ? result[j].tries : 0;
    const auto part = [&](std::int64_t all) {
      const auto up_to = [&](std::uint64_t tries) {
        return static_cast<std::int64_t>(
          share_of(static_cast<std::uint64_t>(all), tries, x.of_tries));
      };
      return up_to(before + x.tries) - up_to(before);
    };
    x.cost = {part(bill.cost.full), part(bill.cost.idle_minimum)};
  }
  return result;
}

failover_cost cost_of(const event_index& index, const failover_anatomy& x) {
  failover_cost result;
  result.from = x.fault_at;
  result.to = end_of_failback(index, x);
  result.back = x.fault_end && x.failback.span;
  spending before;
  spending since;
  for (const auto* y : index.all<revision_sample>()) {
    const auto begin = y->at - seconds{1};
    if (begin < index.warm_up_end()
        || (!x.service.empty() && last_part(service_of(y->entity)) != x.service))
      continue;
    if (y->at <= result.from)
      before.add(y);
    else if (begin < result.to)
      since.add(y);
  }
  result.seconds = since.seconds.size();
  result.seconds_before = before.seconds.size();
  result.spent = since.cost;
  if (result.seconds_before == 0)
    result.missing = "no second lies between the warm-up and the fault";
  else if (result.seconds == 0)
    result.missing = "no second lies after the fault";
  else if (before.cost.total() == 0 && since.cost.total() == 0)
    result.missing = "nothing was billed before or since";
  else
    result.usual = {at_rate(before.cost.full, result.seconds_before, result.seconds),
                    at_rate(before.cost.idle_minimum, result.seconds_before, result.seconds)};
  return result;
}

} // namespace spillover
