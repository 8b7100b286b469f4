#include "net/transport.hpp"

#include "model/check.hpp"
#include "net/io_loop.hpp"
#include "net/mailbox.hpp"

#include <algorithm>
#include <csignal>
#include <exception>
#include <thread>
#include <utility>

namespace spillover::net {

void note(std::vector<peer_change>& list, const peer_change& x) {
  std::erase_if(list, [&](const peer_change& y) { return y.peer == x.peer && y.step == x.step; });
  list.push_back(x);
}

void inbox::clear() {
  records.clear();
  batches.clear();
  health.clear();
  commands.clear();
  results.clear();
  telemetry.clear();
  peers.clear();
  failed.clear();
}

void mailbox::post() {
  posted = true;
  if (std::exchange(asleep, false))
    wake.set();
}

struct transport::state {
  state(transport_config c, transport_hooks h)
    : config(std::move(c)),
      hooks(std::move(h)),
      box(config.sites.size()),
      counted(config.sites),
      loop(config, hooks, box, counted) {}

  void run() noexcept {
    // Signals are for the program's own threads.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    try {
      loop.run();
    } catch (const std::exception& x) {
      fail(x);
    }
  }

  /// Tells the site that the transport works no more.
  void fail(const std::exception& x) {
    loop.give_up();
    hooks.log(std::string{"the transport failed: "} + x.what());
    {
      const std::lock_guard lock{box.mutex};
      box.arrived.failed = x.what();
      box.told = true;
    }
    hooks.wake();
  }

  /// Whether another message finds room; the caller holds the lock.
  bool has_room(std::size_t peer, plane where) {
    if (box.orders.size() < config.queue_messages)
      return true;
    counted.dropped(peer, where, drop::queue_full);
    return false;
  }

  transport_config config;
  transport_hooks hooks;
  mailbox box;
  live_counters counted;
  io_loop loop;
  std::thread thread;
};

transport::transport(transport_config config, transport_hooks hooks) {
  SPILLOVER_CHECK(validate(config).empty());
  SPILLOVER_CHECK(hooks.wake && hooks.log);
  state_ = std::make_unique<state>(std::move(config), std::move(hooks));
  state_->thread = std::thread{[s = state_.get()] { s->run(); }};
}

transport::~transport() {
  leave();
  {
    const std::lock_guard lock{state_->box.mutex};
    state_->box.stopping = true;
    // Woken in any case, even when it only just decided to wait.
    state_->box.asleep = true;
    state_->box.post();
  }
  state_->thread.join();
}

const endpoints& transport::bound() const noexcept {
  return state_->loop.bound();
}

std::optional<std::size_t> transport::find(std::string_view site) const {
  const auto& all = state_->config.sites;
  const auto at = std::find(all.begin(), all.end(), site);
  return at == all.end() ? std::nullopt : std::optional{static_cast<std::size_t>(at - all.begin())};
}

std::optional<std::string> transport::connect(std::size_t peer, endpoints at) {
  const auto& config = state_->config;
  SPILLOVER_CHECK(peer < config.sites.size());
  if (config.sites[peer] == config.site)
    return "a site does not connect to itself";
  for (const auto* x : {&at.data, &at.health, &at.control, &at.telemetry}) {
    if (x->empty() && x == &at.telemetry)
      continue;
    if (auto problem = check_address(*x))
      return "'" + *x + "': " + *problem;
    if (!config.keys && !on_loopback(*x))
      return "'" + *x + "': without keys only the loopback interface is allowed";
  }
  const std::lock_guard lock{state_->box.mutex};
  state_->box.orders.emplace_back(connect_order{peer, std::move(at)});
  state_->box.post();
  return std::nullopt;
}

