#include "net/counters.hpp"

#include <utility>

namespace spillover::net {

std::string_view to_string(plane x) noexcept {
  constexpr std::array<std::string_view, plane_count> names{"data", "health", "control",
                                                            "telemetry"};
  return names[static_cast<std::size_t>(x)];
}

std::string_view to_string(drop x) noexcept {
  constexpr std::array<std::string_view, drop_count> names{
    "queue_full",     "inbox_full",     "unreachable", "peer_lost",     "unanswered",
    "spill_full",     "oversized",      "malformed",   "other_version", "out_of_range",
    "not_accepted",   "unknown_body",   "wrong_plane", "unknown_site",  "impostor",
    "other_scenario", "not_introduced", "stale",       "repeated",      "out_of_order"};
  return names[static_cast<std::size_t>(x)];
}

std::uint64_t counters::dropped(drop why) const noexcept {
  std::uint64_t result = 0;
  for (const auto& site : sites)
    for (const auto& x : site.planes)
      result += x.of(why);
  return result;
}

live_counters::live_counters(std::vector<std::string> sites)
  : sites_(std::move(sites)), cells_(std::make_unique<cell[]>((sites_.size() + 1) * plane_count)) {}

void live_counters::sent(std::size_t site, plane where, std::uint64_t items) noexcept {
  auto& x = at(site, where);
  x.frames_sent.fetch_add(1, std::memory_order_relaxed);
  x.items_sent.fetch_add(items, std::memory_order_relaxed);
}

void live_counters::frame_received(std::size_t site, plane where) noexcept {
  at(site, where).frames_received.fetch_add(1, std::memory_order_relaxed);
}

void live_counters::received(std::size_t site, plane where, std::uint64_t items) noexcept {
  at(site, where).items_received.fetch_add(items, std::memory_order_relaxed);
}

void live_counters::dropped(std::size_t site, plane where, drop why, std::uint64_t items) noexcept {
  at(site, where)
    .dropped[static_cast<std::size_t>(why)]
    .fetch_add(items, std::memory_order_relaxed);
}

counters live_counters::look() const {
  counters result;
  result.sites.resize(sites_.size() + 1);
  for (std::size_t i = 0; i < result.sites.size(); ++i) {
    if (i < sites_.size())
      result.sites[i].site = sites_[i];
    for (std::size_t p = 0; p < plane_count; ++p) {
      const auto& from = at(i, static_cast<plane>(p));
      auto& to = result.sites[i].planes[p];
      to.frames_sent = from.frames_sent.load(std::memory_order_relaxed);
      to.items_sent = from.items_sent.load(std::memory_order_relaxed);
      to.frames_received = from.frames_received.load(std::memory_order_relaxed);
      to.items_received = from.items_received.load(std::memory_order_relaxed);
      for (std::size_t d = 0; d < drop_count; ++d)
        to.dropped[d] = from.dropped[d].load(std::memory_order_relaxed);
    }
  }
  result.refused_keys = refused_keys_.load(std::memory_order_relaxed);
  return result;
}

} // namespace spillover::net
