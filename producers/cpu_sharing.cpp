#include "producers/cpu_sharing.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

/// Wall time in nanoseconds by which an end may be early, so that a last bit lost in adding up
/// virtual work does not cost a whole nanosecond.
constexpr double slack = 0x1p-8;

/// Virtual work up to which sums keep steps of about 1e-6 ns; above it, counting starts anew.
constexpr double rebase_above = 0x1p32;

/// Spans above this (146 years) count as endless.
constexpr double endless = 0x1p62;

} // namespace

cpu_sharing::cpu_sharing(double cpu) noexcept : cpu_(cpu), whole_cpu_(cpu) {
  SPILLOVER_CHECK(cpu > 0);
}

void cpu_sharing::add(instant now, std::uint32_t job, duration work) {
  SPILLOVER_CHECK(work >= duration::zero());
  advance(now);
  rebase();
  jobs_.push_back({work_ + static_cast<double>(work.count()), order_++, job});
  std::push_heap(jobs_.begin(), jobs_.end(), later{});
  adjust_speed();
}

instant cpu_sharing::next_end() const noexcept {
  return ended_.empty() ? running_end() : ended_[taken_].at;
}

std::optional<std::uint32_t> cpu_sharing::take_ended(instant now) {
  if (!ended_.empty()) {
    // They ended before the last time told, hence before anything that still runs.
    const auto job = ended_[taken_].job;
    if (++taken_ == ended_.size()) {
      ended_.clear();
      taken_ = 0;
    }
    return job;
  }
  const auto end = running_end();
  if (end > now)
    return std::nullopt;
  return finish_first(end);
}

void cpu_sharing::clear(instant now) {
  advance(now);
  jobs_.clear();
  ended_.clear();
  taken_ = 0;
  adjust_speed();
}

void cpu_sharing::set_background(instant now, double vcpus) {
  SPILLOVER_CHECK(vcpus >= 0 && vcpus < whole_cpu_);
  advance(now);
  count_background(now);
  background_ = vcpus;
  cpu_ = whole_cpu_ - vcpus;
  adjust_speed();
}

void cpu_sharing::set_cpu(instant now, double cpu) {
  SPILLOVER_CHECK(cpu > background_);
  advance(now);
  whole_cpu_ = cpu;
  cpu_ = cpu - background_;
  adjust_speed();
}

duration cpu_sharing::used(instant now) noexcept {
  advance(now);
  count_background(now);
  return used_ + background_used_;
}

void cpu_sharing::count_background(instant now) noexcept {
  const auto since = std::exchange(background_at_, now);
  // Counted apart, so that what jobs use is the same as ever once the background is gone.
  background_part_ += background_ * static_cast<double>((now - since).count());
  const auto whole = static_cast<duration::rep>(background_part_);
  background_used_ += duration{whole};
  background_part_ -= static_cast<double>(whole);
}

instant cpu_sharing::running_end() const noexcept {
  if (jobs_.empty())
    return never;
  const auto span = (jobs_.front().work - work_) / speed_ - slack;
  if (span <= 0)
    return at_;
  if (span >= endless)
    return never;
  auto whole = static_cast<duration::rep>(span);
  if (static_cast<double>(whole) < span)
    ++whole;
  return duration{whole} < never - at_ ? at_ + duration{whole} : never;
}

void cpu_sharing::advance(instant now) {
  SPILLOVER_CHECK(now >= at_);
  // Whoever comes late finds the jobs ended when they did, not all at once.
  for (auto end = running_end(); end < now; end = running_end())
    ended_.push_back({end, finish_first(end)});
  if (now == at_)
    return;
  if (!jobs_.empty())
    do_work(
      std::min(work_ + static_cast<double>((now - at_).count()) * speed_, jobs_.front().work));
  at_ = now;
}

std::uint32_t cpu_sharing::finish_first(instant end) noexcept {
  do_work(jobs_.front().work);
  at_ = end;
  const auto job = jobs_.front().job;
  std::pop_heap(jobs_.begin(), jobs_.end(), later{});
  jobs_.pop_back();
  adjust_speed();
  return job;
}

void cpu_sharing::do_work(double until) noexcept {
  used_part_ += (until - work_) * static_cast<double>(jobs_.size());
  const auto whole = static_cast<duration::rep>(used_part_);
  used_ += duration{whole};
  used_part_ -= static_cast<double>(whole);
  work_ = until;
}

void cpu_sharing::rebase() noexcept {
  if (jobs_.empty()) {
    work_ = 0;
    return;
  }
  if (work_ < rebase_above)
    return;
  // Whole nanoseconds come off without rounding, whatever the fractions are.
  const auto whole = static_cast<double>(static_cast<duration::rep>(work_));
  work_ -= whole;
  for (auto& x : jobs_)
    x.work -= whole;
}

void cpu_sharing::adjust_speed() noexcept {
  const auto count = static_cast<double>(jobs_.size());
  speed_ = count <= cpu_ ? 1 : cpu_ / count;
}

} // namespace spillover
