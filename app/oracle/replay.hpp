#pragma once

#include "app/oracle/tally.hpp"
#include "producers/autoscaling/kpa/decider.hpp"
#include "producers/autoscaling/kpa/reconciler.hpp"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace spillover::oracle {

/// Lines of one file, the one that describes it first; each of `cases` stands alone.
using json_lines = std::vector<nlohmann::json>;

// One function a kind of file. Each drives the deciders that a scenario's revisions have, and adds
// every line that says what Knative's own code answered. All throw nlohmann::json::exception when a
// line lacks a field.

void replay_scale(const json_lines& lines, tally& to);
void replay_window(const json_lines& lines, tally& to);
void replay_delay_window(const json_lines& lines, tally& to);
void replay_request_stats(const json_lines& lines, tally& to);
void replay_activator_report(const json_lines& lines, tally& to);
void replay_pipeline(const json_lines& lines, tally& to);
void replay_closed_loop(const json_lines& lines, tally& to);

/// Lines that stand alone: resolve, scale_target, active_condition, num_activators, sample_size.
void replay_case(const nlohmann::json& line, std::size_t number, tally& to);

/// @returns true when there is such a kind of lines that stand alone.
bool is_case(const std::string& kind);

// What several of them read.

/// @returns the instant of a field in milliseconds or microseconds, by its name, after the file's base.
instant time_of(const nlohmann::json& head, const nlohmann::json& line);
duration milliseconds_of(const nlohmann::json& x);
kpa::texts texts_of(const nlohmann::json& settings);
kpa::request_report stat_of(const nlohmann::json& line);

/// Compares what texts were resolved to with the field `spec`.
void compare_spec(comparison& to, const kpa::settings& x, const nlohmann::json& spec);

/// Compares a decision and the state after it.
void compare_decision(comparison& to, const nlohmann::json& head, const kpa::decision& x,
                      const kpa::decider& after);

} // namespace spillover::oracle
