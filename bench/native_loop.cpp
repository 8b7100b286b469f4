#include "bench/native_loop.hpp"

#include "model/distribution.hpp"

#include <deque>
#include <vector>

namespace spillover::bench {

namespace {

/// Earliest first, and of equal ones the one set first.
class heap {
public:
  struct key {
    std::int64_t due;
    std::uint64_t order;
    friend bool operator<(const key& a, const key& b) noexcept {
      return a.due != b.due ? a.due < b.due : a.order < b.order;
    }
  };

  void push(key x) {
    auto hole = keys_.size();
    keys_.push_back(x);
    while (hole > 0 && x < keys_[(hole - 1) / 4]) {
      keys_[hole] = keys_[(hole - 1) / 4];
      hole = (hole - 1) / 4;
    }
    keys_[hole] = x;
  }

  key pop() {
    const auto top = keys_.front();
    const auto last = keys_.back();
    keys_.pop_back();
    const auto size = keys_.size();
    std::size_t hole = 0;
    while (size > 0) {
      const auto first = 4 * hole + 1;
      if (first >= size)
        break;
      auto best = first;
      for (auto i = first + 1; i < first + 4 && i < size; ++i)
        best = keys_[i] < keys_[best] ? i : best;
      if (!(keys_[best] < last))
        break;
      keys_[hole] = keys_[best];
      hole = best;
    }
    if (size > 0)
      keys_[hole] = last;
    return top;
  }

  [[nodiscard]] bool empty() const noexcept { return keys_.empty(); }

private:
  std::vector<key> keys_;
};

constexpr duration mean_service = std::chrono::milliseconds{10};

} // namespace

loop_result native_mmc(std::uint32_t servers, double load, std::uint64_t requests,
                       std::uint64_t seed) {
  random_stream arrivals{seed, "arrivals"};
  random_stream services{seed, "services"};
  const sampler service{exponential_distribution{mean_service}};
  const sampler gap{
    exponential_distribution{from_seconds(seconds_of(mean_service) / (load * servers))}};
  // The lowest bit of the order tells an arrival (0) from an end (1).
  std::uint64_t order = 0;
  heap events;
  std::deque<std::int64_t> queue;
  std::uint32_t busy = 0;
  std::uint64_t arrived = 0;
  loop_result result;
  std::int64_t waited = 0;
  events.push({gap.draw(arrivals).count(), 0});
  while (!events.empty()) {
    const auto next = events.pop();
    const auto is_end = (next.order & 1) != 0;
    if (!is_end) {
      if (++arrived < requests)
        events.push({next.due + gap.draw(arrivals).count(), ++order << 1});
      if (busy == servers) {
        queue.push_back(next.due);
        continue;
      }
      ++busy;
    } else {
      ++result.requests;
      if (queue.empty()) {
        --busy;
        continue;
      }
      waited += next.due - queue.front();
      queue.pop_front();
    }
    events.push({next.due + service.draw(services).count(), ++order << 1 | 1});
  }
  result.mean_wait = static_cast<double>(waited) * 1e-9 / static_cast<double>(result.requests);
  return result;
}

} // namespace spillover::bench
