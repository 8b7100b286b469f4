#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace spillover::net {

/// Requests that came, and their answers: so that one that comes again is not carried out again, and is
/// answered as before. Bounded by number and by the bytes of the answers; what was answered first goes first.
/// @tparam Answer has the texts `refused` and `body`
template <class Key, class Answer>
class answer_memory {
public:
  static constexpr std::size_t most_kept = 1024;
  static constexpr std::size_t most_bytes = 4U << 20U;

  /// @returns whether the request came, and was not forgotten.
  [[nodiscard]] bool knows(const Key& x) const { return seen_.contains(x); }

  /// @returns the answer that is kept, or nothing.
  [[nodiscard]] const Answer* find(const Key& x) const {
    const auto at = seen_.find(x);
    return at == seen_.end() || !at->second ? nullptr : &*at->second;
  }

  /// @returns the number of requests that wait for an answer.
  [[nodiscard]] std::size_t waiting() const noexcept { return seen_.size() - answered_.size(); }

  /// Takes in a request that is not known.
  /// @returns what was forgotten for it: answered ones, and others only when all wait
  std::vector<Key> take(const Key& x) {
    std::vector<Key> forgotten;
    if (seen_.size() >= most_kept && answered_.empty()) {
      forgotten.push_back(seen_.begin()->first);
      seen_.erase(seen_.begin());
    } else if (seen_.size() >= most_kept) {
      forgotten.push_back(forget_one());
    }
    seen_.try_emplace(x);
    return forgotten;
  }

  /// Keeps the answer of a request that waits for one.
  /// @returns whether one did
  bool answer(const Key& x, Answer what) {
    const auto at = seen_.find(x);
    if (at == seen_.end() || at->second)
      return false;
    bytes_ += size_of(what);
    at->second = std::move(what);
    answered_.push_back(x);
    return true;
  }

  /// Keeps within the bytes, but keeps the last answer in any case.
  /// @returns what was forgotten
  std::vector<Key> shrink() {
    std::vector<Key> forgotten;
    while (bytes_ > most_bytes && answered_.size() > 1)
      forgotten.push_back(forget_one());
    return forgotten;
  }

private:
  static std::size_t size_of(const Answer& x) noexcept { return x.refused.size() + x.body.size(); }

  Key forget_one() {
    auto result = std::move(answered_.front());
    answered_.pop_front();
    const auto at = seen_.find(result);
    bytes_ -= size_of(*at->second);
    seen_.erase(at);
    return result;
  }

  std::map<Key, std::optional<Answer>> seen_;
  /// Those that were answered, the first one first.
  std::deque<Key> answered_;
  std::size_t bytes_ = 0;
};

} // namespace spillover::net
