#pragma once

#include "actors/gate.hpp"
#include "actors/lane.hpp"
#include "model/event.hpp"
#include "producers/affliction_book.hpp"
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
  /// @param bearing on probes that fail
  void afflict(const std::string& path, std::uint32_t fault, probe_bearing bearing, event_id what) {
    ailments_[path].push_back({fault, bearing, what});
  }
  void heal(const std::string& path, std::uint32_t fault) {
    std::erase_if(ailments_[path], [fault](const ailment_entry& x) { return x.fault == fault; });
  }

  /// @returns why an entity fails its probes: the first fault on it that decides alone, else the
  ///          first that has a part in it, else its last event.
  [[nodiscard]] event_id reason_to_fail(const std::string& path) const {
    if (const auto found = ailments_.find(path); found != ailments_.end())
      for (const auto bearing : {probe_bearing::whole, probe_bearing::part})
        for (const auto& x : found->second)
          if (x.bearing == bearing)
            return x.what;
    return log_.latest(path);
  }

  /// Sets the clock of a site wrong until `set_right`; several spans add up.
  /// @param ahead above 0 when the clock is fast
  void set_wrong(const std::string& where, std::uint32_t fault, duration ahead) {
    clocks_[where][fault] = ahead;
  }
  void set_right(const std::string& where, std::uint32_t fault) { clocks_[where].erase(fault); }

  /// @returns what the clock of a site shows, for stamps that other sites read. Timers, records and
  ///          events go by `now`.
  /// @param path of somebody there; its first part is the site
  [[nodiscard]] instant local_time(std::string_view path) const {
    auto result = now();
    if (const auto found = clocks_.find(path.substr(0, path.find('/'))); found != clocks_.end())
      for (const auto& [fault, ahead] : found->second)
        result += ahead;
    return result;
  }

  /// Records an event of this instant.
  /// @returns no event while nothing is recorded
  event_id record_event(std::string_view entity, event_id cause, payload what) {
    if (silent_) [[unlikely]]
      return {};
    const auto id = log_.record(now(), entity, cause, std::move(what));
    if (seen_)
      seen_(log_.events().back());
    return id;
  }

  /// Records an event of this instant whose id is settled; also while nothing else is recorded.
  void record_event_as(event_id id, std::string_view entity, event_id cause, payload what) {
    if (log_.record_as(id, now(), entity, cause, std::move(what)) && seen_)
      seen_(log_.events().back());
  }

  /// Records nothing, until told otherwise: what happens is known already, or never happened.
  void keep_silent(bool x) noexcept { silent_ = x; }

  /// Other processes of the deployment hold the other sites; `nullptr`: this one holds all.
  [[nodiscard]] gate* others() const noexcept { return others_; }
  void join(gate& others) noexcept { others_ = &others; }

private:
  lane& events_;
  event_log& log_;
  std::uint64_t seed_;
  observer seen_;
  bool silent_ = false;
  gate* others_ = nullptr;
  request_keeper* keeper_ = nullptr;
  request_tracer* tracer_ = nullptr;
  std::map<std::string, actor_kind> census_;

  struct ailment_entry {
    std::uint32_t fault;
    probe_bearing bearing;
    event_id what;
  };
  std::map<std::string, std::vector<ailment_entry>> ailments_; // of each instance, as they came

  // By site and fault. One process holds the sites of a world.
  std::map<std::string, std::map<std::uint32_t, duration>, std::less<>> clocks_;
};

/// Where an actor sends records to another: past the link between their sites, if there is one, and to
/// another process, if the other is there. The sender decides what the link does, so a link costs no
/// record of its own.
struct port {
  entity_id to = nobody;
  link_model* link = nullptr;
  /// Holds the receiver; `nullptr` when this process does. There is a link then.
  gate* others = nullptr;
  /// Its site, for `others`.
  std::uint16_t site = 0;

  void send(lane& events, record x) const {
    x.to = to;
    if (!link) {
      events.post(x);
      return;
    }
    const auto way = link->decide(events.now());
    if (others) [[unlikely]] {
      for (const auto& delay : {way.first, way.second})
        if (delay)
          others->ship(site, x, events.now() + *delay);
      return;
    }
    if (way.first)
      events.after(*way.first, x);
    if (way.second) [[unlikely]]
      events.after(*way.second, x);
  }
};

} // namespace spillover
