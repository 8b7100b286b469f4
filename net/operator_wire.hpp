#pragma once

#include "net/wire.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace spillover::net {

/// Bytes of a request's id: so many that no two requests ever have the same.
inline constexpr std::size_t operator_id_bytes = 16;

/// What an operator asks the director.
struct operator_request {
  /// Of `operator_id_bytes`; the same request, sent again, has the same.
  std::string id;
  std::string kind;
  /// As the kind says; JSON where nothing else is said.
  std::string body;
  friend bool operator==(const operator_request&, const operator_request&) = default;
};

struct operator_answer {
  std::string id;
  /// Why the request was not carried out; empty when it was.
  std::string refused;
  std::string body;
  friend bool operator==(const operator_answer&, const operator_answer&) = default;
};

/// @returns the message; empty when `x` exceeds a limit of the wire
std::string encode(const operator_request& x);
std::string encode(const operator_answer& x);

/// Reads a message, whatever the bytes are.
/// @param into holds it afterwards, if there is no flaw
flaw decode(std::string_view bytes, operator_request& into);
flaw decode(std::string_view bytes, operator_answer& into);

} // namespace spillover::net
