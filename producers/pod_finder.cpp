#include "producers/pod_finder.hpp"

#include <algorithm>

namespace spillover {

namespace {

// To open a connection and to ask, there and back each.
constexpr int ways_of_a_probe = 4;

} // namespace

pod_finder::pod_finder(const activator_way& x, random_stream random)
  : way_(ways_of_a_probe * x.latency), response_time_(x.response_time), random_(random) {}

void pod_finder::begin(probe& x, instant now) {
  const auto takes = way_ + response_time_.draw(random_);
  x.succeeds = takes <= timeout;
  constexpr auto again = (timeout + frequency - duration{1}) / frequency * frequency;
  x.due = now + (x.succeeds ? takes : again);
}

void pod_finder::set_next() noexcept {
  next_ = never;
  for (const auto& x : probes_)
    next_ = std::min(next_, x.due);
}

void pod_finder::watch(instant now, std::uint32_t index) {
  probes_.push_back({index, {}, false});
  begin(probes_.back(), now);
  next_ = std::min(next_, probes_.back().due);
}

void pod_finder::forget(std::uint32_t index) {
  std::erase_if(probes_, [index](const probe& x) { return x.index == index; });
  set_next();
}

std::vector<std::uint32_t> pod_finder::take_all() {
  std::vector<std::uint32_t> result;
  for (const auto& x : probes_)
    result.push_back(x.index);
  probes_.clear();
  next_ = never;
  return result;
}

std::optional<std::uint32_t> pod_finder::found(instant now) {
  while (next_ <= now) {
    const auto x = std::min_element(probes_.begin(), probes_.end(),
                                    [](const probe& a, const probe& b) { return a.due < b.due; });
    if (x->succeeds) {
      const auto index = x->index;
      probes_.erase(x);
      set_next();
      return index;
    }
    begin(*x, x->due);
    set_next();
  }
  return std::nullopt;
}

} // namespace spillover
