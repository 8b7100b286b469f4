#include "scenario/names.hpp"
#include "scenario/read.hpp"

namespace spillover {

namespace {

void read_back(const section& from, failback_config& into) {
  const auto* x = from.find("failback");
  if (x == nullptr)
    return;
  if (x->is_text()) {
    into.back = x->text == "manual" ? failback_mode::manual : failback_mode::immediate;
    return;
  }
  const auto how = from.at("failback");
  if (how.given("after") == how.given("over"))
    how.fail("failback: needs either after or over");
  into.back = how.has("over") ? failback_mode::over : failback_mode::after;
  how.read("after", into.back_span);
  how.read("over", into.back_span);
  how.read("steps", into.steps);
  if (how.has("steps") && !how.given("over"))
    how.fail("steps", "has a meaning with over only");
}

void read_leave(const section& from, failback_config& into) {
  const auto* x = from.find("failover");
  if (x == nullptr)
    return;
  if (x->is_text()) {
    into.leave = x->text == "manual" ? failover_mode::manual : failover_mode::automatic;
    return;
  }
  into.leave = failover_mode::after;
  from.at("failover").read("after", into.leave_span);
}

balancer_action read_action(const section& from, const scenario_draft& draft,
                            const consumer_spec& of) {
  balancer_action result;
  from.read("at", result.at);
  const auto since_start = result.at - run_start;
  const auto lasts = draft.result.lasts;
  if (from.has("at") && lasts > duration::zero() && since_start >= lasts)
    from.fail("at", "must be before the end of the run (" + to_string(lasts) + "); got "
                      + to_string(since_start));
  const auto& before = of.load_balancer.actions;
  if (from.has("at") && !before.empty() && result.at < before.back().at)
    from.fail("at", "must not be before the action above ("
                      + to_string(before.back().at - run_start) + "); got "
                      + to_string(since_start));
  if (const auto* x = from.find("failover")) {
    result.step = x->text == "on" ? balancer_step::failover_on : balancer_step::failover_off;
    return result;
  }
  const auto* key = from.has("fail_over") ? "fail_over" : "fail_back";
  result.step = from.has("fail_over") ? balancer_step::fail_over : balancer_step::fail_back;
  from.read(key, result.region);
  if (from.has(key) && draft.regions_known && draft.consumers_known
      && !contains(of.regions, result.region))
    from.fail(key, of.name + " does not use \"" + result.region + "\""
                     + suggestion(result.region, of.regions, "known"));
  return result;
}

} // namespace

failback_config read_failback(const section& from) {
  failback_config result;
  read_back(from, result);
  read_leave(from, result);
  return result;
}

void read_failover(const section& from, const scenario_draft& draft, consumer_spec& into) {
  auto& config = into.load_balancer;
  config.failback = read_failback(from);
  for (const auto& x : from.list("actions"))
    if (!x.bad)
      config.actions.push_back(read_action({from.problems(), &x, x.at}, draft, into));
  if (has_psc_negs(config))
    return;
  const auto why =
    config.distribution
      ? "distribution, which reaches the groups themselves and goes by the health of "
        "their endpoints: a PSC NEG is one endpoint and has no capacity (B-33)"
      : "kind " + std::string{name_of(config.kind, load_balancer_kinds)}
          + ", which does not route by the states of PSC NEGs alone";
  for (const auto* key : {"failback", "failover", "actions"})
    if (from.has(key))
      from.fail(key, "has no meaning with " + why);
}

} // namespace spillover
