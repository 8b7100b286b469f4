#pragma once

#include "exports/json_stream.hpp"
#include "exports/otlp.hpp"
#include "report/event_index.hpp"

#include <concepts>
#include <string>
#include <string_view>

// How OTLP/JSON spells what its messages share; what users of an export need is in exports/otlp.hpp.

namespace spillover {

/// Writes a list of attributes: "[" to "]".
class otlp_attributes {
public:
  explicit otlp_attributes(json_stream& out) : out_(out) { out_.text("\"attributes\":["); }

  otlp_attributes& add(std::string_view key, std::string_view value) {
    begin(key).text("{\"stringValue\":").string(value).text("}}");
    return *this;
  }
  otlp_attributes& add(std::string_view key, const std::string& value) {
    return add(key, std::string_view{value});
  }
  template <std::integral T>
  otlp_attributes& add(std::string_view key, T value) {
    begin(key).text("{\"intValue\":").quoted(value).text("}}");
    return *this;
  }
  otlp_attributes& add_flag(std::string_view key, bool value) {
    begin(key).text(value ? "{\"boolValue\":true}}" : "{\"boolValue\":false}}");
    return *this;
  }

  void end() { out_.text("]"); }

private:
  json_stream& begin(std::string_view key) {
    out_.text(first_ ? "{\"key\":" : ",{\"key\":").string(key).text(",\"value\":");
    first_ = false;
    return out_;
  }

  json_stream& out_;
  bool first_ = true;
};

/// @returns an instant of the run on the calendar, as OTLP counts it.
inline std::int64_t unix_nanos(calendar_time start, instant x) noexcept {
  return (start.time_since_epoch() + x.time_since_epoch()).count();
}

/// @returns whether a site is a region: it has instances.
bool is_region(const event_index& index, std::string_view site);

/// Writes the resource of a site and its scope, up to the list of what the scope holds.
/// @param scopes "scopeSpans" or "scopeMetrics"
/// @param list "spans" or "metrics"
void write_otlp_site(json_stream& out, const run_export& x, const event_index& index,
                     std::string_view site, std::string_view scopes, std::string_view list);

} // namespace spillover
