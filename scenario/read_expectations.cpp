#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

namespace spillover {

namespace {

/// What expectations are read from, and what they may refer to.
struct reading {
  const section& root;
  const scenario_draft& draft;
};

failover_choice read_choice(const section& from) {
  const auto* x = from.find("which");
  if (x == nullptr)
    return 1;
  return x->is_text() ? std::nullopt : failover_choice{static_cast<std::uint32_t>(x->integer)};
}

/// Checks a window, or what there is of it: it must have seconds after the warm-up.
void check_window(const reading& in, const section& from, std::optional<instant> begin,
                  std::optional<instant> end) {
  const auto lasts = in.draft.result.lasts;
  const auto warm_up = in.draft.result.warm_up;
  if (begin && end && *begin >= *end)
    from.fail("to", "must be after from (" + to_string(*begin - run_start) + "); got "
                      + to_string(*end - run_start));
  else if (in.root.has("duration") && end && *end - run_start > lasts)
    from.fail("to", "must be within the run (" + to_string(lasts) + "); got "
                      + to_string(*end - run_start));
  else if (in.root.fine({"warm_up"}) && warm_up < lasts && end && *end - run_start <= warm_up)
    from.fail("to", "must be after the warm-up (" + to_string(warm_up) + "); got "
                      + to_string(*end - run_start));
  else if (in.root.has("duration") && begin && !end && *begin - run_start >= lasts)
    from.fail("from", "must be before the end of the run (" + to_string(lasts) + "); got "
                        + to_string(*begin - run_start));
}

/// Reads a window that must be there.
void read_window(const reading& in, const section& from, instant& begin, instant& end) {
  from.read("from", begin);
  from.read("to", end);
  if (from.has("from") && from.has("to"))
    check_window(in, from, begin, end);
}

/// Reads an instant that stands in place of a window.
void read_instant(const reading& in, const section& from, instant& into) {
  from.read("at", into);
  for (const auto* key : {"from", "to"})
    if (from.has(key))
      from.fail(key, "stands beside at; use one or the other");
  const auto at = into - run_start;
  const auto& run = in.draft.result;
  if (in.root.has("duration") && at > run.lasts)
    from.fail("at", "must be within the run (" + to_string(run.lasts) + "); got " + to_string(at));
  else if (in.root.fine({"warm_up"}) && run.warm_up < run.lasts && at <= run.warm_up)
    from.fail("at",
              "must be after the warm-up (" + to_string(run.warm_up) + "); got " + to_string(at));
}

/// Checks two limits, of which one at least must be there.
template <class T, class Text>
void check_limits(const section& from, const std::optional<T>& least, const std::optional<T>& most,
                  Text text) {
  if (!from.fine({"at_least", "at_most"}))
    return;
  if (!least && !most)
    from.fail("needs at_least, at_most or both");
  if (least && most && *least > *most)
    from.fail("at_least", "must be at most at_most (" + text(*most) + "); got " + text(*least));
}

expectation read_failover(const reading& in, const section& from) {
  expect_failover result{read_region(from, "from", in.draft), {}, read_choice(from)};
  from.read("within", result.within);
  return result;
}

expectation read_failback(const reading& in, const section& from) {
  expect_failback result{read_region(from, "to", in.draft), {}, read_choice(from)};
  from.read("within", result.within);
  return result;
}

expectation read_capacity_recovered(const reading& in, const section& from) {
  expect_capacity_recovered result{read_region(from, "in", in.draft), {}, read_choice(from)};
  from.read("within", result.within);
  return result;
}

expectation read_clock(const reading& in, const section& from) {
  expect_clock result;
  read_name(from, "which", failover_clocks, result.which);
  result.of = read_region(from, "of", in.draft);
  from.read("within", result.within);
  return result;
}

expectation read_errors(const reading& in, const section& from) {
  expect_errors result;
  read_window(in, from, result.from, result.to);
  from.read("at_least", result.at_least);
  from.read("at_most", result.at_most);
  check_limits(from, result.at_least, result.at_most,
               [](double x) { return format_number(x * 100) + "%"; });
  if (from.fine({"at_least"}) && result.at_least && *result.at_least == 0)
    from.fail("at_least", "must be above 0, which always holds; at_most: 0 means that none fails");
  result.consumer = read_consumer(from, "consumer", in.draft);
  result.region = read_region(from, "region", in.draft);
  const auto& consumers = in.draft.result.consumers;
  const auto user = std::find_if(consumers.begin(), consumers.end(),
                                 [&result](const auto& x) { return x.name == result.consumer; });
  if (from.has("region") && in.draft.regions_known && user != consumers.end()
      && contains(in.draft.result.regions, result.region)
      && !contains(user->regions, result.region))
    from.fail("region", result.consumer + " does not use \"" + result.region
                          + "\"; its regions are: " + listing(user->regions));
  return result;
}

expectation read_latency(const reading& in, const section& from) {
  expect_latency result;
  from.read("quantile", result.quantile);
  read_window(in, from, result.from, result.to);
  from.read("at_most", result.at_most);
  result.consumer = read_consumer(from, "consumer", in.draft);
  return result;
}

expectation read_queue(const reading& in, const section& from) {
  expect_queue result;
  result.of = read_backend_path(from, "of", in.draft);
  result.revision = read_revision_name(from, "revision", result.of, in.draft);
  from.read("from", result.from);
  from.read("to", result.to);
  check_window(in, from, result.from, result.to);
  from.read("at_most", result.at_most);
  return result;
}

expectation read_rate(const reading& in, const section& from) {
  expect_rate result;
  result.of = read_region_or_backend(from, "of", in.draft);
  result.revision = read_revision_name(from, "revision", result.of, in.draft);
  read_window(in, from, result.from, result.to);
  from.read("at_least", result.at_least);
  from.read("at_most", result.at_most);
  check_limits(from, result.at_least, result.at_most, format_number);
  return result;
}

expectation read_instances(const reading& in, const section& from) {
  expect_instances result;
  result.of = read_backend_path(from, "of", in.draft);
  result.revision = read_revision_name(from, "revision", result.of, in.draft);
  from.read("at_least", result.at_least);
  from.read("at_most", result.at_most);
  check_limits(from, result.at_least, result.at_most,
               [](std::uint32_t x) { return std::to_string(x); });
  if (!from.has("at")) {
    read_window(in, from, result.from, result.to);
    return result;
  }
  read_instant(in, from, result.from);
  result.to = result.from;
  return result;
}

expectation read_transitions(const reading& in, const section& from) {
  expect_transitions result;
  from.read("of", result.of);
  from.read("at_most", result.at_most);
  if (!from.has("of") || !in.draft.regions_known)
    return result;
  const auto paths = in.draft.published_paths();
  if (!contains(paths, result.of)) {
    from.fail("of", "unknown published service \"" + result.of + "\""
                      + suggestion(result.of, paths, "known"));
    return result;
  }
  const auto* service = in.draft.find_service(result.of.substr(result.of.find('/') + 1));
  if (service != nullptr && !service->composite)
    from.fail("of", "\"" + result.of
                      + "\" has neither composite_health nor service_health, hence no transitions");
  return result;
}

expectation read_lost(const reading& in, const section& from) {
  expect_lost result;
  from.read("at_most", result.at_most);
  result.consumer = read_consumer(from, "consumer", in.draft);
  from.read("young", result.young);
  return result;
}

expectation read_cost(const reading& in, const section& from) {
  expect_cost result;
  result.of = read_region_or_backend(from, "of", in.draft);
  from.read("instance_seconds_at_most", result.instance_seconds_at_most);
  from.read("vcpu_seconds_at_most", result.vcpu_seconds_at_most);
  from.read("from", result.from);
  from.read("to", result.to);
  check_window(in, from, result.from, result.to);
  return result;
}

expectation read_sequence(const reading& in, const section& from) {
  expect_sequence result;
  for (const auto& x : from.list("of"))
    result.of.push_back(read_event_pattern({from.problems(), &x, x.at}, in.draft));
  from.read("within", result.within);
  return result;
}

expectation read_backlog(const reading& in, const section& from) {
  expect_backlog result;
  result.consumer = read_consumer(from, "consumer", in.draft);
  from.read("at_most", result.at_most);
  if (from.has("at")) {
    instant at{};
    read_instant(in, from, at);
    result.from = result.to = at;
  } else {
    from.read("from", result.from);
    from.read("to", result.to);
    check_window(in, from, result.from, result.to);
  }
  const auto& consumers = in.draft.result.consumers;
  const auto user = std::find_if(consumers.begin(), consumers.end(),
                                 [&result](const auto& x) { return x.name == result.consumer; });
  const auto is_push = [](const load_config& x) {
    return std::holds_alternative<push_subscription_config>(x);
  };
  if (user != consumers.end() && std::none_of(user->traffic.begin(), user->traffic.end(), is_push))
    from.fail("consumer", result.consumer + " has no push_subscription, hence no backlog");
  return result;
}

using reader = expectation (*)(const reading&, const section&);

constexpr std::pair<std::string_view, reader> readers[] = {
  {"failover", read_failover},
  {"failback", read_failback},
  {"capacity_recovered", read_capacity_recovered},
  {"clock", read_clock},
  {"errors", read_errors},
  {"latency", read_latency},
  {"queue", read_queue},
  {"rate", read_rate},
  {"instances", read_instances},
  {"transitions", read_transitions},
  {"lost", read_lost},
  {"cost", read_cost},
  {"sequence", read_sequence},
  {"backlog", read_backlog},
};

} // namespace

void read_expectations(const section& root, scenario_draft& draft) {
  std::vector<std::string> names;
  for (const auto& x : root.list("expect")) {
    if (x.bad)
      continue;
    const section from{root.problems(), &x, x.at};
    auto name = read_unique_name(from, names);
    for (const auto& [key, read] : readers) {
      if (!from.has(key))
        continue;
      auto result = read({root, draft}, from.at(key));
      result.name = std::move(name);
      draft.result.expectations.push_back(std::move(result));
      break;
    }
  }
}

} // namespace spillover
