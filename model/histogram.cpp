#include "model/histogram.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace spillover {

namespace {

// Values are counted in units of 1/64 us, so that the first power of two, [1 us, 2 us), has whole
// 64 of them: u = 8 ns / 125.
constexpr std::uint32_t sub_buckets = 64;
constexpr std::uint32_t sub_bits = 6;
constexpr std::uint32_t powers = 32;
static_assert(sub_buckets * powers == latency_histogram::bucket_count);

// 2^32 us.
constexpr duration end_of_range = std::chrono::microseconds{std::int64_t{1} << powers};

} // namespace

std::uint32_t latency_histogram::bucket_of(duration x) noexcept {
  if (x < std::chrono::microseconds{1})
    return 0;
  if (x >= end_of_range)
    return bucket_count - 1;
  const auto units = static_cast<std::uint64_t>(x.count()) * 8 / 125;
  const auto power = static_cast<std::uint32_t>(std::bit_width(units)) - 1 - sub_bits;
  return power * sub_buckets + static_cast<std::uint32_t>(units >> power) - sub_buckets;
}

duration latency_histogram::upper_bound(std::uint32_t bucket) noexcept {
  const auto power = bucket / sub_buckets;
  const auto units = std::uint64_t{sub_buckets + bucket % sub_buckets + 1} << power;
  return duration{static_cast<duration::rep>((units * 125 + 7) / 8)};
}

void latency_histogram::add_bucket(std::uint32_t bucket, std::uint64_t count) noexcept {
  SPILLOVER_CHECK(bucket < bucket_count);
  if (count == 0)
    return;
  if (counts_.empty())
    counts_.resize(bucket_count);
  counts_[bucket] += count;
  count_ += count;
  lowest_ = std::min(lowest_, bucket);
  highest_ = std::max(highest_, bucket);
}

void latency_histogram::merge(const latency_histogram& other) noexcept {
  if (other.count_ == 0)
    return;
  for (auto bucket = other.lowest_; bucket <= other.highest_; ++bucket)
    add_bucket(bucket, other.counts_[bucket]);
}

void latency_histogram::clear() noexcept {
  if (count_ == 0)
    return;
  std::fill(counts_.begin() + lowest_, counts_.begin() + highest_ + 1, 0);
  count_ = 0;
  lowest_ = 0xffffffff;
  highest_ = 0;
}

duration latency_histogram::quantile(double q) const noexcept {
  if (count_ == 0)
    return duration::zero();
  // The factor keeps a product such as 0.07 x 100, which is a bit above 7, from counting as 8 (G-2).
  constexpr double slack = 1 - 1e-12;
  const auto wanted = std::ceil(q * static_cast<double>(count_) * slack);
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
  std::uint64_t below = 0;
  auto bucket = lowest_;
  while ((below += counts_[bucket]) < rank)
    ++bucket;
  return upper_bound(bucket);
}

std::vector<std::pair<std::uint32_t, std::uint64_t>> latency_histogram::sparse() const {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> result;
  if (count_ == 0)
    return result;
  for (auto bucket = lowest_; bucket <= highest_; ++bucket)
    if (counts_[bucket] != 0)
      result.emplace_back(bucket, counts_[bucket]);
  return result;
}

} // namespace spillover
