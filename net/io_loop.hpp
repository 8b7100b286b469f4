#pragma once

#include "net/command_desk.hpp"
#include "net/health_board.hpp"
#include "net/io_sockets.hpp"
#include "net/liveness.hpp"
#include "net/log_limiter.hpp"
#include "net/mailbox.hpp"
#include "net/telemetry.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace spillover::net {

/// What a transport's thread does, or a site's own in its place: it moves messages between the mailbox and
/// the sockets.
class io_loop {
public:
  io_loop(const transport_config& config, const transport_hooks& hooks, mailbox& box,
          live_counters& counted);

  [[nodiscard]] const endpoints& bound() const noexcept { return sockets_.bound(); }

  /// Works until the mailbox says stop, but while another thread does it.
  void run();

  /// Does the same for a while on the thread of the caller: what was posted leaves, and what comes is taken in
  /// at once. Returns after `most`, when `also` is readable, or when there is something in the inbox.
  /// `transport_hooks::wake` is not called for that. The thread of `run` steps aside until `leave`.
  /// @returns whether `also` was readable, or a signal came
  bool drive(span_of_time most, int also);

  /// Ends what `drive` began; for the same thread.
  void leave();

  /// Ends it after an exception, whichever thread it met.
  void give_up() noexcept { broken_ = true; }

private:
  struct peer_state {
    explicit peer_state(const transport_config& config)
      : orders(config.command_retry, config.command_give_up), lines(config.telemetry_again) {}

    /// Records that are being sent, and how many of them were.
    std::vector<timed_record> records;
    std::size_t sent = 0;
    /// Whether the peer was greeted by the connection of each plane.
    std::array<bool, two_way_planes> greeted{};
    command_sender orders;
    command_receiver orders_in;
    telemetry_receiver lines;
    std::optional<moment> asked_to_introduce;
  };

  // io_loop.cpp: sending, timers.
  bool round(moment now);
  bool take_posted(moment now);
  void carry_out(order_to_send& x, moment now);
  void connect(const connect_order& x, moment now);
  void follow_links();
  bool send_records(std::size_t peer);
  void send_states(std::size_t peer);
  void send_state(std::size_t peer, const health_state& x);
  void send_commands(std::size_t peer, moment now);
  bool send_telemetry(moment now);
  void drop_records(std::size_t peer, drop why);
  fate send(std::size_t peer, plane where, std::string_view bytes, std::uint64_t items);
  bool greet(std::size_t peer, plane where);
  void greet(std::size_t peer);
  void keep_time(moment now);
  [[nodiscard]] span_of_time idle_for(moment now) const;
  /// What a site knows of its inbox.
  struct delivery {
    /// There is something in it.
    bool told = false;
    /// The site has not been told that before.
    bool fresh = false;
  };

  delivery deliver();
  bool sleep_unless_posted();
  bool wait(moment until, int also, const sigset_t* signals = nullptr);
  void step_aside(std::unique_lock<std::mutex>& seat);

  // io_arrivals.cpp: what comes.
  bool receive_from(std::size_t source, moment now);
  void on_frame(const raw_frame& raw, moment now);
  [[nodiscard]] std::optional<std::size_t> sender_of(const raw_frame& raw) const;
  bool may_enter(std::size_t from, const raw_frame& raw, moment now);
  void dispatch(std::size_t from, const raw_frame& raw, moment now);
  void on_flaw(std::optional<std::size_t> from, const raw_frame& raw, flaw what, moment now);
  void introduce(std::size_t from);
  void on_hello(std::size_t from, const raw_frame& raw, const hello& x, moment now);
  void on_change(std::size_t peer, peer_step step);
  void on_records(std::size_t from);
  void on_state(std::size_t from, health_state& x);
  void on_command(std::size_t from, command& x);
  void on_answer(std::size_t from, command_ack& x);
  void on_telemetry(std::size_t from, telemetry_batch& x, moment now);
  void refuse(std::size_t peer, std::string reason);
  void count(std::size_t from, plane where, drop why, std::uint64_t items = 1);
  bool say(drop kind, std::size_t peer, std::string_view why, moment now);
  [[nodiscard]] bool room_for_message() const noexcept;

  const transport_config& config_;
  const transport_hooks& hooks_;
  mailbox& box_;
  live_counters& counted_;
  std::size_t self_ = 0;
  std::map<std::string, std::size_t, std::less<>> numbers_;
  codec codec_;
  io_sockets sockets_;
  liveness liveness_;
  health_outbox states_out_;
  health_inbox states_in_;
  std::vector<peer_state> peers_;
  std::optional<std::size_t> collector_;
  std::optional<telemetry_sender> telemetry_;
  log_limiter limiter_;

  // Reused from round to round.
  raw_frame raw_;
  frame frame_;
  telemetry_batch batch_;
  std::vector<order_to_send> orders_;
  std::vector<numbered_line> lines_;
  inbox arrived_;
  std::size_t arrived_messages_ = 0;
  /// Rooms in the inbox at the beginning of the round.
  std::size_t room_records_ = 0;
  std::size_t room_messages_ = 0;
  std::vector<std::size_t> ended_commands_;
  bool stopping_ = false;

  moment next_heartbeat_{};
  moment next_states_{};

  /// Held by the thread that works. Everything else here, but for the mailbox, the counters and what is
  /// atomic, is for that one alone.
  std::mutex seat_;
  /// Another thread wants to work, or does between two calls of `drive`.
  std::atomic<bool> asked_ = false;
  std::atomic<bool> lent_ = false;
  std::atomic<bool> broken_ = false;
  std::mutex aside_mutex_;
  std::condition_variable aside_;
  /// When that thread was last here.
  moment driven_{};
};

} // namespace spillover::net
