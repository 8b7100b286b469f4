#include "report/comparison.hpp"

#include <nlohmann/json.hpp>

namespace spillover {

namespace {

// Keys stay in the order in which they are written.
using json = nlohmann::ordered_json;

template <class Range, class Function>
json list(const Range& from, Function make) {
  auto result = json::array();
  for (const auto& x : from)
    result.push_back(make(x));
  return result;
}

std::int64_t ns(instant x) {
  return x.time_since_epoch().count();
}

json run_json(const run_outline& x) {
  return {{"label", x.label},
          {"name", x.name},
          {"seed", x.seed},
          {"end_ns", ns(x.end)},
          {"warm_up_end_ns", ns(x.warm_up_end)},
          {"complete", x.complete},
          {"exit_code", x.exit_code},
          {"met", x.met},
          {"expected", x.expected}};
}

json value_json(const compared_value& x) {
  if (x.text.empty())
    return nullptr;
  return {
    {"text", x.text}, {"number", x.number ? json(*x.number) : json(nullptr)}, {"detail", x.detail}};
}

json section_json(const compared_section& x) {
  return {{"kind", x.kind},
          {"title", x.title},
          {"unit", x.unit},
          {"differs", x.differs()},
          {"rows", list(x.rows, [](const compared_row& row) -> json {
             return {{"name", row.name},
                     {"a", value_json(row.a)},
                     {"b", value_json(row.b)},
                     {"change", row.change},
                     {"grade", to_string(row.grade)}};
           })}};
}

json event_json(const told_event& x) {
  return {{"id", x.id},          {"at_ns", ns(x.at)},      {"entity", x.entity},
          {"kind", x.kind},      {"sentence", x.sentence}, {"numbers", x.numbers},
          {"by_time", x.by_time}};
}

json side_json(const parting_side& x) {
  if (!x.what)
    return nullptr;
  return {
    {"event", event_json(*x.what)}, {"later", x.later}, {"causes", list(x.causes, event_json)}};
}

json parting_json(const std::optional<parting>& x) {
  if (!x)
    return nullptr;
  return {{"at_ns", ns(x->at)}, {"a", side_json(x->a)}, {"b", side_json(x->b)}};
}

json change_json(const scenario_change& x) {
  return {{"path", x.path}, {"change", x.only_a ? "only_a" : x.only_b ? "only_b" : "changed"},
          {"a", x.a_value}, {"b", x.b_value},
          {"a_text", x.a},  {"b_text", x.b}};
}

json document(const comparison& x) {
  return {{"version", 1},
          {"a", run_json(x.a)},
          {"b", run_json(x.b)},
          {"same", x.same},
          {"headline", x.headline},
          {"notes", x.notes},
          {"sections", list(x.sections, section_json)},
          {"first_health", parting_json(x.first_health)},
          {"first_decision", parting_json(x.first_decision)},
          {"first_event", parting_json(x.first_event)},
          {"scenario_changes", list(x.changes, change_json)}};
}

} // namespace

std::string to_json(const comparison& x) {
  return document(x).dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string comparison_page_data(const comparison& x, std::string_view data_of_a,
                                 std::string_view data_of_b) {
  std::string result = R"({"version":1,"comparison":)";
  result += document(x).dump(-1, ' ', false, json::error_handler_t::replace);
  result.append(",\"runs\":[").append(data_of_a).append(",").append(data_of_b).append("]}");
  return result;
}

} // namespace spillover
