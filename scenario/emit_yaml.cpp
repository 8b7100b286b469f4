#include "scenario/emit_yaml.hpp"

#include "scenario/values.hpp"
#include "scenario/yaml_tree.hpp"

#include <algorithm>
#include <optional>

namespace spillover {

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t line_length = 100;

// Everything that means nothing but itself, in blocks and in flows.
bool is_plain(const std::string& x) {
  const auto harmless = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'
           || c == '_' || c == '.' || c == '/' || c == '%';
  };
  return !x.empty() && std::all_of(x.begin(), x.end(), harmless) && x.front() != '-'
         && x.front() != '.' && x.front() != '%' && plain_scalar(x).is_text();
}

std::string scalar(const json& x) {
  if (x.is_number_float())
    return format_number(x.get<double>());
  if (!x.is_string() || !is_plain(x.get<std::string>()))
    return x.dump(); // a JSON text is a double-quoted YAML text
  return x.get<std::string>();
}

std::string key_text(const std::string& key) {
  return is_plain(key) ? key : json(key).dump();
}

// All in one line.
std::string flow(const json& x) {
  if (!x.is_structured())
    return scalar(x);
  std::string result;
  for (const auto& [key, value] : x.items()) {
    result += result.empty() ? "" : ", ";
    if (x.is_object())
      result += key_text(key) + ": ";
    result += flow(value);
  }
  return x.is_object() ? "{" + result + "}" : "[" + result + "]";
}

// Levels of mappings; more than two in a line are hard to read.
int nesting(const json& x) {
  int result = 0;
  if (x.is_structured())
    for (const auto& y : x)
      result = std::max(result, nesting(y));
  return result + (x.is_object() ? 1 : 0);
}

// What stands after "key:" or "-" if it fits there.
std::optional<std::string> in_line(const json& x, std::size_t used) {
  if (x.is_structured() && !x.empty() && nesting(x) > 3)
    return std::nullopt;
  auto result = flow(x);
  if (x.is_structured() && !x.empty() && used + result.size() > line_length)
    return std::nullopt;
  return result;
}

void block(std::string& out, const json& x, std::size_t indent) {
  const std::string margin(indent, ' ');
  for (const auto& [key, value] : x.items()) {
    const auto head = margin + (x.is_object() ? key_text(key) + ":" : "-");
    // The top level is easier to read with each section in a block.
    const auto line = in_line(value, head.size() + 1);
    if (line && (indent > 0 || !value.is_object() || value.empty())) {
      out += head + " " + *line + "\n";
    } else if (x.is_object()) {
      out += head + "\n";
      block(out, value, indent + 2);
    } else {
      // The first key stands beside the dash.
      std::string item;
      block(item, value, indent + 2);
      out += head + item.substr(indent + 1);
    }
  }
}

} // namespace

std::string emit_yaml(const json& x) {
  std::string result;
  block(result, x, 0);
  return result;
}

} // namespace spillover
