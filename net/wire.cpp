#include "net/wire.hpp"

#include "net/wire.pb.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace spillover::net {

namespace {

/// The enumerations' names are from 0 to the last one, without holes.
constexpr auto last_outcome = static_cast<std::uint8_t>(outcome_count - 1);

bool is_name(const std::string& x) noexcept {
  return !x.empty() && x.size() <= limits::name_bytes;
}

flaw read_name(const std::string& x) noexcept {
  return x.empty() ? flaw::malformed : is_name(x) ? flaw::none : flaw::oversized;
}

bool crosses_sites(std::uint8_t x) noexcept {
  return x == static_cast<std::uint8_t>(op::request) || x == static_cast<std::uint8_t>(op::response)
         || x == static_cast<std::uint8_t>(op::connect)
         || x == static_cast<std::uint8_t>(op::connected);
}

bool is_instant(std::int64_t x) noexcept {
  return x >= 0 && x <= limits::latest.time_since_epoch().count();
}

void write_records(std::span<const timed_record> from, wire::DataBatch& to) {
  const auto n = static_cast<int>(from.size());
  const auto column = [n](auto* x) {
    x->Resize(n, 0);
    return x->mutable_data();
  };
  auto* const destination = column(to.mutable_to());
  auto* const attempt = column(to.mutable_attempt());
  auto* const request = column(to.mutable_request());
  auto* const sent = column(to.mutable_sent_ns());
  auto* const reply_to = column(to.mutable_reply_to());
  auto* const arg = column(to.mutable_arg());
  auto* const due = column(to.mutable_due_ns());
  to.mutable_op()->resize(from.size());
  to.mutable_outcome()->resize(from.size());
  auto* const what = to.mutable_op()->data();
  auto* const status = to.mutable_outcome()->data();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const auto& x = from[i].what;
    destination[i] = x.to;
    what[i] = static_cast<char>(x.what);
    status[i] = static_cast<char>(x.status);
    attempt[i] = x.attempt;
    request[i] = x.request;
    sent[i] = x.sent;
    reply_to[i] = x.reply_to;
    arg[i] = x.arg;
    due[i] = from[i].due.time_since_epoch().count();
  }
}

flaw check_columns(const wire::DataBatch& x) noexcept {
  const auto n = x.to_size();
  if (static_cast<std::size_t>(n) > limits::batch_records)
    return flaw::oversized;
  const auto bytes = static_cast<std::size_t>(n);
  const auto equal = x.op().size() == bytes && x.outcome().size() == bytes && x.attempt_size() == n
                     && x.request_size() == n && x.sent_ns_size() == n && x.reply_to_size() == n
                     && x.arg_size() == n && x.due_ns_size() == n;
  return equal && n > 0 ? flaw::none : flaw::malformed;
}

flaw read_records(const wire::DataBatch& from, const record_check& accepts,
                  std::vector<timed_record>& to) {
  if (const auto x = check_columns(from); x != flaw::none)
    return x;
  const auto n = static_cast<std::size_t>(from.to_size());
  const auto* const destination = from.to().data();
  const auto* const attempt = from.attempt().data();
  const auto* const request = from.request().data();
  const auto* const sent = from.sent_ns().data();
  const auto* const reply_to = from.reply_to().data();
  const auto* const arg = from.arg().data();
  const auto* const due = from.due_ns().data();
  to.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto what = static_cast<std::uint8_t>(from.op()[i]);
    const auto status = static_cast<std::uint8_t>(from.outcome()[i]);
    if (!crosses_sites(what) || status > last_outcome
        || attempt[i] > std::numeric_limits<std::uint16_t>::max() || sent[i] < 0
        || !is_instant(due[i]))
      return flaw::out_of_range;
    auto& x = to[i].what;
    x = {.to = destination[i],
         .what = static_cast<op>(what),
         .status = static_cast<outcome>(status),
         .attempt = static_cast<std::uint16_t>(attempt[i]),
         .request = request[i],
         .sent = sent[i],
         .reply_to = reply_to[i],
         .arg = arg[i]};
    to[i].due = instant{duration{due[i]}};
    if (x.to == nobody || (accepts && !accepts(x)))
      return flaw::not_accepted;
  }
  return flaw::none;
}

