// Feeds the decoder with bytes. Whatever they are: it does not crash, keeps to the limits, and what it
// takes for a batch holds only records that its caller accepts.

#include "model/check.hpp"
#include "net/operator_wire.hpp"
#include "net/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

namespace spillover::net {
namespace {

void check_frame(std::string_view bytes) {
  // One decoder for all, as in a transport: what a frame leaves behind must not harm the next one.
  static codec reader{"us-west1", 1};
  static frame result;
  const auto found = reader.decode(
    bytes, [](const record& x) { return x.to < 100; }, result);
  SPILLOVER_CHECK(result.sender.size() <= limits::name_bytes);
  if (found != flaw::none) {
    SPILLOVER_CHECK(std::holds_alternative<std::monostate>(result.body));
    SPILLOVER_CHECK(result.records.empty());
    return;
  }
  SPILLOVER_CHECK(result.major == protocol_major && !result.sender.empty());
  SPILLOVER_CHECK(result.records.size() <= limits::batch_records);
  SPILLOVER_CHECK(result.records.empty() != std::holds_alternative<data_batch>(result.body));
  for (const auto& [x, due] : result.records) {
    SPILLOVER_CHECK(due >= run_start && due <= limits::latest);
    SPILLOVER_CHECK(x.to != nobody && x.to < 100 && x.sent >= 0);
    SPILLOVER_CHECK(x.what == op::request || x.what == op::response || x.what == op::connect
                    || x.what == op::connected);
    SPILLOVER_CHECK(static_cast<std::size_t>(x.status) < outcome_count);
  }
  if (const auto* state = std::get_if<health_state>(&result.body))
    SPILLOVER_CHECK(fits(*state));
  if (const auto* lines = std::get_if<telemetry_batch>(&result.body))
    SPILLOVER_CHECK(!lines->lines.empty() && lines->first > lines->previous);
}

void check_operators(std::string_view bytes) {
  operator_request asked;
  if (decode(bytes, asked) == flaw::none)
    SPILLOVER_CHECK(asked.id.size() == operator_id_bytes && !asked.kind.empty()
                    && asked.kind.size() <= limits::name_bytes
                    && asked.body.size() <= limits::body_bytes);
  operator_answer said;
  if (decode(bytes, said) == flaw::none)
    SPILLOVER_CHECK(said.id.size() == operator_id_bytes
                    && said.refused.size() <= limits::reason_bytes
                    && said.body.size() <= limits::body_bytes);
}

} // namespace
} // namespace spillover::net

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes{reinterpret_cast<const char*>(data), size};
  spillover::net::check_frame(bytes);
  spillover::net::check_operators(bytes);
  return 0;
}
