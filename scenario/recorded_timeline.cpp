#include "report/event_index.hpp"
#include "scenario/policy_test.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace spillover {

namespace {

/// What is known of one instance at a time.
struct life {
  std::string backend;
  instance_state state = instance_state::stopped;
  bool there = false;
  bool counts_itself = false; // by its readiness probe (B-68)
  /// By the number of the fault: faults that make probes silent, or fail.
  std::set<std::uint32_t> silent = {};
  std::set<std::uint32_t> failing = {};
  endpoint_history history = {};

  [[nodiscard]] bool serves() const noexcept {
    return state == instance_state::ready || state == instance_state::deprioritised;
  }

  [[nodiscard]] endpoint_condition condition() const noexcept {
    if (!serves() || (silent.empty() && !failing.empty()))
      return endpoint_condition::failing;
    return silent.empty() ? endpoint_condition::answering : endpoint_condition::silent;
  }
};

class collector {
public:
  explicit collector(const event_log& log);

  void take(const event& x);
  [[nodiscard]] std::vector<backend_history> finish();

private:
  void take(const event& x, const instance_changed& what);
  void take(const event& x, const instance_afflicted& what);
  void take(const event& x, const endpoint_changed& what);
  static void note(life& x, instant at);

  std::set<std::string, std::less<>> backends_;
  std::vector<std::string> order_; // of instances, as they came
  std::map<std::string, life, std::less<>> lives_;
  std::set<std::uint32_t> unseen_; // faults that no probe meets
};

// The backend services are those with a source; a run without composite health has none, and then every
// revision's path tells.
collector::collector(const event_log& log) {
  for (const auto& x : log.events())
    if (std::holds_alternative<source_changed>(x.what))
      backends_.emplace(parent_of(x.entity));
  if (!backends_.empty())
    return;
  for (const auto& x : log.events())
    if (std::holds_alternative<instance_changed>(x.what)) {
      auto path = std::string_view{x.entity};
      // region/service/backend_service, with or without a revision, and the instance.
      for (auto parent = parent_of(path); std::count(path.begin(), path.end(), '/') > 2;
           parent = parent_of(path))
        path = parent;
      backends_.emplace(path);
    }
}

void collector::take(const event& x) {
  if (const auto* fault = std::get_if<fault_started>(&x.what);
      fault != nullptr && fault->what.find(" to requests") != std::string::npos)
    unseen_.insert(fault->index);
  if (const auto* changed = std::get_if<instance_changed>(&x.what))
    take(x, *changed);
  else if (const auto* afflicted = std::get_if<instance_afflicted>(&x.what))
    take(x, *afflicted);
  else if (const auto* verdict = std::get_if<endpoint_changed>(&x.what))
    take(x, *verdict);
}

void collector::take(const event& x, const instance_changed& what) {
  auto found = lives_.find(x.entity);
  if (found == lives_.end()) {
    const auto of = std::find_if(backends_.begin(), backends_.end(),
                                 [&x](const auto& path) { return is_within(x.entity, path); });
    if (of == backends_.end())
      return;
    found = lives_.emplace(x.entity, life{.backend = *of}).first;
    found->second.history.name = x.entity;
    order_.push_back(x.entity);
  }
  auto& one = found->second;
  one.state = what.after;
  // A new process is free of what lay on the one before; a fault that lies on it as well is told again.
  if (what.after == instance_state::starting) {
    one.silent.clear();
    one.failing.clear();
  }
  one.there = what.after != instance_state::draining && what.after != instance_state::stopped;
  if (one.counts_itself && !one.serves() && one.history.verdicts.back().state != health::unknown)
    one.history.verdicts.push_back({x.at, health::unknown});
  note(one, x.at);
}

void collector::take(const event& x, const instance_afflicted& what) {
  const auto found = lives_.find(x.entity);
  // What befalls requests only, no probe sees.
  if (found == lives_.end() || unseen_.contains(what.index))
    return;
  auto& one = found->second;
  const auto silent = what.effect.starts_with("silent") || what.effect.starts_with("hung");
  auto* faults = silent ? &one.silent : what.effect.starts_with("failing") ? &one.failing : nullptr;
  if (faults == nullptr)
    return;
  if (what.active)
    faults->insert(what.index);
  else
    faults->erase(what.index);
  if (one.there)
    note(one, x.at);
}

void collector::take(const event& x, const endpoint_changed& what) {
  if (const auto found = lives_.find(x.entity); found != lives_.end()) {
    found->second.history.verdicts.push_back({x.at, what.after});
    found->second.counts_itself = what.probers == 0;
  }
}

void collector::note(life& x, instant at) {
  auto& steps = x.history.conditions;
  const auto is = x.there ? std::optional{x.condition()} : std::nullopt;
  if (steps.empty() ? !is : (!steps.back().is || steps.back().is == is))
    return;
  if (!steps.empty() && steps.back().at == at)
    steps.back().is = is;
  else
    steps.push_back({at, is});
}

std::vector<backend_history> collector::finish() {
  std::vector<backend_history> result;
  for (const auto& path : backends_) {
    backend_history history{path, {}};
    for (const auto& name : order_) {
      auto& x = lives_.find(name)->second;
      if (x.backend != path || x.history.conditions.empty())
        continue;
      history.by_readiness = history.by_readiness || x.counts_itself;
      history.endpoints.push_back(std::move(x.history));
    }
    result.push_back(std::move(history));
  }
  return result;
}

} // namespace

std::optional<endpoint_timeline> timeline_of(const event_log& log) {
  collector all{log};
  endpoint_timeline result;
  result.recorded = true;
  for (const auto& x : log.events()) {
    if (const auto* begin = std::get_if<run_started>(&x.what)) {
      result.name = begin->name;
      result.seed = begin->seed;
      result.warm_up = begin->warm_up;
    }
    all.take(x);
  }
  result.lasts = event_index{log}.run_end() - run_start;
  for (auto& x : all.finish())
    if (!x.endpoints.empty())
      add_backend(result, std::move(x));
  if (result.services.empty())
    return std::nullopt;
  return result;
}

} // namespace spillover
