#pragma once

#include "model/event.hpp"
#include "scenario/scenario.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spillover {

/// What operators see of a deployment while it runs: the newest of everything that its events tell.
class live_view {
public:
  explicit live_view(const scenario& spec);

  /// Takes an event of any site into account.
  void see(const event& x);

  /// Takes an event into account that comes late, of a process that was replaced: it counts, and is the newest of
  /// nothing.
  void see_late(const event& x);

  /// Where the run stands.
  struct moment {
    instant now{};
    double speed = 1;
    /// As it is settled now; an operator may bring it forward.
    instant end{};
    /// Everything was collected: whoever asks again may find nobody.
    bool ended = false;
  };

  /// @returns it as a JSON object; docs/deployment.md lists its fields.
  [[nodiscard]] std::string to_json(const moment& x) const;

private:
  struct backend {
    std::uint32_t ready = 0;
    std::uint32_t starting = 0;
    std::uint32_t crashed = 0;
    std::uint32_t queue = 0;
    std::uint32_t arrivals = 0;
  };
  struct consumer {
    std::uint32_t started = 0;
    std::uint32_t ok = 0;
    std::uint32_t failed = 0;
    std::string route;
  };
  struct process {
    std::uint32_t incarnation = 0;
    std::string state = "expected";
    std::uint64_t late_ns = 0;
    std::int64_t offset_ns = 0;
    /// The first one that was measured, and when; the newest one's time.
    std::int64_t first_offset_ns = 0;
    instant first_at{};
    instant last_at{};
  };

  static void see(instant at, process& of, const clock_sample& x);
  /// @returns how much the clock of a site's machine gains on the director's, in millionths.
  [[nodiscard]] static double drift_ppm(const process& x, double speed);
  void see(const event& x, const revision_sample& y);
  void see(const event& x, const client_sample& y);
  consumer count(const client_sample& x);

  std::string name_;
  std::map<std::string, process> sites_;
  std::map<std::string, backend> backends_;
  std::map<std::string, std::string> services_;
  std::map<std::string, consumer> consumers_;
  std::map<std::uint32_t, std::string> faults_; // active ones
  std::uint64_t requests_ = 0;
  std::uint64_t failed_ = 0;
};

} // namespace spillover
