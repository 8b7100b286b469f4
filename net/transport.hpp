#pragma once

#include "net/counters.hpp"
#include "net/keys.hpp"
#include "net/liveness.hpp"
#include "net/moment.hpp"
#include "net/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillover::net {

/// Where a site listens, a ZeroMQ address for each plane, e.g. "tcp://127.0.0.1:7001"; "tcp://127.0.0.1:*"
/// lets the system choose a port.
struct endpoints {
  std::string data;
  std::string health;
  std::string control;
  /// Only of a site that collects telemetry.
  std::string telemetry;
  friend bool operator==(const endpoints&, const endpoints&) = default;
};

/// @returns endpoints on the loopback interface, with ports that the system chooses.
endpoints any_loopback();

/// How much of a site's event log its collector has.
struct collected_lines {
  /// The process whose lines they are.
  std::uint64_t incarnation = 0;
  /// It has all of them up to this one, or knows that they are gone.
  std::uint64_t lines = 0;
};

/// What a transport needs to know.
struct transport_config {
  /// The own site; one of `sites`.
  std::string site;
  /// Every site of the deployment. A site's number is its place here, for this process alone.
  std::vector<std::string> sites;
  /// Grows with each start of this process, above zero.
  std::uint64_t incarnation = 0;
  /// Of the scenario; peers that run another one are not spoken with.
  std::uint64_t scenario_hash = 0;

  endpoints listen = any_loopback();

  /// CURVE keys; without them nothing is encrypted or authenticated, which `insecure` must allow and which
  /// works on the loopback interface only.
  std::optional<key_ring> keys = std::nullopt;
  bool insecure = false;

  /// The site that collects telemetry; empty: nobody does.
  std::string collector;
  /// Where lines of the event log wait until the collector has them; needed on all other sites.
  std::filesystem::path spill = {};
  std::uint64_t spill_bytes = 256U << 20U;
  /// Lines of other sites that the collector knows already, by site. Those of a later process begin anew.
  std::map<std::string, collected_lines> collected = {};

  /// Time between two heartbeats, and without one until a peer counts as lost: it is said to be lost
  /// between `lost_after` and `lost_after + heartbeat` after its last sign of life.
  span_of_time heartbeat = std::chrono::seconds{1};
  span_of_time lost_after = std::chrono::seconds{3};
  /// Waits before connecting anew: from the first, doubled each time up to the second, in milliseconds.
  span_of_time reconnect = std::chrono::milliseconds{10};
  span_of_time reconnect_most = std::chrono::seconds{1};
  /// Time within which a connection must have proved itself.
  span_of_time handshake = std::chrono::seconds{5};
  /// Time between two repetitions of every health state.
  span_of_time health_repeat = std::chrono::seconds{1};
  /// Time between two tries of a command, and until it is given up; zero: never.
  span_of_time command_retry = std::chrono::milliseconds{500};
  span_of_time command_give_up = std::chrono::seconds{30};
  /// Time without an answer after which telemetry is sent again.
  span_of_time telemetry_again = std::chrono::seconds{1};

  /// Records that wait for each peer, and other messages that wait in all, before ZeroMQ takes them.
  std::size_t queue_records = 65'536;
  std::size_t queue_messages = 4'096;
  /// Lines of the event log that wait to be written to the spill file.
  std::size_t queue_lines = 65'536;
  /// Commands to a peer that are not answered yet.
  std::size_t open_commands = 256;
  /// Records, and other messages, that wait for the site to look into its inbox.
  std::size_t inbox_records = 1U << 20U;
  std::size_t inbox_messages = 65'536;
  /// Frames that ZeroMQ queues for, and from, each connection.
  int socket_frames = 256;
};

/// @returns what is wrong with an address to connect to, if anything: it must be "tcp://HOST:PORT" or
///          "ipc://PATH"
std::optional<std::string> check_address(std::string_view x);

/// @returns whether an address cannot be reached from other machines.
bool on_loopback(std::string_view x);

/// Lists every reason why `x` cannot be used, each as `field: reason`.
std::vector<std::string> validate(const transport_config& x);

/// How many records in a row came from one peer.
struct record_batch {
  std::size_t from = 0;
  std::size_t count = 0;
};

/// A state that a peer published, newer than all before of the same process.
struct health_arrival {
  std::size_t from = 0;
  /// Of the process that published it; a later one begins anew with its generations.
  std::uint64_t incarnation = 0;
  health_state state;
};

/// A command to carry out once, and then to be answered.
struct command_arrival {
  std::size_t from = 0;
  /// Of the process that gave it.
  std::uint64_t incarnation = 0;
  command what;
};

/// How a command of ours ended.
struct command_result {
  std::size_t to = 0;
  std::uint64_t id = 0;
  /// Otherwise it was given up: it may have been carried out or not.
  bool answered = true;
  /// Why not, if it was not carried out.
  std::string refused;
  std::string body;
};

