#include "scenario/plan.hpp"
#include "scenario/read.hpp"

#include <map>
#include <set>

namespace spillover {

namespace {

std::string time_text(instant x) {
  return to_string(x.time_since_epoch());
}

/// What is certain of a backend service when its actions are carried out one after the other. Whether a
/// deployment comes through is known in the run only.
class course {
public:
  explicit course(const backend_service_spec& of);

  /// Says what is certainly not possible at an action's time, and takes the action into account.
  void follow(const section& from, const service_action& x);

private:
  void follow(const section& from, instant at, const deploy_action& x);
  void follow(const section& from, instant at, const split_action& x);
  void follow(const section& from, instant at, const roll_back_action& x);
  void follow(const section& from, instant at, const scale_action& x);
  void follow(const section& from, instant at, const patch_policy_action& x);
  void follow(const section& from, instant at, const update_check_action& x);
  bool check_deployed(const section& from, instant at, const std::string& revision) const;
  [[nodiscard]] bool is_taken_up_at_once(const std::string& revision) const;

  const backend_service_spec& of_;
  std::set<std::string> there_;    // when the run begins, hence ready
  std::set<std::string> deployed_; // by an action, ready or not
  // Those that get requests for certain, and no others do; nothing when that depends on the run.
  std::optional<std::set<std::string>> traffic_;
  std::string latest_; // unless something is deployed
  service_scaling scaling_;
  health_check_config check_;
};

course::course(const backend_service_spec& of)
  : of_(of), scaling_(of.scaling), check_(of.health_check) {
  for (const auto& x : of.revisions)
    if (std::any_of(of.traffic.begin(), of.traffic.end(),
                    [&x](const auto& y) { return y.revision == x.name; })) {
      there_.insert(x.name);
      latest_ = x.name;
    }
  if (there_.empty() && !of.revisions.empty())
    there_.insert(latest_ = of.revisions.front().name);
  traffic_.emplace();
  for (const auto& x : of.traffic)
    if (x.percent > 0)
      traffic_->insert(x.revision.empty() ? latest_ : x.revision);
  if (of.traffic.empty())
    traffic_->insert(latest_);
}

void course::follow(const section& from, const service_action& x) {
  std::visit([&](const auto& what) { follow(from, x.at, what); }, x.what);
}

void course::follow(const section& from, instant at, const deploy_action& x) {
  const auto own = from.at("deploy");
  if (!own.fine({"revision"}) || !check_revision(own, "revision", x.revision, of_))
    return;
  if (traffic_ && traffic_->contains(x.revision))
    own.fail("revision", "\"" + x.revision + "\" gets requests already at " + time_text(at)
                           + "; deploy one that does not, or change the shares with split");
  deployed_.insert(x.revision);
  traffic_.reset();
}

bool course::check_deployed(const section& from, instant at, const std::string& revision) const {
  if (there_.contains(revision) || deployed_.contains(revision))
    return true;
  from.fail("revision", "\"" + revision + "\" was not deployed before " + time_text(at)
                          + ", and is not in the traffic when the run begins; deploy it first");
  return false;
}

void course::follow(const section& from, instant at, const split_action& x) {
  const auto entries = from.list("split");
  std::optional<std::set<std::string>> after{std::in_place};
  for (std::size_t i = 0; i < x.traffic.size(); ++i) {
    const auto& target = x.traffic[i];
    const section entry{from.problems(), &entries[i], entries[i].at};
    // A name that no revision has was told already.
    if (!target.revision.empty() && is_named(of_, target.revision))
      check_deployed(entry, at, target.revision);
    if (target.revision.empty() ? !deployed_.empty() : !there_.contains(target.revision))
      after.reset();
    if (after && target.percent > 0)
      after->insert(target.revision.empty() ? latest_ : target.revision);
  }
  traffic_ = std::move(after);
}

bool course::is_taken_up_at_once(const std::string& revision) const {
  const auto found = std::find_if(of_.revisions.begin(), of_.revisions.end(),
                                  [&revision](const auto& y) { return y.name == revision; });
  return there_.contains(revision)
         && (std::holds_alternative<cloud_run_config>(found->autoscaling)
             || std::holds_alternative<knative_kpa_config>(found->autoscaling));
}

void course::follow(const section& from, instant at, const roll_back_action& x) {
  const auto own = from.at("roll_back");
  if (!own.fine({"revision"}) || !check_revision(own, "revision", x.revision, of_))
    return;
  check_deployed(own, at, x.revision);
  traffic_.reset();
  if (is_taken_up_at_once(x.revision))
    traffic_.emplace().insert(x.revision);
}

void course::follow(const section& from, instant at, const scale_action& x) {
  const auto own = from.at("scale");
  if (!own.clean() || !validate(x.scaling).empty())
    return;
  if (const auto other = policy_without_scaling(of_); !other.empty())
    from.fail("scale",
              "has no meaning with policy " + std::string{other} + "; only cloud_run has it");
  const auto after = scaled(scaling_, x.scaling);
  for (const auto& problem : validate(after))
    own.fail(problem + ", as they are from " + time_text(at) + " on");
  scaling_ = after;
}

void course::follow(const section& from, instant at, const patch_policy_action& x) {
  const auto own = from.at("patch_health_policy");
  if (own.fine({"read_at"}) && x.read_at && *x.read_at > at)
    own.fail("read_at",
             "must not be after the action (" + time_text(at) + "); got " + time_text(*x.read_at));
}

void course::follow(const section& from, instant at, const update_check_action& x) {
  const auto own = from.at("update_health_check");
  if (!own.clean())
    return;
  const auto after = updated(check_, x);
  for (const auto& problem : validate(after))
    own.fail(problem + ", as the health check is from " + time_text(at) + " on");
  check_ = after;
}

/// Says what the health of a backend service lacks for an action to be possible.
void check_health_action(const section& from, const service_action& x, const scenario& of) {
  const auto end = x.of.rfind('/');
  const auto found =
    std::find_if(of.published_services.begin(), of.published_services.end(),
                 [&](const auto& y) { return x.of.compare(0, end, y.path()) == 0; });
  if (found == of.published_services.end())
    return;
  const auto name = x.of.substr(end + 1);
  const auto counts = [&name](const auto& y) { return y.backend_service == name; };
  const auto& health = found->composite_health;
  if (std::holds_alternative<patch_policy_action>(x.what)) {
    if (!health || std::none_of(health->sources.begin(), health->sources.end(), counts))
      from.fail("patch_health_policy",
                "\"" + x.of + "\" has no health source; give it one in composite_health");
  } else if (std::holds_alternative<update_check_action>(x.what) && counts_by_readiness(*found)) {
    from.fail("update_health_check",
              "has no meaning with service_health: a serverless NEG has no health check");
  }
}

service_action read_health_action(const section& from) {
  service_action result;
  if (from.has("patch_health_policy")) {
    const auto own = from.at("patch_health_policy");
    patch_policy_action x;
    own.read("healthy_percent_threshold", x.healthy_percent_threshold);
    own.read("min_healthy_threshold", x.min_healthy_threshold);
    own.read("read_at", x.read_at);
    own.read("takes_effect_after", x.takes_effect_after);
    result.what = x;
  } else {
    const auto own = from.at("update_health_check");
    update_check_action x;
    own.read("interval", x.interval);
    own.read("timeout", x.timeout);
    own.read("healthy_threshold", x.healthy_threshold);
    own.read("unhealthy_threshold", x.unhealthy_threshold);
    result.what = x;
  }
  return result;
}

rollout_plan read_plan(const section& from) {
  rollout_plan result;
  if (from.has("steps"))
    result.steps.clear();
  for (const auto& x : from.list("steps"))
    result.steps.push_back(static_cast<std::uint32_t>(x.integer));
  from.read("every", result.every);
  from.read("deadline", result.deadline);
  if (from.clean())
    from.report(validate(result));
  return result;
}

/// @param of the backend service; nullptr when it is not known
service_action read_action(const section& from, const backend_service_spec* of) {
  service_action result;
  from.read("at", result.at);
  from.read("of", result.of);
  if (from.has("deploy")) {
    const auto own = from.at("deploy");
    deploy_action x;
    own.read("revision", x.revision);
    x.plan = read_plan(own);
    result.what = std::move(x);
  } else if (from.has("split")) {
    result.what = split_action{read_traffic(from, "split", of)};
  } else if (from.has("roll_back")) {
    roll_back_action x;
    from.at("roll_back").read("revision", x.revision);
    result.what = std::move(x);
  } else if (from.has("scale")) {
    result.what = scale_action{read_scaling(from.at("scale"))};
  } else {
    result.what = read_health_action(from).what;
  }
  return result;
}

} // namespace

void read_actions(const section& root, scenario_draft& draft) {
  std::vector<std::string> names;
  std::vector<std::pair<const yaml_node*, std::size_t>> in_time;
  for (const auto& x : root.list("actions")) {
    if (x.bad)
      continue;
    const section from{root.problems(), &x, x.at};
    const auto path = read_backend_path(from, "of", draft);
    auto result = read_action(from, draft.revisions_known ? draft.find_backend(path) : nullptr);
    result.name = read_unique_name(from, names);
    const auto since_start = result.at.time_since_epoch();
    if (from.has("at") && root.has("duration") && since_start >= draft.result.lasts)
      from.fail("at", "must be before the end of the run (" + to_string(draft.result.lasts)
                        + "); got " + to_string(since_start));
    if (from.has("at"))
      in_time.emplace_back(&x, draft.result.actions.size());
    draft.result.actions.push_back(std::move(result));
  }
  const auto& actions = draft.result.actions;
  // Of those of one instant the first comes first.
  std::stable_sort(in_time.begin(), in_time.end(), [&actions](const auto& a, const auto& b) {
    return actions[a.second].at < actions[b.second].at;
  });
  std::map<std::string, course> courses;
  for (const auto& [node, index] : in_time) {
    const auto& action = actions[index];
    const auto* of = draft.revisions_known ? draft.find_backend(action.of) : nullptr;
    if (of != nullptr)
      check_health_action({root.problems(), node, node->at}, action, draft.result);
    if (of != nullptr)
      courses.try_emplace(action.of, *of)
        .first->second.follow({root.problems(), node, node->at}, action);
  }
}

} // namespace spillover
