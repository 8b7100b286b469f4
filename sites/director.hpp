#pragma once

#include "actors/world.hpp"
#include "net/operator_desk.hpp"
#include "report/event_log.hpp"
#include "report/request_keeper.hpp"
#include "report/stop_watch.hpp"
#include "scenario/scenario.hpp"
#include "sites/journal.hpp"
#include "sites/live_view.hpp"
#include "sites/plan_messages.hpp"
#include "sites/roster.hpp"
#include "sites/station.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// What operators are told of what they asked for.
struct obeyed {
  /// Why it was not done; empty when it was.
  std::string refused;
  /// JSON.
  std::string body = {};
};

/// The director of a deployment: it gathers the sites, starts the run, carries out the timeline together
/// with them, collects their events, and lets operators look and act.
class director {
public:
  struct options {
    station_options station;
    double speed = 1;
    /// How long to wait for all sites at the beginning, and for what is missing at the end; in real time.
    std::chrono::seconds patience{60};
    /// Its journal; there already when an earlier director of the same run was lost.
    std::filesystem::path journal;
  };

  /// What the run left.
  struct conclusion {
    event_log log;
    kept_requests kept;
    /// Why there was no run, if there was none.
    std::string failed;
    /// What makes the run no result: events that are missing, actors that died; a sentence each.
    std::vector<std::string> flaws;
  };

  /// @param seen sees every event as it comes, those of one site in order
  /// @throws std::exception when an address cannot be bound, or the journal cannot be used
  director(const scenario& spec, options with, std::function<void(const event&)> seen);
  ~director();

  director(const director&) = delete;
  director& operator=(const director&) = delete;

  /// @returns where sites reach it, once it was made.
  [[nodiscard]] net::endpoints reached_at() const { return station_.reached_at(); }

  /// Does everything, until all that can be told was collected.
  conclusion run();

  /// Called now and then while it runs, on its thread.
  void on_idle(std::function<void()> f) { idle_.push_back(std::move(f)); }

  /// Tells that the process of a site ended; for whoever started it.
  void process_ended(const std::string& site, const std::string& how);

  /// Ends the run before its time.
  void stop(const std::string& reason);

  /// Does what an operator asks.
  /// @param kind "status", "fault add", "fault list", "fault remove", "fault clear" or "stop"
  /// @param who for the event log
  obeyed obey(std::string_view kind, const std::string& body, const std::string& who);

  [[nodiscard]] instant now() const noexcept { return world_ ? world_->now() : run_start; }

  /// Ports after the first one at which operators ask.
  static constexpr std::uint16_t desk_offset = 4;

private:
  using phase = roster::phase;

  /// A command that was given, and is not answered yet.
  struct open_order {
    std::size_t to = 0;
    std::string kind;
    std::int64_t given = 0; // real time
  };

  // director.cpp
  bool gather();
  void build_world();
  void live();
  void finish();
  conclusion conclude();
  void exchange();
  /// Goes on exchanging. @returns whether it was done before `until`
  bool wait_for(std::chrono::steady_clock::time_point until, std::chrono::milliseconds step,
                const std::function<bool()>& done);
  void take(const net::telemetry_arrival& x);
  void take(const net::command_arrival& x);
  void take(const net::command_result& x);
  void take(const net::peer_change& x);
  void take_remains(const net::command_arrival& x);
  /// Takes a line of a site's event log in.
  /// @param earlier of an earlier process of the site, this one
  void take_line(std::size_t site, std::uint64_t number, const std::string& line,
                 std::optional<std::uint64_t> earlier = {});
  void miss(std::size_t site, std::uint64_t lines);
  void take_calls();
  /// @param late its process was replaced since
  void take_event(event x, bool late = false);
  event_id note(payload what, event_id cause = {});

  // director_orders.cpp
  void join(const net::command_arrival& x);
  void carry_out(const roster_effects& all, const net::command_arrival* joining = nullptr);
  void plan_for(std::size_t number);
  [[nodiscard]] address_book addresses() const;
  void order(std::size_t to, std::string_view kind, std::string body);
  void send_unsent();
  void give_up_absent();
  void order_all(std::string_view kind, const std::string& body);
  void ask_clocks();
  void check_stop(const event& x);
  obeyed add_fault(const std::string& text, const std::string& who);
  obeyed lift_fault(const std::string& number, const std::string& who);
  obeyed list_faults() const;
  obeyed clear_faults(const std::string& who);
  void say(const std::string& text) const;
  [[nodiscard]] wall_clock clock() const;

  const scenario& spec_;
  options options_;
  journal journal_;
  station station_;
  std::function<void(const event&)> seen_;
  net::operator_desk desk_;
  std::vector<net::operator_call> calls_;
  std::vector<std::function<void()>> idle_;
  roster roster_; // by site
  std::map<std::pair<std::size_t, std::uint64_t>, open_order> orders_;
  std::optional<std::int64_t> start_real_;
  double speed_;
  instant end_;
  std::optional<world> world_;
  std::vector<event> events_;
  std::set<event_id> own_; // events of this site
  std::vector<live_fault> faults_;
  std::set<std::uint32_t> lifted_;
  std::vector<kept_request> kept_;
  stop_watch watch_;
  live_view view_;
  std::vector<std::string> flaws_;
  std::vector<std::pair<std::size_t, std::pair<std::string, std::string>>> unsent_; // orders
  std::chrono::steady_clock::time_point begun_;
  bool replaying_ = false;
  /// Everything is collected.
  bool ended_ = false;
  /// An operator last looked at the state then.
  std::optional<std::chrono::steady_clock::time_point> watched_;
  std::string stop_reason_;
  event_id stop_cause_;
  std::string failed_;
  std::chrono::steady_clock::time_point asked_clocks_;
};

} // namespace spillover
