#include "report/event_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <istream>
#include <limits>
#include <type_traits>
#include <utility>

namespace spillover {

namespace {

// Keeps the order of an object's keys, which the inputs of a decision need.
using json = nlohmann::ordered_json;

bool read_value(const json& from, bool& to) {
  if (!from.is_boolean())
    return false;
  to = from.get<bool>();
  return true;
}

template <std::integral T>
bool read_value(const json& from, T& to) {
  if (from.is_number_unsigned()) {
    const auto value = from.get<std::uint64_t>();
    to = static_cast<T>(value);
    return value <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
  }
  if (!from.is_number_integer() || std::is_unsigned_v<T>)
    return false;
  const auto value = from.get<std::int64_t>();
  to = static_cast<T>(value);
  return value >= static_cast<std::int64_t>(std::numeric_limits<T>::min());
}

bool read_value(const json& from, duration& to) {
  duration::rep count = 0;
  const auto good = read_value(from, count);
  to = duration{count};
  return good && count >= 0;
}

bool read_value(const json& from, std::string& to) {
  if (!from.is_string())
    return false;
  to = from.get<std::string>();
  return true;
}

/// Reads a name of an enumeration whose values count up from 0 to `last`.
template <class Enum>
bool read_name(const json& from, Enum last, Enum& to) {
  if (!from.is_string())
    return false;
  const auto& name = from.get_ref<const std::string&>();
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    to = static_cast<Enum>(i);
    if (to_string(to) == name)
      return true;
  }
  return false;
}

bool read_value(const json& from, health& to) {
  return read_name(from, health::unhealthy, to);
}

bool read_value(const json& from, instance_state& to) {
  return read_name(from, instance_state::stopped, to);
}

bool read_value(const json& from, ejection_type& to) {
  return read_name(from, ejection_type::failure_percentage_local_origin, to);
}

bool read_value(const json& from, outlier_action& to) {
  return read_name(from, outlier_action::spared, to);
}

bool read_value(const json& from, connectivity& to) {
  return read_name(from, connectivity::transient_failure, to);
}

bool read_value(const json& from, connection_reason& to) {
  return read_name(from, connection_reason::idle_timeout, to);
}

template <class T>
bool read_value(const json& from, std::array<T, outcome_count>& to) {
  if (!from.is_object())
    return false;
  to.fill(0);
  for (const auto& [name, count] : from.items()) {
    outcome how{};
    if (!read_name(json(name), outcome::lost, how)
        || !read_value(count, to[static_cast<std::size_t>(how)]))
      return false;
  }
  return true;
}

bool read_value(const json& from, std::vector<std::pair<std::uint32_t, std::uint64_t>>& to) {
  if (!from.is_array())
    return false;
  to.clear();
  for (const auto& pair : from) {
    auto& [bucket, count] = to.emplace_back();
    if (!pair.is_array() || pair.size() != 2 || !read_value(pair[0], bucket)
        || !read_value(pair[1], count))
      return false;
  }
  return true;
}

bool read_value(const json& from, std::vector<std::pair<std::string, std::int64_t>>& to) {
  if (!from.is_object())
    return false;
  to.clear();
  for (const auto& [name, number] : from.items()) {
    to.emplace_back(name, 0);
    if (!read_value(number, to.back().second))
      return false;
  }
  return true;
}

bool read_id(std::string_view from, const std::vector<std::string>& sites, event_id& to) {
  // Names of sites hold no '#', but nothing is lost by looking for the last one.
  const auto hash = from.rfind('#');
  if (hash == std::string_view::npos)
    return false;
  const auto site = std::find(sites.begin(), sites.end(), from.substr(0, hash));
  if (site == sites.end())
    return false;
  to.site = static_cast<std::uint16_t>(site - sites.begin());
  const auto* const end = from.data() + from.size();
  const auto [rest, error] = std::from_chars(from.data() + hash + 1, end, to.number);
  return error == std::errc{} && rest == end && to.number > 0;
}

/// @returns whether logs of older runs lack a field; what they do not say is its default.
bool came_later(std::string_view field) noexcept {
  return field == "billed_milli" || field == "billed_idle_milli";
}

bool belongs(std::string_view entity, std::string_view site) noexcept {
  return entity.substr(0, entity.find('/')) == site;
}

/// Makes the alternative of `payload` whose kind is `kind`.
template <std::size_t I = 0>
bool make_payload(std::string_view kind, payload& to) {
  if constexpr (I < std::variant_size_v<payload>) {
    if (std::variant_alternative_t<I, payload>::kind != kind)
      return make_payload<I + 1>(kind, to);
    to.emplace<I>();
    return true;
  } else {
    return false;
  }
}

std::string read_event(const json& line, const std::vector<std::string>& sites, event& to) {
  std::string problem;
  const auto read = [&line, &problem](std::string_view name, auto& value) {
    const auto field = line.find(std::string{name});
    if (!problem.empty())
      return;
    if (field == line.end())
      problem = came_later(name) ? "" : "no " + std::string{name};
    else if (!read_value(*field, value))
      problem = std::string{name} + ": cannot be "
                + field->dump(-1, ' ', false, json::error_handler_t::replace);
  };
  std::string id, cause, kind;
  duration at{};
  read("id", id);
  read("at_ns", at);
  read("entity", to.entity);
  read("kind", kind);
  if (line.contains("cause"))
    read("cause", cause);
  if (!problem.empty())
    return problem;
  to.at = instant{at};
  if (!read_id(id, sites, to.id))
    return "id: " + id + " is not a site of this log and a number";
  if (!cause.empty() && !read_id(cause, sites, to.cause))
    return "cause: " + cause + " is not a site of this log and a number";
  if (!belongs(to.entity, sites[to.id.site]))
    return "entity: " + to.entity + " does not belong to the site of " + id;
  if (!make_payload(kind, to.what))
    return "kind: there is no " + kind;
  std::visit([&read](auto& what) { what.fields(read, what); }, to.what);
  return problem;
}

/// @returns the line as an object, or null with the problem.
json parse_object(std::string_view line, std::string& problem) {
  auto result = json::parse(line, nullptr, false);
  if (result.is_object())
    return result;
  problem = "not a JSON object";
  return {};
}

struct log_header {
  std::vector<std::string> sites;
  bool joined = false;
};

std::optional<log_header> read_header(std::string_view line, std::string& problem) {
  const auto header = parse_object(line, problem);
  if (header.is_null())
    return std::nullopt;
  std::uint32_t version = 0;
  const auto kind = header.find("kind");
  if (kind == header.end() || *kind != "event_log" || !header.contains("version")
      || !read_value(header["version"], version) || version != 1 || !header.contains("sites")) {
    problem = "not the head of an event log of version 1";
    return std::nullopt;
  }
  log_header result;
  for (const auto& site : header["sites"]) {
    if (!read_value(site, result.sites.emplace_back()) || result.sites.size() > 0xffff) {
      problem = "sites: must be at most 65,535 names";
      return std::nullopt;
    }
  }
  if (header.contains("joined") && !read_value(header["joined"], result.joined)) {
    problem = "joined: must be true or false";
    return std::nullopt;
  }
  return result;
}

} // namespace

