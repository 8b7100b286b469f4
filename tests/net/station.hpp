#pragma once

#include "net/transport.hpp"
#include "tests/net/folder.hpp"

#include <algorithm>
#include <condition_variable>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace spillover::net::test {

/// Key rings of a deployment's sites, made in memory.
class key_maker {
public:
  explicit key_maker(const std::vector<std::string>& sites) {
    for (const auto& x : sites) {
      pairs_.push_back(make_key_pair());
      list_.push_back({x, pairs_.back().public_key});
    }
  }

  [[nodiscard]] key_ring ring(std::size_t site) const { return {pairs_[site], list_}; }

private:
  std::vector<key_pair> pairs_;
  std::vector<authorised_site> list_;
};

/// A transport and all that it has received.
class station {
public:
  static constexpr std::chrono::seconds patience{20};

  explicit station(transport_config config)
    : transport_(std::move(config), {[this] { wake(); }, [this](std::string_view x) { log(x); },
                                     [](const record& x) { return x.to < 1'000; }}) {}

  transport* operator->() noexcept { return &transport_; }

  /// Takes in what comes until `done` or for too long.
  /// @returns whether it is done
  bool wait_for(const std::function<bool()>& done) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (true) {
      take();
      if (done())
        return true;
      std::unique_lock lock{mutex_};
      // Looks again from time to time, because counters change without a wake-up.
      changed_.wait_for(lock, std::chrono::milliseconds{5}, [&] { return woken_; });
      woken_ = false;
      if (std::chrono::steady_clock::now() > until)
        return false;
    }
  }

  /// Waits for a step of a peer that was not waited for yet.
  bool wait_for(std::size_t peer, peer_step step) {
    return wait_for([&] {
      for (; steps_seen_ < got.peers.size(); ++steps_seen_)
        if (got.peers[steps_seen_].peer == peer && got.peers[steps_seen_].step == step) {
          ++steps_seen_;
          return true;
        }
      return false;
    });
  }

  /// @returns how often a peer took a step, of those that were taken in.
  [[nodiscard]] std::size_t steps(std::size_t peer, peer_step step) const {
    return static_cast<std::size_t>(
      std::count_if(got.peers.begin(), got.peers.end(),
                    [&](const peer_change& x) { return x.peer == peer && x.step == step; }));
  }

  [[nodiscard]] std::vector<std::string> lines() {
    const std::lock_guard lock{mutex_};
    return lines_;
  }

  /// Everything that has come.
  inbox got;

private:
  void wake() {
    const std::lock_guard lock{mutex_};
    woken_ = true;
    changed_.notify_all();
  }

  void log(std::string_view x) {
    const std::lock_guard lock{mutex_};
    lines_.emplace_back(x);
  }

  void take() {
    transport_.receive(fresh_);
    const auto move = [](auto& from, auto& to) {
      to.insert(to.end(), std::make_move_iterator(from.begin()),
                std::make_move_iterator(from.end()));
    };
    move(fresh_.records, got.records);
    move(fresh_.batches, got.batches);
    move(fresh_.health, got.health);
    move(fresh_.commands, got.commands);
    move(fresh_.results, got.results);
    move(fresh_.telemetry, got.telemetry);
    move(fresh_.peers, got.peers);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;
  std::vector<std::string> lines_;
  std::size_t steps_seen_ = 0;
  inbox fresh_;
  transport transport_;
};

inline const std::vector<std::string>& three_sites() {
  static const std::vector<std::string> sites{"director", "us-east1", "clients-east"};
  return sites;
}

inline constexpr std::size_t director = 0;
inline constexpr std::size_t east = 1;
inline constexpr std::size_t clients = 2;

/// Three sites of a deployment, which are quick to notice things.
class deployment {
public:
  deployment() : keys_(three_sites()) {}

  [[nodiscard]] transport_config config(std::size_t site, std::uint64_t incarnation = 1) const {
    transport_config x;
    x.site = three_sites()[site];
    x.sites = three_sites();
    x.incarnation = incarnation;
    x.scenario_hash = 77;
    x.keys = keys_.ring(site);
    x.collector = "director";
    x.spill = here_ / (x.site + std::to_string(incarnation));
    x.heartbeat = std::chrono::milliseconds{50};
    x.lost_after = std::chrono::seconds{2};
    x.reconnect_most = std::chrono::milliseconds{100};
    x.health_repeat = std::chrono::milliseconds{100};
    x.command_retry = std::chrono::milliseconds{100};
    x.telemetry_again = std::chrono::milliseconds{200};
    return x;
  }

  [[nodiscard]] std::unique_ptr<station> start(std::size_t site,
                                               std::uint64_t incarnation = 1) const {
    return std::make_unique<station>(config(site, incarnation));
  }

  [[nodiscard]] const key_maker& keys() const noexcept { return keys_; }

private:
  folder here_;
  key_maker keys_;
};

/// Has `who` connect to `whom`, and waits until both have heard of each other.
inline bool join(station& who, std::size_t own, station& whom, std::size_t peer) {
  if (who->connect(peer, whom->bound()))
    return false;
  return who.wait_for(peer, peer_step::back) && whom.wait_for(own, peer_step::back);
}

} // namespace spillover::net::test
