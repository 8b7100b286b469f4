#include "report/event_log.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

event_log::event_log(std::vector<std::string> sites)
  : sites_(std::move(sites)), stretches_(sites_.size(), std::vector<stretch>(1)) {}

event_log::entity_state& event_log::state_of(std::string_view entity) {
  const auto known = entities_.find(entity);
  if (known != entities_.end())
    return known->second;
  const auto site = std::find(sites_.begin(), sites_.end(), entity.substr(0, entity.find('/')));
  SPILLOVER_CHECK(site != sites_.end());
  const auto number = static_cast<std::uint16_t>(site - sites_.begin());
  return entities_.emplace(std::string{entity}, entity_state{number, {}}).first->second;
}

void event_log::add(entity_state& state, event_id id, instant at, std::string_view entity,
                    event_id cause, payload&& what) {
  if (!is_sample_or_books(what))
    state.latest = id;
  events_.push_back({id, cause, at, std::string{entity}, std::move(what)});
}

event_id event_log::record(instant at, std::string_view entity, event_id cause, payload what) {
  auto& state = state_of(entity);
  auto& last = stretches_[state.site].back();
  const event_id id{state.site, last.next()};
  last.places.push_back(events_.size());
  add(state, id, at, entity, cause, std::move(what));
  return id;
}

std::size_t& event_log::place_of(event_id id) {
  auto& all = stretches_[id.site];
  // The last stretch that begins at or before the number, made if there is none.
  auto after = std::upper_bound(all.begin(), all.end(), id.number,
                                [](std::uint64_t x, const stretch& y) { return x < y.first; });
  constexpr std::uint64_t most_holes = 4'096;
  if (after == all.begin() || std::prev(after)->next() + most_holes < id.number)
    after = std::next(all.insert(after, stretch{id.number}));
  auto& to = *std::prev(after);
  const auto place = static_cast<std::size_t>(id.number - to.first);
  if (place >= to.places.size())
    to.places.resize(place + 1, nowhere);
  return to.places[place];
}

bool event_log::record_as(event_id id, instant at, std::string_view entity, event_id cause,
                          payload what) {
  SPILLOVER_CHECK(id && id.site < stretches_.size());
  auto& state = state_of(entity);
  SPILLOVER_CHECK(state.site == id.site);
  joined_ = true;
  auto& place = place_of(id);
  if (place != nowhere)
    return false;
  place = events_.size();
  add(state, id, at, entity, cause, std::move(what));
  return true;
}

void event_log::number_from(std::uint16_t site, std::uint64_t next) {
  auto& all = stretches_[site];
  SPILLOVER_CHECK(next >= all.back().next());
  joined_ = true;
  if (next > all.back().next())
    all.push_back(stretch{next});
}

event_id event_log::latest(std::string_view entity) const {
  const auto known = entities_.find(entity);
  return known == entities_.end() ? event_id{} : known->second.latest;
}

const event* event_log::find(event_id id) const {
  if (!id || id.site >= stretches_.size())
    return nullptr;
  const auto& all = stretches_[id.site];
  const auto after =
    std::upper_bound(all.begin(), all.end(), id.number,
                     [](std::uint64_t x, const stretch& y) { return x < y.first; });
  if (after == all.begin())
    return nullptr;
  const auto& in = *std::prev(after);
  const auto place = id.number - in.first;
  if (place >= in.places.size() || in.places[place] == nowhere)
    return nullptr;
  return &events_[in.places[place]];
}

event_log join_events(std::vector<std::string> sites, std::vector<event> events) {
  std::stable_sort(events.begin(), events.end(), [](const event& x, const event& y) {
    return std::pair{x.at, x.id} < std::pair{y.at, y.id};
  });
  event_log result{std::move(sites)};
  std::map<event_id, const event*> waiting; // by id: not in the result yet
  for (const auto& x : events)
    waiting.emplace(x.id, &x);
  // Adds an event after its causes. A chain of causes is a path, so a loop is enough.
  const auto take = [&](const event& x) {
    std::vector<const event*> chain;
    for (const auto* y = &x; y != nullptr;) {
      waiting.erase(y->id);
      chain.push_back(y);
      const auto cause = waiting.find(y->cause);
      y = cause == waiting.end() ? nullptr : cause->second;
    }
    std::reverse(chain.begin(), chain.end());
    for (const auto* y : chain) {
      // What never came, because its process ended before it told, is the cause of nothing.
      const auto known = result.find(y->cause) != nullptr;
      result.record_as(y->id, y->at, y->entity, known ? y->cause : event_id{}, y->what);
    }
  };
  for (const auto& x : events)
    if (const auto found = waiting.find(x.id); found != waiting.end() && found->second == &x)
      take(x);
  return result;
}

std::string to_string(event_id x, const std::vector<std::string>& sites) {
  if (!x)
    return {};
  SPILLOVER_CHECK(x.site < sites.size());
  return sites[x.site] + "#" + std::to_string(x.number);
}

} // namespace spillover
