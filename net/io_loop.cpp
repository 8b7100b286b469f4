#include "net/io_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

namespace spillover::net {

namespace {

/// Batches of telemetry that are sent before other planes have their turn.
constexpr int batches_per_turn = 8;

constexpr std::size_t number(plane x) noexcept {
  return static_cast<std::size_t>(x);
}

/// Keeps signals from the thread as long as it lives.
class signals_blocked {
public:
  signals_blocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(const signals_blocked&) = delete;
  signals_blocked& operator=(const signals_blocked&) = delete;

  /// @returns the thread's mask without this.
  [[nodiscard]] const sigset_t* before() const noexcept { return &before_; }

private:
  sigset_t before_{};
};

constexpr std::array<plane, two_way_planes> two_way{plane::data, plane::health, plane::control};

} // namespace

io_loop::io_loop(const transport_config& config, const transport_hooks& hooks, mailbox& box,
                 live_counters& counted)
  : config_(config),
    hooks_(hooks),
    box_(box),
    counted_(counted),
    codec_(config.site, config.incarnation),
    sockets_(config),
    liveness_(config.sites.size(), config.lost_after) {
  peers_.reserve(config.sites.size());
  for (std::size_t i = 0; i < config.sites.size(); ++i) {
    const auto& site = config.sites[i];
    numbers_.emplace(site, i);
    peers_.emplace_back(config);
  }
  self_ = numbers_.find(config.site)->second;
  if (!config.collector.empty() && config.collector != config.site) {
    collector_ = numbers_.find(config.collector)->second;
    telemetry_.emplace(config.spill, config.spill_bytes, config.telemetry_again);
  }
}

void io_loop::run() {
  std::unique_lock seat{seat_};
  while (!stopping_ && !broken_) {
    if (asked_ || lent_) {
      step_aside(seat);
      // What was known of the sockets is old.
      wait(moment{}, -1);
      continue;
    }
    const auto now = std::chrono::steady_clock::now();
    const auto busy = round(now);
    if (deliver().fresh)
      hooks_.wake();
    if (!stopping_)
      wait(busy ? moment{} : now + idle_for(now), -1);
  }
}

void io_loop::step_aside(std::unique_lock<std::mutex>& seat) {
  const auto patience = config_.heartbeat / 4;
  seat.unlock();
  {
    std::unique_lock lock{aside_mutex_};
    aside_.wait_for(lock, patience, [this] { return !asked_ && !lent_; });
  }
  seat.lock();
  // Whoever drives may have more to do than it thought; peers must hear from this site all the same.
  if (lent_ && std::chrono::steady_clock::now() - driven_ >= patience)
    lent_ = false;
}

bool io_loop::drive(span_of_time most, int also) {
  const auto until = std::chrono::steady_clock::now() + most;
  const auto taken_over = !lent_;
  asked_ = true;
  if (taken_over)
    box_.wake.set();
  const std::lock_guard seat{seat_};
  lent_ = true;
  asked_ = false;
  if (broken_)
    return true;
  // ZeroMQ ends its calls when a signal comes; here only the wait shall end.
  const signals_blocked during_work;
  auto readable = taken_over && wait(moment{}, also, during_work.before());
  for (auto looked = false;; looked = true) {
    driven_ = std::chrono::steady_clock::now();
    const auto busy = round(driven_);
    if (deliver().told || readable || stopping_ || (looked && driven_ >= until))
      return readable;
    readable = wait(busy ? moment{} : std::min(until, driven_ + idle_for(driven_)), also,
                    during_work.before());
  }
}

void io_loop::leave() {
  {
    const std::lock_guard lock{aside_mutex_};
    lent_ = false;
  }
  aside_.notify_one();
}

bool io_loop::wait(moment until, int also, const sigset_t* signals) {
  const auto sleeps = until != moment{} && sleep_unless_posted();
  const auto readable = sockets_.wait(box_.wake.file(), also, sleeps ? until : moment{}, signals);
  for (const auto p : sockets_.unblocked())
    greet(p);
  if (!sleeps)
    return readable;
  box_.wake.clear();
  const std::lock_guard lock{box_.mutex};
  box_.asleep = false;
  return readable;
}

bool io_loop::sleep_unless_posted() {
  const std::lock_guard lock{box_.mutex};
  box_.asleep = !box_.posted;
  return box_.asleep;
}

bool io_loop::round(moment now) {
  auto busy = take_posted(now);
  if (const auto refused = sockets_.authenticate(); refused != 0) {
    for (std::size_t i = 0; i < refused; ++i)
      counted_.key_refused();
    if (const auto kept = limiter_.pass(-1, now, refused))
      hooks_.log("a connection was turned away: its key is not authorised ("
                 + std::to_string(*kept + refused) + " since the last such line)");
  }
  follow_links();
  for (std::size_t p = 0; p < peers_.size(); ++p)
    busy = send_records(p) || busy;
  busy = send_telemetry(now) || busy;
  for (std::size_t s = 0; s < sockets_.sources(); ++s)
    busy = receive_from(s, now) || busy;
  keep_time(now);
  return busy;
}

bool io_loop::take_posted(moment now) {
  {
    const std::lock_guard lock{box_.mutex};
    box_.posted = false;
    stopping_ = box_.stopping;
    for (std::size_t p = 0; p < peers_.size(); ++p) {
      auto& x = peers_[p];
      if (x.sent == x.records.size()) {
        x.records.clear();
        x.sent = 0;
        x.records.swap(box_.records[p]);
      }
    }
    orders_.swap(box_.orders);
    lines_.swap(box_.lines);
    box_.all_acknowledged = box_.all_acknowledged && lines_.empty();
    const auto& in = box_.arrived;
    const auto messages =
      in.health.size() + in.commands.size() + in.results.size() + in.telemetry.size();
    room_records_ = config_.inbox_records - std::min(config_.inbox_records, in.records.size());
    room_messages_ = config_.inbox_messages - std::min(config_.inbox_messages, messages);
    arrived_messages_ = 0;
  }
  const auto busy = !orders_.empty() || !lines_.empty();
  for (auto& x : orders_)
    carry_out(x, now);
  orders_.clear();
  if (!telemetry_)
    return busy;
  for (const auto& [line_number, text] : lines_)
    if (!telemetry_->append(line_number, text))
      counted_.dropped(*collector_, plane::telemetry, drop::spill_full);
  lines_.clear();
  if (const auto gone = telemetry_->flush(); gone != 0)
    counted_.dropped(*collector_, plane::telemetry, drop::spill_full, gone);
  return busy;
}

void io_loop::carry_out(order_to_send& x, moment now) {
  if (const auto* where = std::get_if<connect_order>(&x)) {
    connect(*where, now);
  } else if (auto* state = std::get_if<state_to_send>(&x)) {
    if (const auto* newest = states_out_.put(state->to, std::move(state->state)))
      send_state(state->to, *newest);
    else
      counted_.dropped(state->to, plane::health, drop::stale);
  } else if (auto* order = std::get_if<command_to_send>(&x)) {
    peers_[order->to].orders.add(std::move(order->what), now);
    send_commands(order->to, now);
  } else if (auto* answer = std::get_if<answer_to_send>(&x)) {
    // An answer to a process that is gone is to nobody.
    if (answer->what.answers == liveness_.incarnation(answer->to)
        && peers_[answer->to].orders_in.answer(answer->what))
      send(answer->to, plane::control, codec_.encode(answer->what), 1);
  }
}

void io_loop::connect(const connect_order& x, moment now) {
  try {
    if (!sockets_.connect(x.peer, x.at))
      return;
  } catch (const zmq::error_t& why) {
    // The address was looked at before, so this is rare: too many open files, or what only ZeroMQ knows.
    say(drop::unreachable, x.peer, fmt::format("cannot be connected to: {}", why.what()), now);
    return;
  }
  peers_[x.peer].greeted = {};
  greet(x.peer);
}

void io_loop::follow_links() {
  for (const auto& x : sockets_.watch()) {
    // Whoever is at the other end now may be another process.
    peers_[x.peer].greeted[number(plane::data)] = false;
    if (x.up)
      greet(x.peer, plane::data);
    else
      drop_records(x.peer, drop::unreachable);
    note(arrived_.peers, {x.peer, x.up ? peer_step::connected : peer_step::disconnected,
                          liveness_.incarnation(x.peer)});
  }
}

bool io_loop::greet(std::size_t peer, plane where) {
  auto& greeted = peers_[peer].greeted[number(where)];
  if (sockets_.send(peer, where, codec_.encode(hello{config_.scenario_hash})) == fate::sent)
    greeted = true;
  return greeted;
}

void io_loop::greet(std::size_t peer) {
  for (const auto where : two_way)
    if (sockets_.reachable(peer, where))
      greet(peer, where);
}

fate io_loop::send(std::size_t peer, plane where, std::string_view bytes, std::uint64_t items) {
  const auto result = sockets_.send(peer, where, bytes);
  if (result == fate::sent)
    counted_.sent(peer, where, items);
  return result;
}

bool io_loop::send_records(std::size_t peer) {
  auto& x = peers_[peer];
  if (x.sent == x.records.size())
    return false;
  if (liveness_.lost(peer)) {
    drop_records(peer, drop::peer_lost);
    return true;
  }
  if (!sockets_.reachable(peer, plane::data) || sockets_.link(peer) == data_link::down) {
    drop_records(peer, drop::unreachable);
    return true;
  }
  if (!x.greeted[number(plane::data)] && !greet(peer, plane::data))
    return false;
  auto busy = false;
  while (x.sent < x.records.size()) {
    const auto n = std::min(limits::batch_records, x.records.size() - x.sent);
    const auto what =
      send(peer, plane::data, codec_.encode(std::span{x.records}.subspan(x.sent, n)), n);
    if (what == fate::full)
      return busy;
    if (what == fate::unreachable)
      counted_.dropped(peer, plane::data, drop::unreachable, n);
    x.sent += n;
    busy = true;
  }
  return busy;
}

void io_loop::drop_records(std::size_t peer, drop why) {
  auto& x = peers_[peer];
  counted_.dropped(peer, plane::data, why, x.records.size() - x.sent);
  x.sent = x.records.size();
}

void io_loop::send_state(std::size_t peer, const health_state& x) {
  // Whatever becomes of it: it is sent again until a newer one takes its place.
  if (peers_[peer].greeted[number(plane::health)] || greet(peer, plane::health))
    send(peer, plane::health, codec_.encode(x), 1);
}

void io_loop::send_states(std::size_t peer) {
  for (const auto* x : states_out_.of(peer))
    send_state(peer, *x);
}

void io_loop::send_commands(std::size_t peer, moment now) {
  if (!peers_[peer].greeted[number(plane::control)] && !greet(peer, plane::control))
    return;
  for (const auto* x : peers_[peer].orders.due(now))
    send(peer, plane::control, codec_.encode(*x), 1);
}

bool io_loop::send_telemetry(moment now) {
  if (!telemetry_ || !liveness_.up(*collector_))
    return false;
  for (int i = 0; i < batches_per_turn; ++i) {
    if (!telemetry_->next(now, batch_) || sockets_.push(codec_.encode(batch_)) != fate::sent)
      return i > 0;
    telemetry_->sent(batch_, now);
    counted_.sent(*collector_, plane::telemetry, batch_.lines.size());
  }
  return true;
}

void io_loop::keep_time(moment now) {
  if (now >= next_heartbeat_) {
    next_heartbeat_ = now + config_.heartbeat;
    for (std::size_t p = 0; p < peers_.size(); ++p)
      greet(p);
  }
  while (const auto lost = liveness_.next_lost(now))
    on_change(*lost, peer_step::lost);
  if (now >= next_states_) {
    next_states_ = now + config_.health_repeat;
    for (std::size_t p = 0; p < peers_.size(); ++p)
      send_states(p);
  }
  for (std::size_t p = 0; p < peers_.size(); ++p) {
    auto& x = peers_[p].orders;
    if (x.size() == 0)
      continue;
    for (const auto id : x.given_up(now)) {
      counted_.dropped(p, plane::control, drop::unanswered);
      arrived_.results.push_back({p, id, false, "not answered in time", ""});
      ended_commands_.push_back(p);
    }
    send_commands(p, now);
  }
}

span_of_time io_loop::idle_for(moment now) const {
  auto until = std::min(next_heartbeat_, next_states_);
  for (const auto& x : peers_)
    if (x.orders.size() != 0)
      until = std::min(until, now + config_.command_retry / 4);
  if (telemetry_ && !telemetry_->empty())
    until = std::min(until, now + config_.telemetry_again / 4);
  return std::max(until - now, span_of_time::zero());
}

io_loop::delivery io_loop::deliver() {
  const auto some = !arrived_.records.empty() || !arrived_.health.empty()
                    || !arrived_.commands.empty() || !arrived_.results.empty()
                    || !arrived_.telemetry.empty() || !arrived_.peers.empty();
  delivery result;
  {
    const std::lock_guard lock{box_.mutex};
    if (telemetry_)
      box_.all_acknowledged = telemetry_->empty();
    for (const auto p : ended_commands_)
      --box_.open_commands[p];
    if (some) {
      const auto move = [](auto& from, auto& to) {
        to.insert(to.end(), std::make_move_iterator(from.begin()),
                  std::make_move_iterator(from.end()));
      };
      auto& in = box_.arrived;
      move(arrived_.records, in.records);
      move(arrived_.batches, in.batches);
      move(arrived_.health, in.health);
      move(arrived_.commands, in.commands);
      move(arrived_.results, in.results);
      move(arrived_.telemetry, in.telemetry);
      for (const auto& x : arrived_.peers)
        note(in.peers, x);
      result.fresh = !std::exchange(box_.told, true);
    }
    result.told = box_.told;
  }
  ended_commands_.clear();
  arrived_.clear();
  return result;
}

} // namespace spillover::net
