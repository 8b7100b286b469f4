#pragma once

#include "net/keys.hpp"
#include "net/moment.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover::net {

/// What an operators' desk needs to know.
struct operator_desk_config {
  /// A ZeroMQ address to bind; "tcp://127.0.0.1:*" lets the system choose a port.
  std::string listen = "tcp://127.0.0.1:*";
  /// The own site's keys; of all that are authorised, only `operator_name` is let in. Without keys nothing is
  /// encrypted and everyone on the machine is let in, which `insecure` must allow and which works on the
  /// loopback interface only.
  std::optional<key_ring> keys = std::nullopt;
  bool insecure = false;
  /// Requests that wait for the site, or for its answer; above it none is taken, and asked for again.
  std::size_t most_waiting = 256;
  /// Time within which a connection must have proved itself, and without a sign after which it is ended.
  span_of_time handshake = std::chrono::seconds{5};
  span_of_time silence = std::chrono::seconds{10};
};

/// Lists every reason why `x` cannot be used, each as `field: reason`.
std::vector<std::string> validate(const operator_desk_config& x);

/// A request to carry out once, and then to be answered.
struct operator_call {
  /// For `operator_desk::answer`.
  std::uint64_t handle = 0;
  /// Who asked, for the event log: the owner of the key and the address, e.g. "operator@127.0.0.1"; only
  /// the address without keys.
  std::string who;
  std::string kind;
  std::string body;
};

/// How a desk calls back; from its own thread, so each must be quick and must not call the desk.
struct operator_desk_hooks {
  /// There are requests; comes once until `operator_desk::receive`.
  std::function<void()> wake;
  /// One line for the log, without its end, each kind at most once a minute.
  std::function<void(std::string_view)> log;
};

/// What happened at a desk.
struct operator_desk_counters {
  std::uint64_t taken = 0;
  /// Came before: answered from memory, or still waiting.
  std::uint64_t repeated = 0;
  /// Could not be read.
  std::uint64_t flawed = 0;
  /// Not taken, because too many wait.
  std::uint64_t busy = 0;
  /// Connections that were turned away, because their key is not the operator's.
  std::uint64_t refused_keys = 0;
};

/// Where operators' programs ask the director, any number of them at once (`net/operator_client.hpp`).
///
/// A request that comes again, over whatever connection, is not carried out again, and gets the answer of
/// the first time, as long as that is remembered: the last `answer_memory::most_kept` requests, and answers
/// of `most_bytes` together. One thread of its own owns the socket; any thread may call.
class operator_desk {
public:
  /// Binds and starts.
  /// @param config valid
  /// @throws zmq::error_t (a std::exception) when the address cannot be bound
  operator_desk(operator_desk_config config, operator_desk_hooks hooks);
  ~operator_desk();
  operator_desk(const operator_desk&) = delete;
  operator_desk& operator=(const operator_desk&) = delete;

  /// @returns where it listens, the port filled in.
  [[nodiscard]] const std::string& bound() const noexcept;

  /// Moves the requests that have come into `into`, which is cleared before.
  void receive(std::vector<operator_call>& into);

  /// Answers a request, once.
  /// @param refused why it was not carried out, at most `limits::reason_bytes`, else cut; empty when it was
  void answer(std::uint64_t handle, std::string refused, std::string body = "");

  [[nodiscard]] operator_desk_counters count() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace spillover::net
