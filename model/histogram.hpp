#pragma once

#include "model/time.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace spillover {

/// Counts latencies in buckets of at most 1.6 % width, with integer arithmetic only.
///
/// Log-linear as HdrHistogram is: 64 buckets per power of two, from 1 us to about 4,000 s. Not
/// Boost.Histogram, whose logarithmic axis asks the C library for a logarithm: the last bit of that
/// may differ between machines, and it costs more than the rest of the count.
class latency_histogram {
public:
  /// Buckets are numbered below this.
  static constexpr std::uint32_t bucket_count = 2048;

  /// Where `x` is counted; below 1 us (below 0 too) is bucket 0, above the range the last bucket.
  static std::uint32_t bucket_of(duration x) noexcept;

  /// @returns the upper bound of a bucket, which quantiles report; itself in the next bucket.
  /// @param bucket below `bucket_count`
  static duration upper_bound(std::uint32_t bucket) noexcept;

  void add(duration x) noexcept { add_bucket(bucket_of(x), 1); }
  void add_bucket(std::uint32_t bucket, std::uint64_t count) noexcept;
  void merge(const latency_histogram& other) noexcept;

  /// Forgets all values; costs as much as the range they had.
  void clear() noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// @param q within [0, 1]
  /// @returns the smallest bound that at least the share `q` of all values stays below; 0 when
  ///          nothing was counted.
  [[nodiscard]] duration quantile(double q) const noexcept;

  /// @returns the buckets that hold something, ascending, each with its count.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint64_t>> sparse() const;

private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  std::uint32_t lowest_ = 0xffffffff;
  std::uint32_t highest_ = 0;
};

} // namespace spillover
