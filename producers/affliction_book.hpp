#pragma once

#include "model/fault.hpp"
#include "model/random.hpp"
#include "producers/zone_placement.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spillover {

/// How much an ailment has to do with a probe that fails.
enum class probe_bearing : std::uint8_t {
  /// Nothing: probes do not meet it.
  none,
  /// It makes some fail.
  part,
  /// It makes every one fail.
  whole,
};

/// @returns how much a symptom has to do with a failing probe of an instance that suffers from it.
///          A probe needs neither CPU nor what requests wait for, and takes its own time.
probe_bearing bearing_of(const symptom& x) noexcept;

/// @returns how many of the instances that run at its onset a fault hits: its count, or its fraction of
///          them rounded up, at least one; at most all.
std::uint32_t victims_among(const instance_fault& x, std::uint32_t running) noexcept;

/// Whom of a backend service a fault can hit.
struct fault_scope {
  /// Every instance, present or started later, rather than a share of those present.
  bool everyone = false;
  /// Of `everyone`: those in this zone only.
  std::optional<std::uint32_t> zone = std::nullopt;
  friend bool operator==(const fault_scope&, const fault_scope&) = default;
};

/// How a start goes.
struct start_terms {
  /// Of the cold start.
  double factor = 1;
  /// The cold start lasts at least so long.
  duration least{};
  friend bool operator==(const start_terms&, const start_terms&) = default;
};

/// @returns how long a start takes whose cold start was drawn, at most about a year.
duration cold_start_under(const start_terms& x, duration drawn) noexcept;

/// Which faults lie on which instances of one revision, and what follows from that: whom a fault hits,
/// who may not start again, how starts go, which zones are lost.
///
/// An ailment of a process (silent, failing, slow, waiting, leaking) ends with it: an instance that
/// starts again is free of it, unless the fault hits everyone. A crash lies on the instance: until its
/// fault is over none of its processes starts. An ailment of a start lies on it until it succeeds,
/// however many processes that takes.
///
/// A fault that flaps is laid and taken off again and again, and hits the same instances each time:
/// those of its onset, as long as they are there. One that hits everyone hits whoever is there then.
///
/// Draws come from streams of each fault's own: whom it hits and which starts from
/// `PATH/fault/NUMBER`, restarts from `PATH/fault/NUMBER/restart`.
class affliction_book {
public:
  /// An instance that is not stopped.
  struct candidate {
    std::uint32_t index = 0;
    std::uint32_t zone = 0;
    /// False while it is crashed.
    bool runs = false;
  };

  /// A fault that hits a start.
  struct hit {
    std::uint32_t fault = 0;
    /// False when it lay on an earlier process of the same start.
    bool fresh = true;
    friend bool operator==(const hit&, const hit&) = default;
  };

  /// @param path of the backend service; names the streams
  affliction_book(std::uint64_t seed, std::string path);

  /// A fault sets in, or comes back after a pause.
  /// @param present ascending by index
  /// @returns whom it hits, ascending; a fault of starts hits nobody yet
  std::vector<std::uint32_t> lay(std::uint32_t fault, const instance_fault& what,
                                 const fault_scope& where, std::span<const candidate> present);

  /// A fault goes, for a pause or for good.
  /// @returns whom it leaves, ascending
  std::vector<std::uint32_t> take_off(std::uint32_t fault);

  /// A process of an instance starts.
  /// @returns the faults that hit it, in the order of their numbers
  std::vector<hit> start(std::uint32_t index, std::uint32_t zone);

  /// @returns how the start of an instance goes, given the faults that hit it.
  [[nodiscard]] start_terms terms(std::uint32_t index) const;

  /// An instance can serve: its start is over.
  /// @returns the faults that lay on the start and left it, ascending
  std::vector<std::uint32_t> started(std::uint32_t index);

  /// The process of an instance ended against its will.
  /// @returns the faults that ended with it, ascending
  std::vector<std::uint32_t> ended(std::uint32_t index);

  /// An instance is gone for good.
  void stopped(std::uint32_t index);

  /// @returns whether a crash lies on an instance.
  [[nodiscard]] bool held_down(std::uint32_t index) const noexcept;

  /// @returns the zones that lie in a fault of a zone.
  [[nodiscard]] zone_set lost_zones() const noexcept;

  /// @returns how long a victim waits for its restart after the fault's end; draws it when the fault
  ///          spreads restarts.
  duration restart_delay(std::uint32_t fault);

  /// @param fault one that was laid
  [[nodiscard]] const instance_fault& of(std::uint32_t fault) const;

private:
  struct entry {
    std::uint32_t fault = 0;
    instance_fault what;
    fault_scope where;
    bool lies = false;
    std::vector<std::uint32_t> chosen = {};  // at its onset, ascending
    std::vector<std::uint32_t> victims = {}; // who suffers now, ascending
    std::uint32_t starts = 0;                // that it has hit so far
    random_stream choice;
    random_stream restarts;
  };

  entry& open(std::uint32_t fault, const instance_fault& what, const fault_scope& where);
  void choose(entry& x, std::span<const candidate> present);
  [[nodiscard]] static bool meets_start(entry& x, std::uint32_t zone);

  std::uint64_t seed_;
  std::string path_;
  std::vector<entry> entries_; // by fault
};

} // namespace spillover
