#include "producers/autoscaling/kpa/request_stats.hpp"

#include <algorithm>

namespace spillover::kpa {

void request_stats::advance(instant now) noexcept {
  if (now <= at_)
    return;
  const auto passed = std::chrono::duration<double>(now - at_).count();
  seconds_ += passed;
  busy_ += static_cast<double>(open_) * passed;
  proxied_busy_ += static_cast<double>(proxied_open_) * passed;
  at_ = now;
}

void request_stats::begin(instant now, bool proxied) noexcept {
  advance(now);
  ++open_;
  ++begun_;
  proxied_open_ += proxied;
  proxied_begun_ += proxied;
}

void request_stats::end(instant now, bool proxied) noexcept {
  advance(now);
  --open_;
  proxied_open_ -= proxied;
}

request_report request_stats::report(instant now) noexcept {
  advance(now);
  request_report result;
  if (seconds_ > 0) {
    result.concurrency = busy_ / seconds_;
    result.proxied_concurrency = proxied_busy_ / seconds_;
  }
  result.requests = static_cast<double>(begun_);
  result.proxied_requests = static_cast<double>(proxied_begun_);
  begun_ = 0;
  proxied_begun_ = 0;
  busy_ = 0;
  proxied_busy_ = 0;
  seconds_ = 0;
  return result;
}

std::optional<request_report> activator_stats::begin(instant now) {
  if (stats_) {
    stats_->begin(now);
    return std::nullopt;
  }
  stats_.emplace(now).begin(now);
  told_first_ = true;
  return request_report{1, 0, 1, 0};
}

void activator_stats::end(instant now) noexcept {
  if (stats_)
    stats_->end(now);
}

std::optional<request_report> activator_stats::report(instant now) {
  if (!stats_)
    return std::nullopt;
  auto result = stats_->report(now);
  const auto idle = result.concurrency == 0 && stats_->in_flight() == 0;
  if (told_first_) {
    result.concurrency = std::max(0.0, result.concurrency - 1);
    result.requests -= 1;
    told_first_ = false;
  }
  if (idle)
    stats_.reset();
  return result;
}

} // namespace spillover::kpa
