#include "net/io_loop.hpp"

#include <fmt/format.h>

#include <utility>

namespace spillover::net {

namespace {

constexpr std::size_t frames_per_turn = 256;
/// Least time between two requests to a peer to introduce itself.
constexpr auto introduction_pause = std::chrono::milliseconds{50};

drop reason_of(flaw x) noexcept {
  switch (x) {
    case flaw::oversized: return drop::oversized;
    case flaw::other_version: return drop::other_version;
    case flaw::out_of_range: return drop::out_of_range;
    case flaw::not_accepted: return drop::not_accepted;
    default: return drop::malformed;
  }
}

/// @returns a peer's text as one line without control characters.
std::string printable(std::string x) {
  for (auto& c : x)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f')
      c = ' ';
  return x;
}

/// Whether a body may come on a plane; hello on each, but where lines come.
bool belongs(const frame_body& body, plane where) noexcept {
  if (std::holds_alternative<hello>(body))
    return where != plane::telemetry;
  if (std::holds_alternative<data_batch>(body))
    return where == plane::data;
  if (std::holds_alternative<health_state>(body))
    return where == plane::health;
  if (std::holds_alternative<telemetry_batch>(body))
    return where == plane::telemetry;
  return where == plane::control;
}

} // namespace

bool io_loop::receive_from(std::size_t source, moment now) {
  std::size_t n = 0;
  while (n < frames_per_turn && sockets_.receive(source, raw_)) {
    on_frame(raw_, now);
    ++n;
  }
  return n > 0;
}

void io_loop::count(std::size_t from, plane where, drop why, std::uint64_t items) {
  counted_.dropped(from, where, why, items);
}

bool io_loop::say(drop kind, std::size_t peer, std::string_view why, moment now) {
  const auto kept =
    limiter_.pass(static_cast<int>(kind) + static_cast<int>(drop_count * peer), now);
  if (!kept)
    return false;
  const auto who =
    peer < config_.sites.size() ? config_.sites[peer] : std::string{"an unknown site"};
  hooks_.log(fmt::format("{}: {} ({} more since the last such line)", who, why, *kept));
  return true;
}

std::optional<std::size_t> io_loop::sender_of(const raw_frame& raw) const {
  if (raw.peer)
    return raw.peer;
  // Without keys a sender is who it says it is: that is what `insecure` means.
  const auto name = config_.keys ? raw.owner : std::string_view{frame_.sender};
  const auto found = numbers_.find(name);
  return found == numbers_.end() || found->second == self_ ? std::nullopt
                                                           : std::optional{found->second};
}

void io_loop::on_frame(const raw_frame& raw, moment now) {
  const auto what = raw.misshapen
                      ? flaw::malformed
                      : codec_.decode(raw.body.to_string_view(), hooks_.accepts, frame_);
  if (raw.misshapen)
    frame_.sender.clear();
  const auto from = sender_of(raw);
  counted_.frame_received(from.value_or(counted_.stranger()), raw.where);
  if (what != flaw::none) {
    on_flaw(from, raw, what, now);
    return;
  }
  if (!from) {
    count(counted_.stranger(), raw.where, drop::unknown_site);
    return;
  }
  if (may_enter(*from, raw, now))
    dispatch(*from, raw, now);
}

void io_loop::on_flaw(std::optional<std::size_t> from, const raw_frame& raw, flaw what,
                      moment now) {
  const auto who = from.value_or(counted_.stranger());
  count(who, raw.where, reason_of(what));
  if (what != flaw::other_version || !from) {
    say(reason_of(what), who, fmt::format("sent a frame that is {}", to_string(what)), now);
    return;
  }
  const auto reason = fmt::format("{} speaks version {} of the protocol, and {} speaks version {}",
                                  config_.sites[who], frame_.major, config_.site, protocol_major);
  // Not each time: to the peer our answer is of another version, too.
  if (say(drop::other_version, who, reason, now)) {
    sockets_.remember(who, raw);
    refuse(who, reason);
  }
}

void io_loop::refuse(std::size_t peer, std::string reason) {
  sockets_.send(peer, plane::control, codec_.encode(refusal{std::move(reason)}));
}

bool io_loop::may_enter(std::size_t from, const raw_frame& raw, moment now) {
  if (frame_.sender != config_.sites[from]) {
    count(from, raw.where, drop::impostor);
    say(drop::impostor, from, "sent a frame in the name of another site", now);
    return false;
  }
  if (std::holds_alternative<std::monostate>(frame_.body)) {
    count(from, raw.where, drop::unknown_body);
    return false;
  }
  if (!belongs(frame_.body, raw.where)) {
    count(from, raw.where, drop::wrong_plane);
    return false;
  }
  if (std::holds_alternative<hello>(frame_.body) || std::holds_alternative<refusal>(frame_.body))
    return true;
  switch (liveness_.of(from, frame_.incarnation)) {
    case liveness::standing::current: return true;
    case liveness::standing::stale: count(from, raw.where, drop::stale); return false;
    case liveness::standing::not_introduced: break;
  }
  count(from, raw.where, drop::not_introduced);
  // Our hello is news to a peer that took us for the process before, and so it greets in turn.
  auto& asked = peers_[from].asked_to_introduce;
  if (!asked || now - *asked >= introduction_pause) {
    asked = now;
    sockets_.remember(from, raw);
    greet(from);
  }
  return false;
}

void io_loop::dispatch(std::size_t from, const raw_frame& raw, moment now) {
  auto& body = frame_.body;
  if (auto* greeting = std::get_if<hello>(&body))
    on_hello(from, raw, *greeting, now);
  else if (std::holds_alternative<data_batch>(body))
    on_records(from);
  else if (auto* state = std::get_if<health_state>(&body))
    on_state(from, *state);
  else if (auto* order = std::get_if<command>(&body))
    on_command(from, *order);
  else if (auto* answer = std::get_if<command_ack>(&body))
    on_answer(from, *answer);
  else if (auto* lines = std::get_if<telemetry_batch>(&body))
    on_telemetry(from, *lines, now);
  else if (auto* ack = std::get_if<telemetry_ack>(&body); ack != nullptr && telemetry_
                                                          && from == *collector_
                                                          && ack->answers == config_.incarnation)
    telemetry_->on_ack(*ack, now);
  else if (auto* why = std::get_if<refusal>(&body))
    say(drop::unreachable, from, "does not speak with us: " + printable(why->reason), now);
}

void io_loop::on_hello(std::size_t from, const raw_frame& raw, const hello& x, moment now) {
  if (x.scenario_hash != config_.scenario_hash) {
    count(from, raw.where, drop::other_scenario);
    if (say(drop::other_scenario, from, "runs another scenario", now)) {
      sockets_.remember(from, raw);
      refuse(from, config_.site + " runs another scenario than " + config_.sites[from]);
    }
    return;
  }
  const auto known = liveness_.incarnation(from);
  if (frame_.incarnation < known || frame_.incarnation == 0) {
    count(from, raw.where, drop::stale);
    return;
  }
  counted_.received(from, raw.where, 1);
  const auto restarted = liveness_.introduce(from, frame_.incarnation);
  if (sockets_.remember(from, raw))
    peers_[from].greeted[static_cast<std::size_t>(raw.where)] = false;
  if (frame_.incarnation != known)
    introduce(from);
  if (restarted)
    on_change(from, *restarted);
  if (raw.where != plane::control)
    return;
  if (const auto step = liveness_.heartbeat(from, now))
    on_change(from, *step);
}

void io_loop::introduce(std::size_t from) {
  auto& x = peers_[from];
  // Lines are counted by each process of a site, from 1.
  const auto known = config_.collected.find(config_.sites[from]);
  const auto same =
    known != config_.collected.end() && known->second.incarnation == frame_.incarnation;
  x.lines = telemetry_receiver{config_.telemetry_again, same ? known->second.lines : 0};
  // Before anything else is sent: a process that does not know us takes nothing of us.
  x.greeted = {};
  greet(from);
}

void io_loop::on_change(std::size_t peer, peer_step step) {
  note(arrived_.peers, {peer, step, liveness_.incarnation(peer)});
  auto& x = peers_[peer];
  if (step == peer_step::lost) {
    x.greeted = {};
    drop_records(peer, drop::peer_lost);
    return;
  }
  if (step == peer_step::restarted) {
    states_in_.forget(peer);
    x.orders_in = {};
  }
  if (telemetry_ && peer == *collector_) {
    if (step == peer_step::restarted)
      telemetry_->start_anew();
    else
      telemetry_->start_over();
  }
  x.orders.hurry();
  send_states(peer);
}

bool io_loop::room_for_message() const noexcept {
  return arrived_messages_ < room_messages_;
}

void io_loop::on_records(std::size_t from) {
  const auto n = frame_.records.size();
  if (arrived_.records.size() + n > room_records_) {
    count(from, plane::data, drop::inbox_full, n);
    return;
  }
  counted_.received(from, plane::data, n);
  arrived_.records.insert(arrived_.records.end(), frame_.records.begin(), frame_.records.end());
  if (!arrived_.batches.empty() && arrived_.batches.back().from == from)
    arrived_.batches.back().count += n;
  else
    arrived_.batches.push_back({from, n});
}

void io_loop::on_state(std::size_t from, health_state& x) {
  switch (states_in_.judge(from, x)) {
    case health_inbox::verdict::newer: break;
    case health_inbox::verdict::repeated: count(from, plane::health, drop::repeated); return;
    case health_inbox::verdict::stale: count(from, plane::health, drop::stale); return;
    case health_inbox::verdict::too_many: count(from, plane::health, drop::oversized); return;
  }
  // Not taken in, so that its repetition is still news.
  if (!room_for_message()) {
    count(from, plane::health, drop::inbox_full);
    return;
  }
  states_in_.take(from, x);
  counted_.received(from, plane::health, 1);
  arrived_.health.push_back({from, frame_.incarnation, std::move(x)});
  ++arrived_messages_;
}

void io_loop::on_command(std::size_t from, command& x) {
  auto& desk = peers_[from].orders_in;
  const auto known = desk.judge(x.id);
  if (known != command_receiver::verdict::fresh) {
    count(from, plane::control, drop::repeated);
    if (const auto* answer = desk.find(x.id))
      send(from, plane::control, codec_.encode(*answer), 1);
    return;
  }
  if (!room_for_message()) {
    count(from, plane::control, drop::inbox_full);
    return;
  }
  desk.take(x.id);
  counted_.received(from, plane::control, 1);
  arrived_.commands.push_back({from, frame_.incarnation, std::move(x)});
  ++arrived_messages_;
}

void io_loop::on_answer(std::size_t from, command_ack& x) {
  if (x.answers != config_.incarnation || !peers_[from].orders.answered(x.id)) {
    count(from, plane::control, x.answers != config_.incarnation ? drop::stale : drop::repeated);
    return;
  }
  // Bounded by the commands that are open, so there is always room.
  counted_.received(from, plane::control, 1);
  arrived_.results.push_back({from, x.id, true, std::move(x.refused), std::move(x.body)});
  ended_commands_.push_back(from);
}

void io_loop::on_telemetry(std::size_t from, telemetry_batch& x, moment now) {
  auto& desk = peers_[from].lines;
  const auto verdict = desk.judge(x);
  const auto answer = [&](telemetry_ack ack) {
    ack.answers = frame_.incarnation;
    send(from, plane::control, codec_.encode(ack), 1);
  };
  if (verdict.known != 0)
    count(from, plane::telemetry, drop::repeated, verdict.known);
  if (!verdict.take) {
    if (verdict.known != 0) {
      answer({desk.through(), false, 0});
      return;
    }
    count(from, plane::telemetry, drop::out_of_order, x.lines.size());
    if (const auto again = desk.ask_again(now))
      answer(*again);
    return;
  }
  // Not acknowledged, so that it comes again.
  if (!room_for_message()) {
    count(from, plane::telemetry, drop::inbox_full, x.lines.size());
    return;
  }
  desk.take(x);
  x.lines.erase(x.lines.begin(), x.lines.begin() + static_cast<std::ptrdiff_t>(verdict.known));
  counted_.received(from, plane::telemetry, x.lines.size());
  arrived_.telemetry.push_back(
    {from, frame_.incarnation, x.first + verdict.known, verdict.gone, std::move(x.lines)});
  ++arrived_messages_;
  answer({desk.through(), false, 0});
}

} // namespace spillover::net
