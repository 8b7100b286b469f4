#pragma once

#include "model/event.hpp"
#include "model/time.hpp"
#include "net/transport.hpp"
#include "report/request_keeper.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

// What the director and the other sites of a deployment say to each other on the control plane: the kinds
// of commands, and their bodies as JSON. Bodies come from outside: each `read` takes any bytes, and returns
// nothing for those that are not what it reads.

/// Kinds of commands, and who gives them.
namespace command_kind {
/// A site to the director: it is there, and where.
inline constexpr std::string_view join = "join";
/// The director to a site: who the others are. Answered once it is connected to all it speaks with.
inline constexpr std::string_view plan = "plan";
/// The director to a site: where the others are now; no answer is waited for.
inline constexpr std::string_view peers = "peers";
/// The director to a site: begin then.
inline constexpr std::string_view start = "start";
/// The director to a site: a fault is added, or lifted.
inline constexpr std::string_view fault = "fault";
inline constexpr std::string_view lift = "lift";
/// The director to a site: what time is it there?
inline constexpr std::string_view clock = "clock";
/// The director to a site: the run is over, at this emulated time; close the books.
inline constexpr std::string_view finish = "finish";
/// A site to the director: lines of its event log that an earlier process of the site could not deliver. The answer
/// holds the number of the last line that the director has of that process.
inline constexpr std::string_view remains = "remains";
/// A site to the director, while it finishes: requests that are worth explaining.
inline constexpr std::string_view kept = "kept";
} // namespace command_kind

/// Where sites listen, by name.
using address_book = std::map<std::string, net::endpoints>;

/// Body of `join`.
struct join_message {
  net::endpoints at;
};
std::string write(const join_message& x);
std::optional<join_message> read_join(std::string_view body);

/// A fault that an operator added while the deployment runs.
struct live_fault {
  /// Follows those of the scenario.
  std::uint32_t number = 0;
  /// As operators write it, without a time: one entry of the scenario's list.
  std::string text;
  instant at{};
  /// The event that tells who added it.
  event_id cause;
  friend bool operator==(const live_fault&, const live_fault&) = default;
};

/// Body of `plan`.
struct plan_message {
  /// The process that it is for, as `station::start`: its successor must not take it for its own.
  std::uint64_t process = 0;
  address_book peers;
  double speed = 1;
  /// Of the site's process, from 1.
  std::uint32_t incarnation = 1;
  std::uint64_t first_event = 1;
  /// The run goes on already, since `start_real` (as `real_now`).
  bool late = false;
  std::int64_t start_real = 0;
  std::vector<live_fault> faults;
  /// Faults that operators ended before their time, by number.
  std::set<std::uint32_t> lifted;
};
std::string write(const plan_message& x);
std::optional<plan_message> read_plan(std::string_view body);

std::string write(const address_book& x);
std::optional<address_book> read_peers(std::string_view body);

std::string write(const live_fault& x);
std::optional<live_fault> read_fault(std::string_view body);

/// Bodies that hold one number: of `start` (real time of the run's start, as `real_now`), of the answer to
/// `clock` (the same), of `lift` (the fault's number), of `finish` (emulated nanoseconds).
std::string write_number(std::int64_t x);
std::optional<std::int64_t> read_number(std::string_view body);

/// Answer to `finish`.
struct finished_message {
  /// Requests and answers that were still under way here.
  std::uint64_t on_the_way = 0;
  /// Lines of its event log that the site has reported.
  std::uint64_t lines = 0;
  /// Actors that ended though nothing ended them.
  std::vector<std::string> casualties = {};
};
std::string write(const finished_message& x);
std::optional<finished_message> read_finished(std::string_view body);

/// Body of `remains`; JSON on its first line, and then the lines themselves.
struct remains_message {
  /// The process that wrote them, as `station::start`.
  std::uint64_t process = 0;
  /// Of consecutive lines; none in the first message, which asks what is known.
  net::telemetry_batch batch;
};
std::string write(const remains_message& x);
std::optional<remains_message> read_remains(std::string_view body);

/// Body of `kept`; so many fit at most.
inline constexpr std::size_t most_kept_at_once = 2'000;
std::string write(const std::vector<kept_request>& x);
std::optional<std::vector<kept_request>> read_kept(std::string_view body);

/// @returns nanoseconds since 1970 by the machine's clock, which other machines share more or less.
std::int64_t real_now() noexcept;

} // namespace spillover
