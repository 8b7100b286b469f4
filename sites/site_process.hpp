#pragma once

#include "actors/world.hpp"
#include "scenario/scenario.hpp"
#include "sites/inheritance.hpp"
#include "sites/plan_messages.hpp"
#include "sites/site_gate.hpp"
#include "sites/station.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace spillover {

/// How the process of a region or consumer ended.
enum class site_end : std::uint8_t {
  /// The run is over, and the director has everything.
  finished,
  /// A signal ended it.
  signalled,
  /// The director was never found, or did not come back at the end.
  no_director,
  /// The transport failed, or the director said what cannot be.
  failed,
};

/// One region or consumer of a deployment, in a process of its own.
///
/// It knows the director's address alone, learns from it who the others are and when the run starts, and
/// goes on by itself when the director is lost. One thread runs its actors by the machine's clock, another
/// one, the transport's, its sockets.
class site_process {
public:
  struct options {
    station_options station;
    net::endpoints director;
    /// How long to look for the director, and to wait for it at the end; in real time.
    std::chrono::seconds patience{60};
  };

  /// @throws std::exception as `station` does
  site_process(const scenario& spec, options with);
  ~site_process();

  site_process(const site_process&) = delete;
  site_process& operator=(const site_process&) = delete;

  /// Takes part in the run until its end.
  site_end run();

private:
  // In order.
  bool find_director();
  void prepare();
  bool wait_for_start();
  void live();
  site_end finish();

  void join();
  void exchange();
  /// Goes on exchanging. @returns whether it was done before `until`
  bool wait_for(std::chrono::steady_clock::time_point until, std::chrono::milliseconds step,
                const std::function<bool()>& done);
  void obey(const net::command_arrival& x);
  void obey_plan(const net::command_arrival& x);
  void add(const live_fault& x);
  void catch_up(const plan_message& newer);
  void meet(const address_book& peers);
  void answer_plan_if_met();
  void sample_pace();
  void say(const std::string& text) const;
  void report_kept();
  void hand_on_remains();
  void take_remains_answer(const net::command_result& x);
  void deliver_remains();
  [[nodiscard]] wall_clock clock() const;
  [[nodiscard]] std::uint16_t number_of(const std::string& site) const;

  const scenario& spec_;
  options options_;
  station station_;
  site_gate gate_;
  std::set<std::uint16_t> spoken_with_;
  std::optional<plan_message> plan_;
  std::optional<net::command_arrival> plan_to_answer_;
  std::chrono::steady_clock::time_point answer_plan_by_;
  std::optional<std::int64_t> start_real_;
  std::optional<net::command_arrival> finish_to_answer_;
  std::optional<finished_message> done_;
  instant end_;
  std::optional<world> world_;
  std::uint64_t lines_ = 0;
  inheritance earlier_;
  std::uint64_t remains_order_ = 0;
  std::chrono::steady_clock::time_point sampled_;
  instant sampled_at_{};
  std::string failed_;
};

} // namespace spillover
