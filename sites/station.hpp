#pragma once

#include "net/transport.hpp"
#include "scenario/scenario.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

class world;

/// Where a process of a deployment listens, and how it proves who it is.
struct station_options {
  std::string site;
  /// To bind to, e.g. "127.0.0.1".
  std::string listen = "127.0.0.1";
  /// How others reach it; as `listen` when empty.
  std::string advertise;
  /// The first of several ports in a row: data, health, control, telemetry; 0: the system chooses.
  std::uint16_t port = 0;
  /// Keys of the deployment; without them everything is plain, and on loopback only.
  std::optional<net::key_ring> keys = std::nullopt;
  /// Of the director: lines that it has of the processes of other sites.
  decltype(net::transport_config::collected) collected = {};
  /// The folder in which what the director has not got waits (`spill_path`).
  std::filesystem::path spills;
  /// Where it says each second that it lives; nowhere when empty.
  std::filesystem::path status;
  /// Without a sign of life for so long, in real time, a process counts as lost.
  std::chrono::milliseconds lost_after{3'000};
  /// Takes a line of the process's own log.
  std::function<void(std::string_view)> log;
};

/// The transport of a process, and a bell that rings when something has come.
class station {
public:
  /// Binds, and begins to listen.
  /// @throws std::invalid_argument when the options cannot be used, another std::exception when an address
  ///         cannot be bound or the spill file cannot be made
  station(const scenario& spec, station_options options);
  ~station();

  station(const station&) = delete;
  station& operator=(const station&) = delete;

  [[nodiscard]] net::transport& wire() noexcept { return *wire_; }
  [[nodiscard]] const std::vector<std::string>& sites() const noexcept { return sites_; }

  /// @returns where others reach this process.
  [[nodiscard]] net::endpoints reached_at() const;

  /// Lets arrivals wake a world, and lets it say which records may enter; `nullptr`: no world any more, and
  /// no thread uses the one before once this returns.
  void wake(world* x);

  /// @returns what tells this process from earlier and later ones of the site.
  [[nodiscard]] std::uint64_t start() const noexcept { return start_; }

  /// Waits until something has come, a signal came, or the time is over; for a process whose world does not
  /// live yet, or no more.
  void wait(std::chrono::milliseconds most);

  /// Waits again and again, and lets the process look at what came, until it is done or the time is over.
  /// @param step longest time between two looks
  /// @returns whether it is done
  bool wait_for(std::chrono::steady_clock::time_point until, std::chrono::milliseconds step,
                const std::function<void()>& look, const std::function<bool()>& done);

  /// Ends a wait, of this or of the world; any thread may call it.
  void ring();

  /// @returns where a further socket of the process listens, at this port after the first one.
  [[nodiscard]] std::string address_after(std::uint16_t offset) const;

  /// @returns what has come since the last call.
  const net::inbox& receive();

private:
  void tell_alive();

  station_options options_;
  std::vector<std::string> sites_;
  std::uint64_t start_;
  std::mutex world_mutex_;
  world* world_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
  bool signal_seen_ = false;
  net::inbox inbox_;
  std::chrono::steady_clock::time_point told_alive_;
  std::unique_ptr<net::transport> wire_;
};

/// @throws std::invalid_argument with all problems, a line each, when there are any
void insist_on(const std::vector<std::string>& problems);

/// Hashes what every process of a deployment must agree on: the scenario with its seed.
std::uint64_t hash_of(const scenario& x);

/// SIGTERM or SIGINT came; set by the handlers that `catch_stop_signals` installs.
bool stop_signalled() noexcept;
int stop_signal() noexcept;
void catch_stop_signals();

} // namespace spillover
