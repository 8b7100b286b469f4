#include "producers/autoscaling/netscaler/statistics.hpp"

#include "model/check.hpp"
#include "producers/thousandths.hpp"

#include <algorithm>

namespace spillover::netscaler {

namespace {

/// What the numbers of one statistic are called.
struct names {
  std::string_view driver;
  std::string_view value;
  std::string_view min;
  std::string_view max;
  std::string_view above;
};

constexpr std::array<names, collection::statistics> known{{
  {"CPU", "cpu_milli", "cpu_min_milli", "cpu_max_milli", "cpu_above_ns"},
  {"MEMORY", "memory_milli", "memory_min_milli", "memory_max_milli", "memory_above_ns"},
  {"THROUGHPUT", "throughput_milli", "throughput_min_milli", "throughput_max_milli",
   "throughput_above_ns"},
}};

} // namespace

std::int64_t in_thousandths(double x) noexcept {
  SPILLOVER_CHECK(x >= 0);
  return thousandths(std::min(x, most_throughput));
}

void collection::add(const node_statistics& x) {
  nodes_.push_back(x);
  const std::array<double, statistics> values{x.cpu, x.memory, x.throughput};
  for (std::size_t i = 0; i < statistics; ++i) {
    const auto value = in_thousandths(values[i]);
    totals_[i].sum += value;
    totals_[i].highest = std::max(totals_[i].highest, value);
  }
}

void collection::clear() noexcept {
  nodes_.clear();
  totals_ = {};
}

std::int64_t collection::of_cluster(std::size_t statistic, cluster_statistic how) const noexcept {
  const auto& x = totals_[statistic];
  if (how == cluster_statistic::highest_node)
    return x.highest;
  const auto count = static_cast<std::int64_t>(nodes_.size());
  return (2 * x.sum + count) / (2 * count);
}

void input_list::add(std::string_view name, std::int64_t value) noexcept {
  SPILLOVER_CHECK(size_ < values_.size());
  values_[size_++] = {name, value};
}

std::optional<std::int64_t> input_list::find(std::string_view name) const noexcept {
  const auto* const found =
    std::find_if(begin(), end(), [name](const value_type& x) { return x.first == name; });
  return found == end() ? std::nullopt : std::optional{found->second};
}

bool operator==(const input_list& x, const input_list& y) noexcept {
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}

breach_watch::breach_watch(const settings& x) noexcept
  : watch_time_(x.watch_time), rule_(x.watch), statistic_(x.statistic) {
  const std::array<const threshold*, 3> thresholds{&x.cpu, &x.memory, &x.throughput};
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    // Limits of what is not selected may be anything.
    if (thresholds[i]->selected)
      watched_[i] = {.selected = true,
                     .min = in_thousandths(thresholds[i]->min),
                     .max = in_thousandths(thresholds[i]->max)};
  }
}

void breach_watch::observe(instant at, const collection& told) noexcept {
  at_ = at;
  reporting_ = told.nodes().size();
  if (reporting_ == 0) {
    restart();
    return;
  }
  auto all_below = true;
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    auto& x = watched_[i];
    if (!x.selected)
      continue;
    x.value = told.of_cluster(i, statistic_);
    if (x.value <= x.max)
      x.above_since.reset();
    else if (!x.above_since)
      x.above_since = at;
    all_below = all_below && x.value < x.min;
  }
  if (!all_below)
    below_since_.reset();
  else if (!below_since_)
    below_since_ = at;
}

void breach_watch::restart() noexcept {
  for (auto& x : watched_)
    x.above_since.reset();
  below_since_.reset();
}

std::string_view breach_watch::too_high() const noexcept {
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (long_enough(watched_[i].above_since))
      return known[i].driver;
  return "";
}

std::string_view breach_watch::too_low() const noexcept {
  if (!long_enough(below_since_))
    return "";
  std::string_view only;
  for (std::size_t i = 0; i < watched_.size(); ++i)
    if (watched_[i].selected)
      only = only.empty() ? known[i].driver : "ALL";
  return only;
}

bool breach_watch::breached() const noexcept {
  const auto above = [](const watched& x) { return x.above_since.has_value(); };
  return below_since_ || std::any_of(watched_.begin(), watched_.end(), above);
}

void breach_watch::list(input_list& to) const noexcept {
  to.add("reporting", static_cast<std::int64_t>(reporting_));
  if (reporting_ > 0) {
    for (std::size_t i = 0; i < watched_.size(); ++i) {
      const auto& x = watched_[i];
      if (!x.selected)
        continue;
      to.add(known[i].value, x.value);
      to.add(known[i].min, x.min);
      to.add(known[i].max, x.max);
      to.add(known[i].above, lasted(x.above_since));
    }
    to.add("highest_node", statistic_ == cluster_statistic::highest_node ? 1 : 0);
    to.add("below_ns", lasted(below_since_));
  }
  to.add("watch_time_ns", watch_time_.count());
  to.add("watch_at_least", rule_ == watch_rule::at_least ? 1 : 0);
}

bool breach_watch::long_enough(const std::optional<instant>& since) const noexcept {
  if (!since)
    return false;
  const auto lasts = at_ - *since;
  return rule_ == watch_rule::at_least ? lasts >= watch_time_ : lasts > watch_time_;
}

std::int64_t breach_watch::lasted(const std::optional<instant>& since) const noexcept {
  return since ? (at_ - *since).count() : -1;
}

} // namespace spillover::netscaler
