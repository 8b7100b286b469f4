#pragma once

#include "actors/wake_event.hpp"
#include "net/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace spillover::net {

struct connect_order {
  std::size_t peer = 0;
  endpoints at;
};

struct state_to_send {
  std::size_t to = 0;
  health_state state;
};

struct command_to_send {
  std::size_t to = 0;
  command what;
};

struct answer_to_send {
  std::size_t to = 0;
  command_ack what;
};

using order_to_send = std::variant<connect_order, state_to_send, command_to_send, answer_to_send>;

/// A line of the event log with its number.
using numbered_line = std::pair<std::uint64_t, std::string>;

/// What stands between a transport's thread and all others: everything here is guarded by `mutex`.
struct mailbox {
  explicit mailbox(std::size_t peers) : records(peers), last_command(peers), open_commands(peers) {}

  std::mutex mutex;

  /// To be sent; records by receiver.
  std::vector<std::vector<timed_record>> records;
  std::vector<order_to_send> orders;
  std::vector<numbered_line> lines;

  /// Has come.
  inbox arrived;

  /// Something was added that the thread has not seen.
  bool posted = false;
  /// The thread waits, so that a post must wake it.
  bool asleep = false;
  bool stopping = false;
  /// The site knows that something has arrived.
  bool told = false;
  /// Commands by receiver: the last id, and how many have not ended.
  std::vector<std::uint64_t> last_command;
  std::vector<std::size_t> open_commands;
  std::uint64_t last_line = 0;
  bool all_acknowledged = true;

  wake_event wake;

  /// Tells the thread that something was posted; the caller holds the lock.
  void post();
};

} // namespace spillover::net
