#include "report/expectation.hpp"

#include "report/event_index.hpp"
#include "report/format.hpp"

#include <cmath>

namespace spillover {

namespace {

std::string chosen(const failover_choice& which) {
  if (!which)
    return "every ";
  return *which == 1 ? "" : ordinal(*which) + " ";
}

std::string window(instant from, instant to) {
  return " from " + to_string(from - run_start) + " to " + to_string(to - run_start);
}

std::string open_window(const std::optional<instant>& from, const std::optional<instant>& to) {
  std::string result;
  if (from)
    result += " from " + to_string(*from - run_start);
  if (to)
    result += " to " + to_string(*to - run_start);
  return result;
}

std::string owned(const char* by, const std::string& who) {
  return who.empty() ? "" : by + who;
}

expectation_words within(std::string_view kind, std::string what, duration limit) {
  what += " within " + to_string(limit);
  return {kind, std::move(what), std::nullopt, limit.count(), "ns"};
}

template <class T>
std::optional<std::int64_t> number(const std::optional<T>& x) {
  return x ? std::optional{static_cast<std::int64_t>(*x)} : std::nullopt;
}

std::optional<std::int64_t> thousandths(const std::optional<double>& x) {
  return x ? std::optional{static_cast<std::int64_t>(std::llround(*x * 1'000))} : std::nullopt;
}

std::optional<std::int64_t> millionths(const std::optional<double>& x) {
  return x ? std::optional{static_cast<std::int64_t>(std::llround(*x * 1e6))} : std::nullopt;
}

/// Adds the limits to an expectation that has one or both of them.
template <class Text>
void add_limits(expectation_words& to, Text text) {
  if (to.at_least)
    to.what += " at least " + text(*to.at_least);
  if (to.at_most)
    to.what += (to.at_least ? " and at most " : " at most ") + text(*to.at_most);
}

std::string count_text(std::int64_t x) {
  return thousands(static_cast<std::uint64_t>(x));
}

struct word_finder {
  expectation_words operator()(const expect_failover& x) const {
    return within("failover", chosen(x.which) + "failover from " + x.from, x.within);
  }
  expectation_words operator()(const expect_failback& x) const {
    return within("failback", chosen(x.which) + "failback to " + x.to, x.within);
  }
  expectation_words operator()(const expect_capacity_recovered& x) const {
    const auto which = x.which == 1 ? "" : " after " + chosen(x.which) + "failover";
    return within("capacity_recovered", "capacity recovered in " + x.in + which, x.within);
  }
  expectation_words operator()(const expect_clock& x) const {
    return within("clock", "clock " + std::string{to_string(x.which)} + " of " + x.of, x.within);
  }
  expectation_words operator()(const expect_errors& x) const {
    expectation_words result{"errors",
                             "errors" + owned(" of ", x.consumer) + owned(" in ", x.region)
                               + window(x.from, x.to),
                             millionths(x.at_least), millionths(x.at_most), "ppm"};
    if (x.at_least)
      result.what += " at least " + percent_text(*x.at_least);
    if (x.at_most)
      result.what += (x.at_least ? " and at most " : " at most ") + percent_text(*x.at_most);
    return result;
  }
  expectation_words operator()(const expect_latency& x) const {
    auto quantile = percent_text(x.quantile);
    quantile.pop_back(); // the %
    return {"latency",
            "latency p" + quantile + owned(" of ", x.consumer) + window(x.from, x.to) + " at most "
              + to_string(x.at_most),
            std::nullopt, x.at_most.count(), "ns"};
  }
  expectation_words operator()(const expect_queue& x) const {
    const auto what = "queue of " + path_of(x.of, x.revision) + open_window(x.from, x.to);
    return {"queue", what + " at most " + thousands(x.at_most), std::nullopt, x.at_most, "count"};
  }
  expectation_words operator()(const expect_rate& x) const {
    expectation_words result{"rate", "rate of " + path_of(x.of, x.revision) + window(x.from, x.to),
                             thousandths(x.at_least), thousandths(x.at_most), "milli_rps"};
    add_limits(result, [](std::int64_t y) { return rate_text(y); });
    return result;
  }
  expectation_words operator()(const expect_instances& x) const {
    const auto when =
      x.from == x.to ? " at " + to_string(x.from - run_start) : window(x.from, x.to);
    expectation_words result{"instances", "instances of " + path_of(x.of, x.revision) + when,
                             number(x.at_least), number(x.at_most), "count"};
    add_limits(result, count_text);
    return result;
  }
  expectation_words operator()(const expect_transitions& x) const {
    return {"transitions", "transitions of " + x.of + " at most " + std::to_string(x.at_most),
            std::nullopt, x.at_most, "count"};
  }
  expectation_words operator()(const expect_lost& x) const {
    const auto limit = static_cast<std::int64_t>(x.at_most);
    return {"lost", "lost requests" + owned(" of ", x.consumer) + " at most " + count_text(limit),
            std::nullopt, limit, "count"};
  }
  expectation_words operator()(const expect_cost& x) const {
    auto what = "cost" + owned(" of ", x.of) + open_window(x.from, x.to) + " at most ";
    if (!x.vcpu_seconds_at_most)
      return {"cost", what + counted(x.instance_seconds_at_most.value_or(0), "instance-second"),
              std::nullopt, number(x.instance_seconds_at_most), "instance_s"};
    const auto limit = static_cast<std::int64_t>(*x.vcpu_seconds_at_most * 1'000);
    return {"cost", what + counted(*x.vcpu_seconds_at_most, "vCPU-second"), std::nullopt, limit,
            "milli_vcpu_s"};
  }
  expectation_words operator()(const expect_sequence& x) const {
    std::string what;
    for (const auto& y : x.of)
      what += (what.empty() ? "sequence " : ", then ") + to_string(y);
    return within("sequence", what, x.within);
  }
  expectation_words operator()(const expect_backlog& x) const {
    auto what = "backlog of " + x.consumer;
    if (x.from && x.from == x.to)
      what += " at " + to_string(*x.from - run_start);
    else
      what += open_window(x.from, x.to);
    const auto limit = static_cast<std::int64_t>(x.at_most);
    return {"backlog", what + " at most " + count_text(limit), std::nullopt, limit, "count"};
  }
};

} // namespace

expectation_words words_of(const expectation& x) {
  return std::visit(word_finder{}, x.what);
}

} // namespace spillover
