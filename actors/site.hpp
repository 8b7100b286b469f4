#pragma once

#include "actors/lane.hpp"
#include "model/event.hpp"
#include "regions/link_model.hpp"
#include "report/event_log.hpp"
#include "report/request_keeper.hpp"
#include "report/request_tracer.hpp"
#include "scenario/plan.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// What every actor of a site shares: its lane, its event log, the run's seed.
class site {
public:
  /// Sees each event as it is recorded, e.g. to log it.
  using observer = std::function<void(const event&)>;

  site(lane& events, event_log& log, std::uint64_t seed, observer seen = {})
    : events_(events), log_(log), seed_(seed), seen_(std::move(seen)) {}

  [[nodiscard]] lane& events() noexcept { return events_; }
  [[nodiscard]] instant now() const noexcept { return events_.now(); }
  [[nodiscard]] std::uint64_t seed() const noexcept { return seed_; }
  [[nodiscard]] const event_log& log() const noexcept { return log_; }

  /// Where clients tell what became of each request; set before they begin.
  void keep_requests(request_keeper& x) noexcept { keeper_ = &x; }
  [[nodiscard]] request_keeper* keeper() const noexcept { return keeper_; }

  /// Who follows single requests from hop to hop; nobody, but in a run that is made to explain them.
  void trace_requests(request_tracer& x) noexcept { tracer_ = &x; }
  [[nodiscard]] request_tracer* tracer() const noexcept { return tracer_; }

  /// An actor came, or ended.
  void enter(actor_kind what, const std::string& path) { census_.emplace(path, what); }
  void leave(const std::string& path) { census_.erase(path); }

  /// Actors that live, by path.
  [[nodiscard]] const std::map<std::string, actor_kind>& census() const noexcept { return census_; }

  /// A fault took hold of an instance, or left it.
  /// @param severe what the fault does decides alone: silence, a crash, nothing but errors
  void afflict(const std::string& path, std::uint32_t fault, bool severe, event_id what) {
    ailments_[path].push_back({fault, severe, what});
  }
  void heal(const std::string& path, std::uint32_t fault) {
    std::erase_if(ailments_[path], [fault](const ailment_entry& x) { return x.fault == fault; });
  }

  /// @returns why an entity fails: the first severe fault that lies on it, else the first one, else
  ///          its last event.
  [[nodiscard]] event_id reason_to_fail(const std::string& path) const {
    const auto found = ailments_.find(path);
    if (found == ailments_.end() || found->second.empty())
      return log_.latest(path);
    for (const auto& x : found->second)
      if (x.severe)
        return x.what;
    return found->second.front().what;
  }

  /// Records an event of this instant.
  event_id record_event(std::string_view entity, event_id cause, payload what) {
    const auto id = log_.record(now(), entity, cause, std::move(what));
    if (seen_)
      seen_(log_.events().back());
    return id;
  }

private:
  lane& events_;
  event_log& log_;
  std::uint64_t seed_;
  observer seen_;
  request_keeper* keeper_ = nullptr;
  request_tracer* tracer_ = nullptr;
  std::map<std::string, actor_kind> census_;

  struct ailment_entry {
    std::uint32_t fault;
    bool severe;
    event_id what;
  };
  std::map<std::string, std::vector<ailment_entry>> ailments_; // of each instance, as they came
};

/// Where an actor sends records to another: past the link between their sites, if there is one. The
/// sender decides what the link does, so a link costs no record of its own.
struct port {
  entity_id to = nobody;
  link_model* link = nullptr;

  void send(lane& events, record x) const {
    x.to = to;
    if (!link) {
      events.post(x);
      return;
    }
    if (const auto delay = link->decide())
      events.after(*delay, x);
  }
};

} // namespace spillover
