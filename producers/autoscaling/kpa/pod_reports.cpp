#include "producers/autoscaling/kpa/pod_reports.hpp"

#include "producers/autoscaling/kpa/collector.hpp"

#include <cstddef>
#include <utility>

namespace spillover::kpa {

pod_reports::pod_reports(bool sample, duration stable_window, random_stream random)
  : sample_(sample), stable_window_(stable_window), random_(random) {}

void pod_reports::add(instant now, std::uint32_t index) {
  if (index >= places_.size())
    places_.resize(std::size_t{index} + 1, none);
  places_[index] = size();
  pods_.push_back({index, now, request_stats{now}});
}

void pod_reports::remove(std::uint32_t index) {
  if (!find(index))
    return;
  const auto place = std::exchange(places_[index], none);
  pods_.erase(pods_.begin() + place);
  for (auto i = place; i < size(); ++i)
    places_[pods_[i].index] = i;
}

pod_reports::pod* pod_reports::find(std::uint32_t index) noexcept {
  if (index >= places_.size() || places_[index] == none)
    return nullptr;
  return &pods_[places_[index]];
}

void pod_reports::begin(instant now, std::uint32_t index, bool proxied) noexcept {
  if (auto* x = find(index))
    x->stats.begin(now, proxied);
}

void pod_reports::end(instant now, std::uint32_t index, bool proxied) noexcept {
  if (auto* x = find(index))
    x->stats.end(now, proxied);
}

std::optional<request_report> pod_reports::scrape(instant now) {
  if (pods_.empty())
    return std::nullopt;
  for (auto& x : pods_)
    x.last = x.stats.report(now);
  const auto count = sample_ ? sample_size(size()) : size();
  draw(now, count);
  request_report sum;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto& x = pods_[drawn_[i]].last;
    sum.concurrency += x.concurrency;
    sum.proxied_concurrency += x.proxied_concurrency;
    sum.requests += x.requests;
    sum.proxied_requests += x.proxied_requests;
  }
  if (count == size())
    return sum;
  // First the mean, then times the pods, as Knative does: the last bit depends on it.
  const auto n = static_cast<double>(count);
  const auto pods = static_cast<double>(size());
  return request_report{sum.concurrency / n * pods, sum.proxied_concurrency / n * pods,
                        sum.requests / n * pods, sum.proxied_requests / n * pods};
}

void pod_reports::draw(instant now, std::uint32_t count) {
  drawn_.clear();
  // The order of becoming ready is the order of age, so that the old ones come first.
  std::uint32_t old = 0;
  for (std::uint32_t i = 0; i < size(); ++i) {
    drawn_.push_back(i);
    old += now - pods_[i].since >= stable_window_ ? 1 : 0;
  }
  if (count == size())
    return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto end = i < old ? old : size();
    std::swap(drawn_[i], drawn_[i + random_.below(end - i)]);
  }
}

} // namespace spillover::kpa