bool sound(const endpoint_counts& x) noexcept {
  return x.total <= limits::endpoints_of_zone && x.healthy <= x.total
         && x.unknown <= x.total - x.healthy;
}

flaw read_zones(wire::HealthState& from, std::vector<zone_endpoints>& to) {
  if (static_cast<std::size_t>(from.endpoints_size()) > limits::zones)
    return flaw::oversized;
  for (auto& x : *from.mutable_endpoints()) {
    if (x.zone().size() > limits::name_bytes)
      return flaw::oversized;
    const endpoint_counts counts{x.total(), x.healthy(), x.unknown()};
    // Looked up by their order, so another one would hide zones.
    if (!sound(counts) || (!to.empty() && x.zone() <= to.back().zone))
      return flaw::out_of_range;
    to.push_back({std::move(*x.mutable_zone()), counts});
  }
  return flaw::none;
}

flaw read(wire::HealthState& from, health_state& to) {
  for (const auto* x : {&from.resource(), &from.region()})
    if (const auto found = read_name(*x); found != flaw::none)
      return found;
  if (from.state() < wire::UNKNOWN || from.state() > wire::UNHEALTHY || from.kind() < wire::SERVICE
      || from.kind() > wire::ENDPOINTS || !is_instant(from.stamp_ns())
      || from.cause_site() > std::numeric_limits<std::uint16_t>::max())
    return flaw::out_of_range;
  to.kind = static_cast<resource_kind>(from.kind());
  to.resource = std::move(*from.mutable_resource());
  to.region = std::move(*from.mutable_region());
  to.state = static_cast<health>(from.state());
  to.incarnation = from.incarnation();
  to.generation = from.generation();
  to.cause = {static_cast<std::uint16_t>(from.cause_site()), from.cause_number()};
  to.stamp = instant{duration{from.stamp_ns()}};
  to.endpoints.utilization_milli.reset();
  if (from.has_utilization_milli()) {
    if (from.utilization_milli() > limits::utilization_milli)
      return flaw::out_of_range;
    to.endpoints.utilization_milli = from.utilization_milli();
  }
  return read_zones(from, to.endpoints.zones);
}

flaw read(wire::Command& from, command& to) {
  if (const auto x = read_name(from.kind()); x != flaw::none)
    return x;
  if (from.body().size() > limits::body_bytes)
    return flaw::oversized;
  if (from.id() == 0)
    return flaw::out_of_range;
  to = {from.id(), std::move(*from.mutable_kind()), std::move(*from.mutable_body())};
  return flaw::none;
}

flaw read(wire::CommandAck& from, command_ack& to) {
  if (from.refused().size() > limits::reason_bytes || from.body().size() > limits::body_bytes)
    return flaw::oversized;
  if (from.id() == 0)
    return flaw::out_of_range;
  to = {from.id(), std::move(*from.mutable_refused()), std::move(*from.mutable_body()),
        from.answers()};
  return flaw::none;
}

flaw read(wire::TelemetryBatch& from, telemetry_batch& to) {
  const auto n = static_cast<std::size_t>(from.line_size());
  if (n > limits::telemetry_lines)
    return flaw::oversized;
  if (n == 0)
    return flaw::malformed;
  if (from.first() == 0 || from.previous() >= from.first()
      || from.first() > std::numeric_limits<std::uint64_t>::max() - n)
    return flaw::out_of_range;
  std::size_t bytes = 0;
  for (const auto& x : from.line())
    bytes += x.size();
  if (bytes > limits::telemetry_bytes)
    return flaw::oversized;
  to.first = from.first();
  to.previous = from.previous();
  to.lines.reserve(n);
  for (auto& x : *from.mutable_line())
    to.lines.push_back(std::move(x));
  return flaw::none;
}

