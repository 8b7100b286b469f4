#pragma once

#include "model/event.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Collects the events of a run in the order in which they happened.
class event_log {
public:
  /// @param sites names, by site number; number 0 is the director
  explicit event_log(std::vector<std::string> sites);

  /// Records an event and gives it its id.
  /// @param entity path whose first part is a site's name
  /// @param cause the event that led to it, or none
  /// @returns the id, whose number is the site's last number plus 1
  event_id record(instant at, std::string_view entity, event_id cause, payload what);

  /// Records an event whose id is settled: by a place that was reserved for it, or by the process of a
  /// deployment that recorded it first.
  /// @param id of the entity's site; a number that no event of this log has
  /// @returns false, and records nothing, when the log holds that number already
  bool record_as(event_id id, instant at, std::string_view entity, event_id cause, payload what);

  /// Lets the numbers of a site go on from `next`, so that those before are free for `record_as`, or
  /// belong to an earlier process of the site.
  /// @param next above all numbers that the site has used
  void number_from(std::uint16_t site, std::uint64_t next);

  /// Whether numbers of a site may be missing, or stand in another order than their events: the log was
  /// put together from those of several processes.
  [[nodiscard]] bool joined() const noexcept { return joined_; }

  /// @returns the last event of an entity whose payload is a state, decision or fault (samples and
  ///          books do not count), or none.
  [[nodiscard]] event_id latest(std::string_view entity) const;

  [[nodiscard]] const std::vector<event>& events() const noexcept { return events_; }
  [[nodiscard]] const std::vector<std::string>& sites() const noexcept { return sites_; }

  /// @returns the event with this id, or nullptr.
  [[nodiscard]] const event* find(event_id id) const;

private:
  std::vector<std::string> sites_;
  std::vector<event> events_;
  struct entity_state {
    std::uint16_t site = 0;
    event_id latest;
  };
  /// Consecutive numbers of a site: where in `events_` number `first + n` stands, `nowhere` for one that
  /// is not used.
  struct stretch {
    std::uint64_t first = 1;
    std::vector<std::size_t> places = {};
    [[nodiscard]] std::uint64_t next() const noexcept { return first + places.size(); }
  };
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

  entity_state& state_of(std::string_view entity);
  std::size_t& place_of(event_id id);
  void add(entity_state& state, event_id id, instant at, std::string_view entity, event_id cause,
           payload&& what);

  // Ordered, because `std::hash` differs between libraries; a world has some hundred entities.
  std::map<std::string, entity_state, std::less<>> entities_;
  // By site; one each, unless the log is joined.
  std::vector<std::vector<stretch>> stretches_;
  bool joined_ = false;
};

/// @returns "us-east1#42"; "" for no event.
std::string to_string(event_id x, const std::vector<std::string>& sites);

/// @returns the event as one line of JSON, without a line end; see `docs/events.md`.
std::string to_json(const event& x, const std::vector<std::string>& sites);

/// Appends the event as one line of JSON, with its line end.
void append_event_line(std::string& out, const event& x, const std::vector<std::string>& sites);

/// @returns the first line of a log, with its line end: it names the sites.
/// @param joined as `event_log::joined`
std::string event_log_head(const std::vector<std::string>& sites, bool joined = false);

/// Puts the events of several processes together, by time; at the same instant and where clocks differ,
/// causes come before their effects.
/// @param events each with its id; of two with the same id the first one counts
event_log join_events(std::vector<std::string> sites, std::vector<event> events);

/// @returns the fields of the event's payload for people, e.g. "before=HEALTHY after=UNHEALTHY"; values
///          with blanks in quotes.
std::string fields_text(const event& x);

/// Writes a log as JSON lines: one that names the sites, then one for each event. What
/// `read_event_log` reads.
void write_event_log(std::ostream& out, const event_log& log);

} // namespace spillover
