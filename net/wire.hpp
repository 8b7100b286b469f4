#pragma once

#include "model/endpoint_view.hpp"
#include "model/event.hpp"
#include "model/health.hpp"
#include "model/record.hpp"
#include "model/time.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover::net {

/// Sites of another major version are refused; a higher minor one only knows more.
inline constexpr std::uint32_t protocol_major = 1;
inline constexpr std::uint32_t protocol_minor = 0;

/// What a frame may hold. Whoever encodes keeps to it, whoever decodes insists on it.
namespace limits {
inline constexpr std::size_t frame_bytes = 1U << 20U;
inline constexpr std::size_t batch_records = 512;
/// Names of sites, services, regions, groups and kinds of commands.
inline constexpr std::size_t name_bytes = 256;
inline constexpr std::size_t reason_bytes = 1024;
inline constexpr std::size_t body_bytes = 512U << 10U;
inline constexpr std::size_t zones = 256;
/// Endpoints of one zone: the sum over all zones stays far from overflowing.
inline constexpr std::uint32_t endpoints_of_zone = 1'000'000;
/// Utilization of a region's instances, in thousandths.
inline constexpr std::uint32_t utilization_milli = 1'000'000;
/// No instant lies beyond, some 146 years: whoever adds a span to one cannot overflow.
inline constexpr instant latest{duration{duration::max().count() / 2}};
inline constexpr std::size_t telemetry_lines = 1024;
inline constexpr std::size_t telemetry_bytes = 256U << 10U;
} // namespace limits

/// Says that the sender lives.
struct hello {
  /// Of the scenario that the sender runs.
  std::uint64_t scenario_hash = 0;
  friend bool operator==(const hello&, const hello&) = default;
};

/// A record, and when its receiver is due to get it.
///
/// Sites share the emulated time line. A sender ships a record as soon as it knows it, and the receiver has
/// it happen at `due`: the way over the wire then hides behind the emulated latency, as long as that is the
/// longer one.
struct timed_record {
  record what;
  /// From 0 to `limits::latest`; may have passed by the time the record comes.
  instant due{};
};

/// A batch of records; they are in the frame itself.
struct data_batch {
  friend bool operator==(const data_batch&, const data_batch&) = default;
};

/// What a state is about: of one published service several kinds travel side by side, and one must not
/// make another look old.
enum class resource_kind : std::uint8_t {
  /// Whether consumers may be sent there.
  service,
  /// How many of its endpoints are healthy (B-82).
  endpoints,
};

inline constexpr std::size_t resource_kind_count = 2;

/// State of a published service: what is, not what changed. Of each resource and kind the newest
/// (incarnation, generation) counts.
struct health_state {
  resource_kind kind = resource_kind::service;
  /// Path of the published service, e.g. "us-east1/checkout".
  std::string resource;
  std::string region;
  health state = health::unknown;
  std::uint32_t incarnation = 1;
  std::uint64_t generation = 0;
  event_id cause = {};
  instant stamp{};
  /// At most `limits::zones`, each of at most `limits::endpoints_of_zone`.
  endpoint_view endpoints = {};
  friend bool operator==(const health_state&, const health_state&) = default;
};

/// Asks a site to do something.
struct command {
  /// Ascends for each receiver, from 1, within an incarnation of the sender.
  std::uint64_t id = 0;
  std::string kind;
  /// As the kind says; JSON where nothing else is said.
  std::string body;
  friend bool operator==(const command&, const command&) = default;
};

/// Answers a command.
struct command_ack {
  std::uint64_t id = 0;
  /// Why the command was not carried out; empty when it was.
  std::string refused;
  std::string body;
  /// Incarnation of the process that gave the command: an answer to its predecessor is none to it.
  std::uint64_t answers = 0;
  friend bool operator==(const command_ack&, const command_ack&) = default;
};

/// Consecutive lines of a site's event log, as its file has them, without the line's end.
struct telemetry_batch {
  /// Number of the first line, from 1.
  std::uint64_t first = 0;
  /// The line before it that the sender can still send; what lies between is gone for good. 0: none.
  std::uint64_t previous = 0;
  std::vector<std::string> lines;
  friend bool operator==(const telemetry_batch&, const telemetry_batch&) = default;
};

/// Answers telemetry.
struct telemetry_ack {
  /// All lines up to this one have come, or are known to be gone.
  std::uint64_t through = 0;
  /// A later line came before the one after `through`: send again from there.
  bool again = false;
  /// Incarnation of the process whose lines these are.
  std::uint64_t answers = 0;
  friend bool operator==(const telemetry_ack&, const telemetry_ack&) = default;
};

/// Why the sender does not speak with the receiver.
struct refusal {
  std::string reason;
  friend bool operator==(const refusal&, const refusal&) = default;
};

/// Nothing stands for a body of a newer minor version, which is to be ignored.
using frame_body = std::variant<std::monostate, hello, data_batch, health_state, command,
                                command_ack, telemetry_batch, telemetry_ack, refusal>;

/// One message of another site.
struct frame {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::string sender;
  std::uint64_t incarnation = 0;
  frame_body body;
  /// Of a data batch; kept from frame to frame, so that decoding does not allocate.
  std::vector<timed_record> records;
};

/// Why bytes are not a frame that could be used.
enum class flaw : std::uint8_t {
  none,
  /// More bytes, records, lines or characters than `limits` allow.
  oversized,
  /// No frame: cut off, columns of unequal length, several bodies, or no sender.
  malformed,
  /// Another major version; the header is filled in all the same.
  other_version,
  /// A number that stands for nothing.
  out_of_range,
  /// The caller does not take one of the records.
  not_accepted,
};

std::string_view to_string(flaw x) noexcept;

/// @returns the beginning of `x`, at most so many bytes, and not cut within a character of UTF-8.
std::string_view cut_text(std::string_view x, std::size_t bytes) noexcept;

/// @returns whether `x` keeps to the limits, so that it can be encoded.
bool fits(const health_state& x) noexcept;

/// Tells whether a record of another site may enter: are its destination and its origin entities that the
/// plan knows, at places where they make sense?
using record_check = std::function<bool(const record&)>;

/// Encodes and decodes frames. Keeps its buffers, so that batches of records cost no allocation; for one
/// thread at a time.
class codec {
public:
  /// @param sender the own site, at most `limits::name_bytes` long
  codec(std::string_view sender, std::uint64_t incarnation);
  ~codec();
  codec(codec&&) noexcept;
  codec& operator=(codec&&) noexcept;
  codec(const codec&) = delete;
  codec& operator=(const codec&) = delete;

  /// @param batch at most `limits::batch_records`, each due within its range
  /// @returns the frame, valid until the next call; empty when `batch` is longer
  std::string_view encode(std::span<const timed_record> batch);

  /// @returns the frame, valid until the next call; empty when `x` exceeds a limit
  std::string_view encode(const hello& x);
  std::string_view encode(const health_state& x);
  std::string_view encode(const command& x);
  std::string_view encode(const command_ack& x);
  std::string_view encode(const telemetry_batch& x);
  std::string_view encode(const telemetry_ack& x);
  std::string_view encode(const refusal& x);

  /// Reads a frame, whatever the bytes are. Records may only be requests and responses: everything else
  /// stays within a site.
  /// @param accepts asked for each record; empty to take all
  /// @param into holds the frame afterwards; after a flaw only its header, if that could be read
  flaw decode(std::string_view bytes, const record_check& accepts, frame& into);

private:
  struct state;
  std::unique_ptr<state> state_;
};

} // namespace spillover::net