std::optional<event> parse_event(std::string_view line, const std::vector<std::string>& sites,
                                 std::string& problem) {
  const auto object = parse_object(line, problem);
  if (object.is_null())
    return std::nullopt;
  event result;
  problem = read_event(object, sites, result);
  if (!problem.empty())
    return std::nullopt;
  return result;
}

std::optional<event_log> read_event_log(std::istream& in, std::string& problem, last_line end) {
  std::string line;
  std::size_t number = 1;
  const auto fail = [&] {
    problem = "line " + std::to_string(number) + ": " + problem;
    return std::nullopt;
  };
  if (!std::getline(in, line)) {
    problem = "empty";
    return fail();
  }
  const auto header = read_header(line, problem);
  if (!header)
    return fail();
  const auto& sites = header->sites;
  event_log result{sites};
  while (std::getline(in, line)) {
    ++number;
    // The line end is what the writer writes last.
    if (in.eof() && end == last_line::may_break_off)
      break;
    auto x = parse_event(line, sites, problem);
    if (!x)
      return fail();
    if (x->cause && result.find(x->cause) == nullptr) {
      problem = "cause: " + to_string(x->cause, sites) + " does not come before its effect "
                + to_string(x->id, sites);
      return fail();
    }
    if (header->joined) {
      if (result.record_as(x->id, x->at, x->entity, x->cause, std::move(x->what)))
        continue;
      problem = "id: " + to_string(x->id, sites) + " comes twice";
      return fail();
    }
    const auto id = result.record(x->at, x->entity, x->cause, std::move(x->what));
    if (id != x->id) {
      problem = "id: " + to_string(x->id, sites) + " where " + to_string(id, sites) + " comes next";
      return fail();
    }
  }
  problem.clear();
  return result;
}

} // namespace spillover
