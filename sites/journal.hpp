#pragma once

#include "model/event.hpp"
#include "sites/plan_messages.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// A process of a site, as the director knows it.
struct known_process {
  /// Of the transport: grows with each process of the site.
  std::uint64_t start = 0;
  /// Counts them, from 1.
  std::uint32_t incarnation = 0;
  std::uint64_t first_event = 1;
  net::endpoints at;
};

/// The end of a run before its time.
struct run_end {
  instant at{};
  std::string reason;
  event_id cause;
};

/// What a director keeps on disk, so that its successor goes on where it ended: which processes there are,
/// when the run began, which faults operators added, and every line of the event log that it took.
///
/// One file of lines, appended and flushed. What is cut off at the end, because the process was killed, counts as
/// not written: sites keep their lines, and give those again that the journal lacks.
class journal {
public:
  /// Everything that earlier directors wrote.
  struct content {
    /// Real time of the run's start, once it is settled.
    std::optional<std::int64_t> start;
    double speed = 1;
    std::map<std::string, known_process> processes;
    std::vector<live_fault> faults;
    std::set<std::uint32_t> lifted;
    /// The run's end, when it was settled to be before its time, and why.
    std::optional<run_end> stopped;
    std::vector<event> events;
    /// Number of the last line that each site's last process told.
    std::map<std::string, std::uint64_t> lines;
    /// The same of the processes before it, by their start.
    std::map<std::string, std::map<std::uint64_t, std::uint64_t>> earlier;
    /// Counts the directors before this one.
    std::uint32_t directors = 0;
  };

  /// Opens the file, or makes it.
  /// @param sites of the plan
  /// @throws std::runtime_error when it cannot be read or written, or belongs to another scenario
  journal(const std::filesystem::path& file, const std::vector<std::string>& sites,
          std::uint64_t scenario_hash);

  /// @returns what was there when it was opened.
  [[nodiscard]] content& before() noexcept { return before_; }

  void started(std::int64_t real_time, double speed);
  void joined(const std::string& site, const known_process& x);
  void added(const live_fault& x);
  void lifted(std::uint32_t fault);
  void stopped(const run_end& x);
  /// @param number of the line, as its site counts
  void line(const std::string& site, std::uint64_t number, std::string_view text);
  /// A line of an earlier process of a site, which its successor told.
  void remains(const std::string& site, std::uint64_t process, std::uint64_t number,
               std::string_view text);

  /// Writes what came since the last call.
  /// @throws std::runtime_error when the disk is full or the like
  void flush();

private:
  void read(const std::filesystem::path& file, std::uint64_t scenario_hash);
  bool take(std::string_view line, std::uint64_t scenario_hash);

  std::vector<std::string> sites_;
  content before_;
  std::ofstream file_;
};

} // namespace spillover
