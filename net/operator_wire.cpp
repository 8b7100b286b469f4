#include "net/operator_wire.hpp"

#include "net/wire.pb.h"

#include <google/protobuf/stubs/logging.h>

#include <utility>

namespace spillover::net {

namespace {

template <class Message>
std::string finish(const Message& x) {
  auto result = x.SerializeAsString();
  if (result.size() > limits::frame_bytes)
    result.clear();
  return result;
}

/// What every message has.
template <class Message>
flaw read(std::string_view bytes, Message& into) {
  // As for the transport's messages: names that are not UTF-8 are no reason to write to stderr.
  google::protobuf::SetLogHandler(nullptr);
  if (bytes.size() > limits::frame_bytes)
    return flaw::oversized;
  if (!into.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return flaw::malformed;
  if (into.major() != protocol_major)
    return flaw::other_version;
  if (into.id().size() != operator_id_bytes)
    return flaw::malformed;
  return into.body().size() > limits::body_bytes ? flaw::oversized : flaw::none;
}

} // namespace

std::string encode(const operator_request& x) {
  if (x.id.size() != operator_id_bytes || x.kind.empty() || x.kind.size() > limits::name_bytes
      || x.body.size() > limits::body_bytes)
    return "";
  wire::OperatorRequest to;
  to.set_major(protocol_major);
  to.set_id(x.id);
  to.set_kind(x.kind);
  to.set_body(x.body);
  return finish(to);
}

std::string encode(const operator_answer& x) {
  if (x.id.size() != operator_id_bytes || x.refused.size() > limits::reason_bytes
      || x.body.size() > limits::body_bytes)
    return "";
  wire::OperatorAnswer to;
  to.set_major(protocol_major);
  to.set_id(x.id);
  to.set_refused(x.refused);
  to.set_body(x.body);
  return finish(to);
}

flaw decode(std::string_view bytes, operator_request& into) {
  wire::OperatorRequest from;
  if (const auto x = read(bytes, from); x != flaw::none)
    return x;
  if (from.kind().empty() || from.kind().size() > limits::name_bytes)
    return from.kind().empty() ? flaw::malformed : flaw::oversized;
  into = {std::move(*from.mutable_id()), std::move(*from.mutable_kind()),
          std::move(*from.mutable_body())};
  return flaw::none;
}

flaw decode(std::string_view bytes, operator_answer& into) {
  wire::OperatorAnswer from;
  if (const auto x = read(bytes, from); x != flaw::none)
    return x;
  if (from.refused().size() > limits::reason_bytes)
    return flaw::oversized;
  into = {std::move(*from.mutable_id()), std::move(*from.mutable_refused()),
          std::move(*from.mutable_body())};
  return flaw::none;
}

} // namespace spillover::net
