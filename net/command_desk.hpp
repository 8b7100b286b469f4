#pragma once

#include "net/answer_memory.hpp"
#include "net/moment.hpp"
#include "net/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace spillover::net {

/// Commands on their way to one peer: each is sent again until it is answered or given up.
class command_sender {
public:
  /// @param retry time between two tries
  /// @param give_up time after which an unanswered command ends; zero: never
  command_sender(span_of_time retry, span_of_time give_up) : retry_(retry), give_up_(give_up) {}

  void add(command x, moment now);

  /// @returns the commands to send now; each is due again after `retry`.
  std::vector<const command*> due(moment now);

  /// Has everything sent again at once: the peer is back.
  void hurry() noexcept;

  /// @returns whether the answer ends a command; it does so only once.
  bool answered(std::uint64_t id);

  /// @returns commands that are given up by now, and forgets them.
  std::vector<std::uint64_t> given_up(moment now);

  [[nodiscard]] std::size_t size() const noexcept { return waiting_.size(); }

private:
  struct entry {
    command what;
    moment since{};
    std::optional<moment> sent = std::nullopt;
  };
  std::map<std::uint64_t, entry> waiting_;
  span_of_time retry_;
  span_of_time give_up_;
};

/// Commands that came from one process of a peer: each is carried out once, however often it comes.
class command_receiver {
public:
  using memory = answer_memory<std::uint64_t, command_ack>;

  enum class verdict : std::uint8_t {
    fresh,
    /// Came before and is not answered yet.
    pending,
    /// Was answered: send that again.
    answered,
    /// So old that its answer is forgotten: neither carried out again nor answered.
    forgotten,
  };

  /// Decides about a command; takes nothing in.
  [[nodiscard]] verdict judge(std::uint64_t id) const;

  /// Takes in what `judge` called fresh.
  void take(std::uint64_t id);

  /// Keeps the answer of a command.
  /// @returns false when no such command waits for one
  bool answer(const command_ack& x);

  /// @returns the answer that is kept, or nothing.
  [[nodiscard]] const command_ack* find(std::uint64_t id) const { return seen_.find(id); }

private:
  void forget(const std::vector<std::uint64_t>& ids);

  memory seen_;
  /// Everything up to here counts as seen.
  std::uint64_t floor_ = 0;
};

} // namespace spillover::net