std::size_t transport::send(std::size_t peer, std::span<const timed_record> records) {
  SPILLOVER_CHECK(peer < state_->config.sites.size());
  for (const auto& x : records)
    SPILLOVER_CHECK(x.due >= run_start && x.due <= limits::latest);
  std::size_t taken = 0;
  {
    const std::lock_guard lock{state_->box.mutex};
    auto& queue = state_->box.records[peer];
    taken = std::min(records.size(), state_->config.queue_records
                                       - std::min(state_->config.queue_records, queue.size()));
    queue.insert(queue.end(), records.begin(),
                 records.begin() + static_cast<std::ptrdiff_t>(taken));
    state_->box.post();
  }
  if (taken < records.size())
    state_->counted.dropped(peer, plane::data, drop::queue_full, records.size() - taken);
  return taken;
}

bool transport::publish(std::size_t peer, health_state what) {
  SPILLOVER_CHECK(peer < state_->config.sites.size());
  if (!fits(what)) {
    state_->counted.dropped(peer, plane::health, drop::oversized);
    return false;
  }
  const std::lock_guard lock{state_->box.mutex};
  if (!state_->has_room(peer, plane::health))
    return false;
  state_->box.orders.emplace_back(state_to_send{peer, std::move(what)});
  state_->box.post();
  return true;
}

std::uint64_t transport::order(std::size_t peer, std::string kind, std::string body) {
  SPILLOVER_CHECK(peer < state_->config.sites.size());
  if (kind.empty() || kind.size() > limits::name_bytes || body.size() > limits::body_bytes) {
    state_->counted.dropped(peer, plane::control, drop::oversized);
    return 0;
  }
  const std::lock_guard lock{state_->box.mutex};
  auto& open = state_->box.open_commands[peer];
  if (open >= state_->config.open_commands) {
    state_->counted.dropped(peer, plane::control, drop::queue_full);
    return 0;
  }
  if (!state_->has_room(peer, plane::control))
    return 0;
  ++open;
  const auto id = ++state_->box.last_command[peer];
  state_->box.orders.emplace_back(command_to_send{peer, {id, std::move(kind), std::move(body)}});
  state_->box.post();
  return id;
}

void transport::answer(const command_arrival& to, std::string refused, std::string body) {
  SPILLOVER_CHECK(to.from < state_->config.sites.size());
  refused.resize(cut_text(refused, limits::reason_bytes).size());
  command_ack ack{to.what.id, std::move(refused), std::move(body), to.incarnation};
  if (ack.body.size() > limits::body_bytes) {
    ack.body.clear();
    ack.refused = "the answer is too long";
  }
  const std::lock_guard lock{state_->box.mutex};
  // Whatever the queue's length: the commands that are answered here are bounded themselves.
  state_->box.orders.emplace_back(answer_to_send{to.from, std::move(ack)});
  state_->box.post();
}

bool transport::report(std::string line) {
  const auto collector = find(state_->config.collector);
  if (!collector || state_->config.collector == state_->config.site)
    return false;
  const auto fits = line.size() <= limits::telemetry_bytes;
  const std::lock_guard lock{state_->box.mutex};
  const auto number = ++state_->box.last_line;
  if (!fits || state_->box.lines.size() >= state_->config.queue_lines) {
    state_->counted.dropped(*collector, plane::telemetry,
                            fits ? drop::queue_full : drop::oversized);
    return false;
  }
  state_->box.lines.emplace_back(number, std::move(line));
  state_->box.all_acknowledged = false;
  state_->box.post();
  return true;
}

bool transport::all_reported() const {
  const std::lock_guard lock{state_->box.mutex};
  return state_->box.all_acknowledged && state_->box.lines.empty();
}

void transport::receive(inbox& into) {
  into.clear();
  const std::lock_guard lock{state_->box.mutex};
  std::swap(into, state_->box.arrived);
  state_->box.arrived.failed = into.failed;
  state_->box.told = false;
}

bool transport::drive(span_of_time most, int file) {
  try {
    return state_->loop.drive(most, file);
  } catch (const std::exception& x) {
    state_->fail(x);
    return true;
  }
}

void transport::leave() {
  state_->loop.leave();
}

counters transport::count() const {
  return state_->counted.look();
}

} // namespace spillover::net