/// Lines of a site's event log, each once and in order.
struct telemetry_arrival {
  std::size_t from = 0;
  std::uint64_t incarnation = 0;
  /// Number of the first line.
  std::uint64_t first = 0;
  /// Lines directly before the first one that will never come.
  std::uint64_t gone = 0;
  std::vector<std::string> lines;
};

/// What became known of a peer. A process that takes another's place before that was missed is only
/// `restarted`: neither lost nor back.
struct peer_change {
  std::size_t peer = 0;
  peer_step step = peer_step::lost;
  /// Of the process that speaks for the peer; 0 when none has said hello yet.
  std::uint64_t incarnation = 0;
};

/// Adds a change, and takes away an earlier one of the same peer and step: so the last word on each is
/// always kept, and the list never grows beyond `peer_step_count` for each peer.
void note(std::vector<peer_change>& list, const peer_change& x);

/// What has come since a site looked last. In each list the order is that of arrival.
struct inbox {
  std::vector<timed_record> records;
  /// Whose `records` are: so many of the first one's sender, then so many of the next one's; adds up to all.
  std::vector<record_batch> batches;
  std::vector<health_arrival> health;
  std::vector<command_arrival> commands;
  std::vector<command_result> results;
  std::vector<telemetry_arrival> telemetry;
  /// As `note` keeps them; never dropped, however full the inbox is.
  std::vector<peer_change> peers;
  /// Why the transport ended by itself; empty while it works.
  std::string failed;

  /// Empties everything, and keeps the memory.
  void clear();
};

/// How a transport calls back; from its own thread or from the one that drives it, so each must be quick and
/// must not call the transport.
struct transport_hooks {
  /// The inbox is no longer empty; comes once until `transport::receive`.
  std::function<void()> wake;
  /// One line for the log, without its end. Of what a peer can cause, each kind at most once a minute.
  std::function<void(std::string_view)> log;
  /// Which records of others may enter.
  record_check accepts;
};

/// Speaks with the other sites of a deployment.
///
/// Peers are numbered as in `transport_config::sites`; another number is a bug of the caller.
///
/// One thread of its own, or the one that drives it, sends, receives, and keeps the promises of each plane;
/// what it takes in waits in an inbox. Any thread may call; none is ever blocked by a peer. docs/wire.md
/// says what each plane guarantees.
class transport {
public:
  /// Binds and starts.
  /// @param config valid
  /// @throws zmq::error_t (a std::exception) when an address cannot be bound, std::system_error when the
  ///         spill file cannot be made
  transport(transport_config config, transport_hooks hooks);

  /// Stops at once; what the peers have not got is lost.
  ~transport();
  transport(const transport&) = delete;
  transport& operator=(const transport&) = delete;

  /// @returns where it listens, ports filled in.
  [[nodiscard]] const endpoints& bound() const noexcept;

  /// @returns the number of a site, if it is one of the deployment.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view site) const;

  /// Connects to a peer; a second time: at other addresses. The same addresses again change nothing. Who is
  /// connected to need not connect back.
  /// @param at a telemetry address is used for the collector only, and may be missing
  /// @returns why that cannot be, and then nothing changed; names that do not resolve are found out later
  [[nodiscard]] std::optional<std::string> connect(std::size_t peer, endpoints at);

  /// Sends records, at most once.
  /// @param records each due within its range
  /// @returns how many found room in the queue; the others are counted and gone
  std::size_t send(std::size_t peer, std::span<const timed_record> records);

  /// Lets a peer know a state: the newest of each resource arrives as long as the peer can be reached.
  /// @returns false when the queue was full, or a name is too long: publish again
  bool publish(std::size_t peer, health_state what);

  /// Gives a command, which is tried again until it is answered; its end comes as a `command_result`.
  /// @returns its id, or 0 when the queue was full or the command is too long
  std::uint64_t order(std::size_t peer, std::string kind, std::string body);

  /// Answers a command.
  /// @param refused why it was not carried out; empty when it was
  void answer(const command_arrival& to, std::string refused, std::string body = "");

  /// Hands a line of the event log to the collector. Lines are numbered from 1, those that find no room
  /// too, so that the collector knows what it misses once it gets a later one.
  /// @returns false when there was no room, or when no other site collects
  bool report(std::string line);

  /// @returns whether the collector has acknowledged every line that was reported and is not gone.
  [[nodiscard]] bool all_reported() const;

  /// Moves what has come into `into`, which is cleared before and whose memory is used again.
  void receive(inbox& into);

  /// Waits, and meanwhile does the work of the transport's own thread, which steps aside until `leave`: as
  /// long as a site has nothing else to do, messages then change threads half as often. Always by the same
  /// thread. Between two calls nothing leaves and nothing comes, so whoever gets busy calls `leave`; should
  /// it not, the transport's thread goes on by itself within half of a heartbeat.
  /// @param most returns after so long, when `file` is readable, when something has come, or at a signal
  /// @returns whether `file` was readable, or a signal came
  bool drive(span_of_time most, int file);

  /// Gives the work back. Without `drive` before it does nothing.
  void leave();

  /// @returns all that was counted up to now.
  [[nodiscard]] counters count() const;

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace spillover::net