flaw read(wire::Refusal& from, refusal& to) {
  if (from.reason().size() > limits::reason_bytes)
    return flaw::oversized;
  to.reason = std::move(*from.mutable_reason());
  return flaw::none;
}

int count_bodies(const wire::Frame& x) noexcept {
  return int{x.has_hello()} + int{x.has_data()} + int{x.has_health()} + int{x.has_command()}
         + int{x.has_command_ack()} + int{x.has_telemetry()} + int{x.has_telemetry_ack()}
         + int{x.has_refusal()};
}

flaw read_body(wire::Frame& from, const record_check& accepts, frame& to) {
  if (count_bodies(from) > 1)
    return flaw::malformed;
  if (from.has_data()) {
    to.body = data_batch{};
    return read_records(from.data(), accepts, to.records);
  }
  if (from.has_health())
    return read(*from.mutable_health(), to.body.emplace<health_state>());
  if (from.has_command())
    return read(*from.mutable_command(), to.body.emplace<command>());
  if (from.has_command_ack())
    return read(*from.mutable_command_ack(), to.body.emplace<command_ack>());
  if (from.has_telemetry())
    return read(*from.mutable_telemetry(), to.body.emplace<telemetry_batch>());
  if (from.has_refusal())
    return read(*from.mutable_refusal(), to.body.emplace<refusal>());
  if (from.has_hello())
    to.body = hello{from.hello().scenario_hash()};
  else if (from.has_telemetry_ack())
    to.body = telemetry_ack{from.telemetry_ack().through(), from.telemetry_ack().again(),
                            from.telemetry_ack().answers()};
  return flaw::none;
}

} // namespace

std::string_view to_string(flaw x) noexcept {
  switch (x) {
    case flaw::none: return "none";
    case flaw::oversized: return "oversized";
    case flaw::malformed: return "malformed";
    case flaw::other_version: return "other_version";
    case flaw::out_of_range: return "out_of_range";
    case flaw::not_accepted: return "not_accepted";
  }
  return "?";
}

std::string_view cut_text(std::string_view x, std::size_t bytes) noexcept {
  if (x.size() <= bytes)
    return x;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (bytes > 0 && continues(x[bytes]))
    --bytes;
  return x.substr(0, bytes);
}

bool fits(const health_state& x) noexcept {
  const auto& zones = x.endpoints.zones;
  return is_name(x.resource) && is_name(x.region) && zones.size() <= limits::zones
         && x.endpoints.utilization_milli.value_or(0) <= limits::utilization_milli
         && std::all_of(zones.begin(), zones.end(), [](const zone_endpoints& z) {
              return z.zone.size() <= limits::name_bytes && sound(z.counts);
            });
}

struct codec::state {
  /// Batches have a message of their own, whose columns stay allocated.
  wire::Frame batch;
  wire::Frame other;
  wire::Frame parsed;
  std::string buffer;

  std::string_view finish(const wire::Frame& x) {
    x.SerializeToString(&buffer);
    return buffer.size() <= limits::frame_bytes ? std::string_view{buffer} : std::string_view{};
  }

  /// Leaves the header, takes away the body of the message before.
  wire::Frame& begin() {
    const auto incarnation = other.incarnation();
    auto sender = std::move(*other.mutable_sender());
    other.Clear();
    other.set_major(protocol_major);
    other.set_minor(protocol_minor);
    other.set_incarnation(incarnation);
    *other.mutable_sender() = std::move(sender);
    return other;
  }
};

codec::codec(std::string_view sender, std::uint64_t incarnation)
  : state_(std::make_unique<state>()) {
  // Protobuf writes a line to stderr for each name that is not UTF-8: that is for a peer to decide then.
  google::protobuf::SetLogHandler(nullptr);
  for (auto* x : {&state_->batch, &state_->other}) {
    x->set_major(protocol_major);
    x->set_minor(protocol_minor);
    x->set_sender(sender.data(), sender.size());
    x->set_incarnation(incarnation);
  }
}

codec::~codec() = default;
codec::codec(codec&&) noexcept = default;
codec& codec::operator=(codec&&) noexcept = default;

