#include "consumers/recorded_traffic.hpp"

#include "model/check.hpp"
#include "model/hash.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

namespace spillover {

namespace {

// Where arrivals are counted: seconds, or as many seconds as make at most this many buckets.
constexpr std::int64_t most_counted_buckets = 100'000;

void append_bytes(std::string& to, std::uint64_t x) {
  for (int i = 0; i < 8; ++i)
    to.push_back(static_cast<char>(x >> (8 * i) & 0xffU));
}

} // namespace

std::optional<duration> arrival_times::reader::next() noexcept {
  const auto& bytes = of_->bytes_;
  if (place_ == bytes.size())
    return std::nullopt;
  std::uint64_t gap = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = bytes[place_++];
    gap |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) == 0)
      break;
  }
  at_ += gap;
  return duration{static_cast<duration::rep>(at_)};
}

void arrival_times::append(duration at) {
  const auto now = static_cast<std::uint64_t>(at.count());
  SPILLOVER_CHECK(at >= duration::zero() && now >= last_);
  auto gap = now - last_;
  for (; gap >= 0x80; gap >>= 7U)
    bytes_.push_back(static_cast<std::uint8_t>((gap & 0x7fU) | 0x80U));
  bytes_.push_back(static_cast<std::uint8_t>(gap));
  last_ = now;
  ++size_;
}

recorded_traffic recorded_traffic::of_counts(duration bucket, std::vector<double> counts) {
  SPILLOVER_CHECK(bucket > duration::zero() && !counts.empty());
  recorded_traffic result;
  result.bucket_ = bucket;
  result.lasts_ = bucket * static_cast<duration::rep>(counts.size());
  result.counts_ = std::move(counts);
  std::string bytes{"counts"};
  append_bytes(bytes, static_cast<std::uint64_t>(bucket.count()));
  for (const auto x : result.counts_)
    append_bytes(bytes, std::bit_cast<std::uint64_t>(x));
  result.digest_ = fnv1a_64(bytes);
  return result;
}

recorded_traffic recorded_traffic::of_arrivals(std::vector<std::int64_t> instants) {
  SPILLOVER_CHECK(!instants.empty());
  std::sort(instants.begin(), instants.end());
  recorded_traffic result;
  const auto last = duration{instants.back()};
  const auto gap = instants.size() == 1 ? duration::zero()
                                        : (last - duration{instants.front()})
                                            / static_cast<duration::rep>(instants.size() - 1);
  // Of arrivals that all came at once nobody knows when the next would have come.
  result.lasts_ = last + (gap > duration::zero() ? gap : std::chrono::seconds{1});
  const auto seconds = result.lasts_ / std::chrono::seconds{1} + 1;
  const auto wide = (seconds + most_counted_buckets - 1) / most_counted_buckets;
  result.bucket_ = std::chrono::seconds{wide};
  result.counts_.resize(static_cast<std::size_t>((seconds + wide - 1) / wide));
  for (const auto x : instants) {
    result.arrivals_.append(duration{x});
    result.counts_[static_cast<std::size_t>(duration{x} / result.bucket_)] += 1;
  }
  const auto bytes = result.arrivals_.bytes();
  // The gaps say everything, and the word in front keeps them apart from counts.
  std::string hashed{"arrivals"};
  hashed.append(bytes.begin(), bytes.end());
  result.digest_ = fnv1a_64(hashed);
  return result;
}

double recorded_traffic::requests(duration from, duration to) const noexcept {
  double result = 0;
  if (has_arrivals()) {
    arrival_times::reader all{arrivals_};
    for (auto x = all.next(); x && *x < to; x = all.next())
      result += *x >= from ? 1 : 0;
    return result;
  }
  const auto first = std::max(from, duration::zero()) / bucket_;
  for (auto i = first; i < static_cast<duration::rep>(counts_.size()) && bucket_ * i < to; ++i) {
    const auto inside = std::min(to, bucket_ * (i + 1)) - std::max(from, bucket_ * i);
    result += counts_[static_cast<std::size_t>(i)] * (seconds_of(inside) / seconds_of(bucket_));
  }
  return result;
}

} // namespace spillover
