#include "sites/station.hpp"

#include "actors/world.hpp"
#include "model/hash.hpp"
#include "scenario/load.hpp"
#include "scenario/plan.hpp"
#include "sites/inheritance.hpp"
#include "sites/plan_messages.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace spillover {

namespace {

std::atomic<int> signalled{0};

void on_signal(int number) {
  signalled.store(number);
}

std::string address(const std::string& host, std::uint16_t port, std::uint16_t offset) {
  return "tcp://" + host + ":" + (port == 0 ? std::string{"*"} : std::to_string(port + offset));
}

/// @returns an address of ours with another host.
std::string with_host(const std::string& bound, const std::string& host) {
  if (bound.empty() || host.empty())
    return bound;
  return "tcp://" + host + bound.substr(bound.rfind(':'));
}

} // namespace

void insist_on(const std::vector<std::string>& problems) {
  std::string all;
  for (const auto& x : problems)
    all += (all.empty() ? "" : "\n") + x;
  if (!all.empty())
    throw std::invalid_argument{all};
}

bool stop_signalled() noexcept {
  return signalled.load() != 0;
}

int stop_signal() noexcept {
  return signalled.load();
}

void catch_stop_signals() {
  struct sigaction how {};
  how.sa_handler = on_signal;
  // Without SA_RESTART: whoever waits looks up.
  ::sigaction(SIGTERM, &how, nullptr);
  ::sigaction(SIGINT, &how, nullptr);
  // Unless whoever started the program wants it to outlive the terminal, as nohup does.
  struct sigaction before {};
  if (::sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
    ::sigaction(SIGHUP, &how, nullptr);
}

std::uint64_t hash_of(const scenario& x) {
  return fnv1a_64(to_yaml(x));
}

station::station(const scenario& spec, station_options options)
  : options_(std::move(options)),
    sites_(plan_sites(spec)),
    start_(static_cast<std::uint64_t>(real_now())) {
  net::transport_config config;
  config.site = options_.site;
  config.sites = sites_;
  config.incarnation = start_;
  config.scenario_hash = hash_of(spec);
  const auto directs = options_.site == sites_.front();
  config.listen = {address(options_.listen, options_.port, 0),
                   address(options_.listen, options_.port, 1),
                   address(options_.listen, options_.port, 2),
                   directs ? address(options_.listen, options_.port, 3) : std::string{}};
  config.keys = options_.keys;
  config.insecure = !options_.keys;
  config.collector = sites_.front();
  config.collected = options_.collected;
  config.spill = spill_path(options_.spills, options_.site, start_);
  config.lost_after = options_.lost_after;
  config.heartbeat = options_.lost_after / 3;
  insist_on(net::validate(config));
  net::transport_hooks hooks;
  hooks.wake = [this] { ring(); };
  hooks.log = options_.log;
  hooks.accepts = [this](const record& x) {
    const std::lock_guard lock{world_mutex_};
    return world_ != nullptr && world_->may_take(x);
  };
  wire_ = std::make_unique<net::transport>(std::move(config), std::move(hooks));
}

station::~station() = default;

net::endpoints station::reached_at() const {
  const auto& x = wire_->bound();
  const auto& host = options_.advertise;
  return {with_host(x.data, host), with_host(x.health, host), with_host(x.control, host),
          with_host(x.telemetry, host)};
}

void station::wake(world* x) {
  const std::lock_guard lock{world_mutex_};
  world_ = x;
}

void station::ring() {
  {
    const std::lock_guard lock{world_mutex_};
    if (world_ != nullptr)
      world_->wake();
  }
  {
    const std::lock_guard lock{mutex_};
    rung_ = true;
  }
  changed_.notify_one();
}

void station::wait(std::chrono::milliseconds most) {
  // Signals do not wake a condition variable: looks up often enough.
  const auto until = std::chrono::steady_clock::now() + most;
  std::unique_lock lock{mutex_};
  // A signal ends one wait; afterwards it is known.
  while (!rung_ && stop_signalled() == signal_seen_ && std::chrono::steady_clock::now() < until)
    changed_.wait_for(lock,
                      std::min<std::chrono::milliseconds>(most, std::chrono::milliseconds{50}));
  rung_ = false;
  signal_seen_ = stop_signalled();
}

bool station::wait_for(std::chrono::steady_clock::time_point until, std::chrono::milliseconds step,
                       const std::function<void()>& look, const std::function<bool()>& done) {
  while (!done()) {
    if (std::chrono::steady_clock::now() >= until)
      return false;
    wait(step);
    look();
  }
  return true;
}

std::string station::address_after(std::uint16_t offset) const {
  return address(options_.listen, options_.port, offset);
}

void station::tell_alive() {
  const auto now = std::chrono::steady_clock::now();
  if (options_.status.empty() || now - told_alive_ < std::chrono::seconds{1})
    return;
  told_alive_ = now;
  // Whoever looks must not see half of it.
  const auto draft = options_.status.string() + ".new";
  std::ofstream{draft} << real_now() << '\n';
  std::error_code ignored;
  std::filesystem::rename(draft, options_.status, ignored);
}

const net::inbox& station::receive() {
  tell_alive();
  wire_->receive(inbox_);
  return inbox_;
}

} // namespace spillover
