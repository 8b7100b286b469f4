#include "sites/plan_messages.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace spillover {

namespace {

using json = nlohmann::json;

/// Reads a body with `read`, which may throw what nlohmann throws.
template <class T, class F>
std::optional<T> read_with(std::string_view body, F&& read) {
  try {
    return read(json::parse(body));
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

json to_value(const net::endpoints& x) {
  return {
    {"data", x.data}, {"health", x.health}, {"control", x.control}, {"telemetry", x.telemetry}};
}

net::endpoints endpoints_of(const json& x) {
  return {x.at("data"), x.at("health"), x.at("control"), x.at("telemetry")};
}

json to_value(const address_book& x) {
  auto result = json::object();
  for (const auto& [site, at] : x)
    result[site] = to_value(at);
  return result;
}

address_book peers_of(const json& x) {
  address_book result;
  for (const auto& [site, at] : x.get_ref<const json::object_t&>())
    result[site] = endpoints_of(at);
  return result;
}

json to_value(const live_fault& x) {
  return {{"number", x.number},
          {"text", x.text},
          {"at_ns", x.at.time_since_epoch().count()},
          {"cause_site", x.cause.site},
          {"cause", x.cause.number}};
}

live_fault fault_of(const json& x) {
  return {x.at("number"),
          x.at("text"),
          instant{duration{x.at("at_ns").get<std::int64_t>()}},
          {x.at("cause_site"), x.at("cause")}};
}

} // namespace

std::string write(const join_message& x) {
  return json{{"at", to_value(x.at)}}.dump();
}

std::optional<join_message> read_join(std::string_view body) {
  return read_with<join_message>(
    body, [](const json& x) { return join_message{endpoints_of(x.at("at"))}; });
}

std::string write(const plan_message& x) {
  auto faults = json::array();
  for (const auto& y : x.faults)
    faults.push_back(to_value(y));
  return json{{"process", x.process},         {"peers", to_value(x.peers)},   {"speed", x.speed},
              {"incarnation", x.incarnation}, {"first_event", x.first_event}, {"late", x.late},
              {"start_real", x.start_real},   {"faults", std::move(faults)},  {"lifted", x.lifted}}
    .dump();
}

std::optional<plan_message> read_plan(std::string_view body) {
  return read_with<plan_message>(body, [](const json& x) {
    plan_message result{x.at("process"),     peers_of(x.at("peers")),
                        x.at("speed"),       x.at("incarnation"),
                        x.at("first_event"), x.at("late"),
                        x.at("start_real"),  {},
                        x.at("lifted")};
    for (const auto& y : x.at("faults").get_ref<const json::array_t&>())
      result.faults.push_back(fault_of(y));
    return result;
  });
}

std::string write(const address_book& x) {
  return to_value(x).dump();
}

std::optional<address_book> read_peers(std::string_view body) {
  return read_with<address_book>(body, peers_of);
}

std::string write(const live_fault& x) {
  return to_value(x).dump();
}

std::optional<live_fault> read_fault(std::string_view body) {
  return read_with<live_fault>(body, fault_of);
}

std::string write_number(std::int64_t x) {
  return std::to_string(x);
}

std::optional<std::int64_t> read_number(std::string_view body) {
  std::int64_t result = 0;
  const auto* const end = body.data() + body.size();
  const auto [rest, error] = std::from_chars(body.data(), end, result);
  if (error != std::errc{} || rest != end)
    return std::nullopt;
  return result;
}

std::string write(const finished_message& x) {
  return json{{"on_the_way", x.on_the_way}, {"lines", x.lines}, {"casualties", x.casualties}}
    .dump();
}

std::optional<finished_message> read_finished(std::string_view body) {
  return read_with<finished_message>(body, [](const json& x) {
    return finished_message{x.at("on_the_way"), x.at("lines"), x.at("casualties")};
  });
}

std::string write(const remains_message& x) {
  auto result =
    json{{"process", x.process}, {"first", x.batch.first}, {"previous", x.batch.previous}}.dump();
  for (const auto& line : x.batch.lines)
    result.append("\n").append(line);
  return result;
}

std::optional<remains_message> read_remains(std::string_view body) {
  const auto head = std::min(body.find('\n'), body.size());
  auto result = read_with<remains_message>(body.substr(0, head), [](const json& x) {
    return remains_message{x.at("process"), {x.at("first"), x.at("previous"), {}}};
  });
  while (result && body.find('\n') != std::string_view::npos) {
    body.remove_prefix(body.find('\n') + 1);
    result->batch.lines.emplace_back(body.substr(0, body.find('\n')));
  }
  return result;
}

std::string write(const std::vector<kept_request>& x) {
  auto result = json::array();
  for (const auto& y : x)
    result.push_back({y.what.consumer, y.what.number, y.what.intended.time_since_epoch().count(),
                      y.what.ended.time_since_epoch().count(), static_cast<unsigned>(y.what.how),
                      y.what.tries, y.failed, y.slow, y.sampled});
  return result.dump();
}

std::optional<std::vector<kept_request>> read_kept(std::string_view body) {
  return read_with<std::vector<kept_request>>(body, [](const json& x) {
    std::vector<kept_request> result;
    for (const auto& y : x.get_ref<const json::array_t&>()) {
      const auto how = y.at(4).get<unsigned>();
      if (how >= outcome_count)
        throw json::out_of_range::create(401, "no such outcome", &y);
      result.push_back(
        {{y.at(0), y.at(1), instant{duration{y.at(2).get<std::int64_t>()}},
          instant{duration{y.at(3).get<std::int64_t>()}}, static_cast<outcome>(how), y.at(5)},
         y.at(6),
         y.at(7),
         y.at(8)});
    }
    return result;
  });
}

std::int64_t real_now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
           std::chrono::system_clock::now().time_since_epoch())
    .count();
}

} // namespace spillover
