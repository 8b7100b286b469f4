#include "model/check.hpp"
#include "report/event_details.hpp"
#include "report/event_log.hpp"
#include "report/event_pattern.hpp"
#include "report/json_text.hpp"

#include <ostream>
#include <type_traits>

namespace spillover {

namespace {

void append_id(std::string& out, std::string_view key, event_id x,
               const std::vector<std::string>& sites) {
  SPILLOVER_CHECK(x.site < sites.size());
  out += key;
  // The name of a site is a valid YAML name, but a reader of foreign files may have met others.
  append_json_string(out, sites[x.site]);
  out.back() = '#';
  append_integer(out, x.number);
  out += '"';
}

void append_value(std::string& out, bool x) {
  out += x ? "true" : "false";
}

template <std::integral T>
void append_value(std::string& out, T x) {
  append_integer(out, x);
}

void append_value(std::string& out, duration x) {
  append_integer(out, x.count());
}

void append_value(std::string& out, const std::string& x) {
  append_json_string(out, x);
}

template <class T>
requires std::is_enum_v<T>
void append_value(std::string& out, T x) {
  append_json_string(out, to_string(x));
}

template <class T>
void append_value(std::string& out, const std::array<T, outcome_count>& ended) {
  out += '{';
  for (std::size_t i = 0; i < ended.size(); ++i) {
    if (ended[i] == 0)
      continue;
    if (out.back() != '{')
      out += ',';
    append_json_string(out, to_string(static_cast<outcome>(i)));
    out += ':';
    append_integer(out, ended[i]);
  }
  out += '}';
}

void append_value(std::string& out,
                  const std::vector<std::pair<std::uint32_t, std::uint64_t>>& buckets) {
  out += '[';
  for (const auto& [bucket, count] : buckets) {
    if (out.back() != '[')
      out += ',';
    out += '[';
    append_integer(out, bucket);
    out += ',';
    append_integer(out, count);
    out += ']';
  }
  out += ']';
}

void append_value(std::string& out,
                  const std::vector<std::pair<std::string, std::int64_t>>& numbers) {
  out += '{';
  for (const auto& [name, value] : numbers) {
    if (out.back() != '{')
      out += ',';
    append_json_string(out, name);
    out += ':';
    append_integer(out, value);
  }
  out += '}';
}

void append_event(std::string& out, const event& x, const std::vector<std::string>& sites) {
  append_id(out, "{\"id\":", x.id, sites);
  out += ",\"at_ns\":";
  append_integer(out, x.at.time_since_epoch().count());
  out += ",\"entity\":";
  append_json_string(out, x.entity);
  out += ",\"kind\":\"";
  out += kind_of(x);
  out += '"';
  if (x.cause)
    append_id(out, ",\"cause\":", x.cause, sites);
  const auto append_field = [&out](std::string_view name, const auto& value) {
    out += ",\"";
    out += name;
    out += "\":";
    append_value(out, value);
  };
  std::visit([&](const auto& what) { what.fields(append_field, what); }, x.what);
  out += '}';
}

} // namespace

std::string to_json(const event& x, const std::vector<std::string>& sites) {
  std::string result;
  append_event(result, x, sites);
  return result;
}

void append_event_details(std::string& out, const event& x) {
  out += '{';
  const auto append_field = [&out](std::string_view name, const auto& value) {
    if (out.back() != '{')
      out += ',';
    append_json_string(out, name);
    out += ':';
    append_value(out, value);
  };
  std::visit([&](const auto& what) { what.fields(append_field, what); }, x.what);
  out += '}';
}

std::vector<std::pair<std::string_view, std::string>> fields_of(const event& x) {
  std::vector<std::pair<std::string_view, std::string>> result;
  const auto add = [&result](std::string_view name, const auto& field) {
    auto& [key, value] = result.emplace_back(name, std::string{});
    using field_type = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_same_v<field_type, std::string>)
      value = field;
    else if constexpr (std::is_enum_v<field_type>)
      value = to_string(field);
    else
      append_value(value, field);
  };
  std::visit([&](const auto& what) { what.fields(add, what); }, x.what);
  return result;
}

void append_event_line(std::string& out, const event& x, const std::vector<std::string>& sites) {
  append_event(out, x, sites);
  out += '\n';
}

std::string event_log_head(const std::vector<std::string>& sites, bool joined) {
  std::string result = "{\"kind\":\"event_log\",\"version\":1,";
  result += joined ? "\"joined\":true,\"sites\":[" : "\"sites\":[";
  for (const auto& site : sites) {
    if (result.back() != '[')
      result += ',';
    append_json_string(result, site);
  }
  return result + "]}\n";
}

std::string fields_text(const event& x) {
  std::string result;
  std::string value;
  const auto append_field = [&](std::string_view name, const auto& field) {
    if (!result.empty())
      result += ' ';
    result += name;
    result += '=';
    value.clear();
    append_value(value, field);
    const auto is_word = value.size() > 2 && value.front() == '"'
                         && value.find_first_of(" \\=", 1) == std::string::npos;
    result += is_word ? value.substr(1, value.size() - 2) : value;
  };
  std::visit([&](const auto& what) { what.fields(append_field, what); }, x.what);
  return result;
}

void write_event_log(std::ostream& out, const event_log& log) {
  auto line = event_log_head(log.sites(), log.joined());
  for (const auto& x : log.events()) {
    append_event_line(line, x, log.sites());
    // A line is about 200 bytes; one write for each would cost more than making it.
    if (line.size() > 60'000) {
      out.write(line.data(), static_cast<std::streamsize>(line.size()));
      line.clear();
    }
  }
  out.write(line.data(), static_cast<std::streamsize>(line.size()));
}

} // namespace spillover