std::string_view codec::encode(std::span<const timed_record> batch) {
  if (batch.empty() || batch.size() > limits::batch_records)
    return {};
  write_records(batch, *state_->batch.mutable_data());
  return state_->finish(state_->batch);
}

std::string_view codec::encode(const hello& x) {
  auto& to = state_->begin();
  to.mutable_hello()->set_scenario_hash(x.scenario_hash);
  return state_->finish(to);
}

std::string_view codec::encode(const health_state& x) {
  if (!fits(x))
    return {};
  auto& frame = state_->begin();
  auto& to = *frame.mutable_health();
  to.set_kind(static_cast<wire::ResourceKind>(x.kind));
  to.set_resource(x.resource);
  to.set_region(x.region);
  to.set_state(static_cast<wire::Health>(x.state));
  to.set_incarnation(x.incarnation);
  to.set_generation(x.generation);
  to.set_cause_site(x.cause.site);
  to.set_cause_number(x.cause.number);
  to.set_stamp_ns(x.stamp.time_since_epoch().count());
  if (x.endpoints.utilization_milli)
    to.set_utilization_milli(*x.endpoints.utilization_milli);
  for (const auto& [zone, counts] : x.endpoints.zones) {
    auto& added = *to.add_endpoints();
    added.set_zone(zone);
    added.set_healthy(counts.healthy);
    added.set_total(counts.total);
    added.set_unknown(counts.unknown);
  }
  return state_->finish(frame);
}

std::string_view codec::encode(const command& x) {
  if (!is_name(x.kind) || x.body.size() > limits::body_bytes)
    return {};
  auto& frame = state_->begin();
  auto& to = *frame.mutable_command();
  to.set_id(x.id);
  to.set_kind(x.kind);
  to.set_body(x.body);
  return state_->finish(frame);
}

std::string_view codec::encode(const command_ack& x) {
  if (x.refused.size() > limits::reason_bytes || x.body.size() > limits::body_bytes)
    return {};
  auto& frame = state_->begin();
  auto& to = *frame.mutable_command_ack();
  to.set_id(x.id);
  to.set_refused(x.refused);
  to.set_body(x.body);
  to.set_answers(x.answers);
  return state_->finish(frame);
}

std::string_view codec::encode(const telemetry_batch& x) {
  if (x.lines.empty() || x.lines.size() > limits::telemetry_lines)
    return {};
  auto& frame = state_->begin();
  auto& to = *frame.mutable_telemetry();
  to.set_first(x.first);
  to.set_previous(x.previous);
  for (const auto& line : x.lines)
    to.add_line(line);
  return state_->finish(frame);
}

std::string_view codec::encode(const telemetry_ack& x) {
  auto& frame = state_->begin();
  frame.mutable_telemetry_ack()->set_through(x.through);
  frame.mutable_telemetry_ack()->set_again(x.again);
  frame.mutable_telemetry_ack()->set_answers(x.answers);
  return state_->finish(frame);
}

std::string_view codec::encode(const refusal& x) {
  auto& frame = state_->begin();
  frame.mutable_refusal()->set_reason(std::string{cut_text(x.reason, limits::reason_bytes)});
  return state_->finish(frame);
}

flaw codec::decode(std::string_view bytes, const record_check& accepts, frame& into) {
  into.major = into.minor = 0;
  into.sender.clear();
  into.incarnation = 0;
  into.body = std::monostate{};
  into.records.clear();
  if (bytes.size() > limits::frame_bytes)
    return flaw::oversized;
  auto& from = state_->parsed;
  if (!from.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return flaw::malformed;
  if (const auto x = read_name(from.sender()); x != flaw::none)
    return x;
  into.major = from.major();
  into.minor = from.minor();
  into.sender = from.sender();
  into.incarnation = from.incarnation();
  if (from.major() != protocol_major)
    return flaw::other_version;
  const auto result = read_body(from, accepts, into);
  if (result != flaw::none) {
    into.body = std::monostate{};
    into.records.clear();
  }
  return result;
}

} // namespace spillover::net
