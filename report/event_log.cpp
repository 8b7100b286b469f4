#include "report/event_log.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

event_log::event_log(std::vector<std::string> sites)
  : sites_(std::move(sites)), places_(sites_.size()) {}

event_id event_log::record(instant at, std::string_view entity, event_id cause, payload what) {
  auto known = entities_.find(entity);
  if (known == entities_.end()) {
    const auto site = std::find(sites_.begin(), sites_.end(), entity.substr(0, entity.find('/')));
    SPILLOVER_CHECK(site != sites_.end());
    const auto number = static_cast<std::uint16_t>(site - sites_.begin());
    known = entities_.emplace(std::string{entity}, entity_state{number, {}}).first;
  }
  auto& places = places_[known->second.site];
  places.push_back(events_.size());
  const event_id id{known->second.site, places.size()};
  if (!is_sample_or_books(what))
    known->second.latest = id;
  events_.push_back({id, cause, at, known->first, std::move(what)});
  return id;
}

event_id event_log::latest(std::string_view entity) const {
  const auto known = entities_.find(entity);
  return known == entities_.end() ? event_id{} : known->second.latest;
}

const event* event_log::find(event_id id) const {
  if (!id || id.site >= places_.size() || id.number > places_[id.site].size())
    return nullptr;
  return &events_[places_[id.site][id.number - 1]];
}

std::string to_string(event_id x, const std::vector<std::string>& sites) {
  if (!x)
    return {};
  SPILLOVER_CHECK(x.site < sites.size());
  return sites[x.site] + "#" + std::to_string(x.number);
}

} // namespace spillover
