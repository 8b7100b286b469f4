#pragma once

#include "sweeps/grid.hpp"
#include "sweeps/outcome.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace spillover {

/// Traffic that settings play, as it was when the sweep began.
struct stored_trace {
  /// What the settings' scenarios call it, relative to their folder.
  std::string file;
  /// What the scenario that is varied calls it.
  std::string source;
  /// Of the traffic, as `check` says it.
  std::string digest;
  /// The file, as a scenario can play it.
  std::string content;
  friend bool operator==(const stored_trace&, const stored_trace&) = default;
};

/// What makes two sweeps the same one, so that one goes on with the other's runs.
struct sweep_identity {
  /// The program and its version, e.g. "spillover 0.1.0": another may come to other results.
  std::string program;
  /// Of the scenario.
  std::string name;
  /// The scenario that is varied, with every default.
  std::string scenario;
  std::vector<setting> settings;
  /// What each setting makes of the scenario, with every default: whoever wants to repeat one of its runs
  /// needs no other file but `traces`. None at all where that is not known.
  std::vector<std::string> scenarios = {};
  /// What `scenarios` play, by file.
  std::vector<stored_trace> traces = {};
  friend bool operator==(const sweep_identity&, const sweep_identity&) = default;
};

/// An expectation of the scenario as a setting has it.
struct stored_expectation {
  std::uint32_t setting = 0;
  /// Its place in the scenario, from 0.
  std::uint32_t place = 0;
  std::string name;
  /// In words, without the name.
  std::string what;
  /// Of what is measured and of the limits; see `expectation_words`.
  std::string unit;
  std::optional<std::int64_t> at_least;
  std::optional<std::int64_t> at_most;
  friend bool operator==(const stored_expectation&, const stored_expectation&) = default;
};

/// A file that cannot be used as a sweep's; says why, and what to do.
class store_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A run could not be kept, e.g. because the disk is full. The file is sound, and can be gone on with.
class store_write_error : public store_error {
public:
  using store_error::store_error;
};

/// The results of a sweep in an SQLite file; docs/sweeps.md describes its tables.
///
/// Whoever writes holds `FILE.lock`; others may read meanwhile. Each run is there as soon as `add`
/// returned, whatever becomes of the process. Everything that reads throws store_error when the file is
/// damaged.
class sweep_store {
public:
  enum class mode : std::uint8_t {
    /// The file must be there, and is not changed.
    read,
    /// The file is made, or gone on with.
    write,
  };

  /// @throws store_error when the file is no sweep's, belongs to another version of the format, is
  ///         missing, cannot be written, or is being written by another process
  sweep_store(const std::filesystem::path& file, mode how);

  /// Puts a database that was being written in one file, without the ones beside it.
  ~sweep_store();

  sweep_store(const sweep_store&) = delete;
  sweep_store& operator=(const sweep_store&) = delete;

  /// Makes a new file the sweep's, or finds that it is this one already.
  /// @param seeds that are asked for, ascending, each once; those of earlier calls stay asked for
  /// @throws store_error when it is another sweep's, saying what differs
  void begin(const sweep_identity& x, const std::vector<stored_expectation>& expectations,
             std::span<const std::uint64_t> seeds);

  /// @returns what `begin` was told first.
  /// @throws store_error when nobody began
  [[nodiscard]] sweep_identity identity() const;
  [[nodiscard]] std::vector<stored_expectation> expectations() const;

  /// @returns whether settings play traces, which then are in the file.
  [[nodiscard]] bool has_traces() const;

  /// @returns every seed that was asked for, ascending.
  [[nodiscard]] std::vector<std::uint64_t> seeds() const;

  /// Adds a run; one with the same key is replaced.
  /// @throws store_write_error when it cannot be kept
  void add(const run_outcome& x);

  /// Adds runs, all or none of them.
  /// @throws store_write_error when they cannot be kept
  void add_all(const std::vector<run_outcome>& all);

  /// @returns the keys of all runs, by setting and seed.
  [[nodiscard]] std::vector<run_key> keys() const;

  /// @returns the keys of those that failed.
  [[nodiscard]] std::vector<run_key> failed_keys() const;

  /// @returns how many runs there are, by `run_end`.
  [[nodiscard]] std::array<std::uint64_t, 3> counts() const;

  /// @returns a run, or nothing when it is not there.
  [[nodiscard]] std::optional<run_outcome> find(run_key key) const;

  /// @returns the runs of a setting by seed.
  /// @param place of the setting
  [[nodiscard]] std::vector<run_outcome> runs_of(std::uint32_t place) const;

private:
  void write_settings(const sweep_identity& x);
  void write_traces(const std::vector<stored_trace>& all);
  void write_expectations(const std::vector<stored_expectation>& all);

  struct parts;
  std::unique_ptr<parts> parts_;
};

/// @returns what differs between two sweeps, in words with the first difference of each kind; empty
///          when they are the same.
std::string difference(const sweep_identity& known, const sweep_identity& asked);

/// @returns the expectations of each scenario, for `sweep_store::begin`.
/// @param scenarios by setting, their expectations only
std::vector<stored_expectation>
expectations_of(const std::vector<std::vector<expectation>>& scenarios);

} // namespace spillover
