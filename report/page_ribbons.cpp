#include "report/cause_chain.hpp"
#include "report/page_parts.hpp"

#include <map>
#include <tuple>
#include <utility>

namespace spillover {

namespace {

/// Collects the rows, in the order in which people look for them.
class ribbon_book {
public:
  explicit ribbon_book(const event_index& index) : log_(index.log()) {}

  /// Takes a change of state into account.
  /// @param group what the row stands under, e.g. "us-east1/checkout"
  /// @param rank of the row's kind within its group
  void add(const std::string& group, int rank, const char* kind, const std::string& entity,
           const event& x, const std::string& before, const std::string& after) {
    auto& row = rows_[{group, rank, natural(entity)}];
    if (row.empty())
      row = {{"group", group}, {"kind", kind}, {"entity", entity}, {"runs", page_json::array()}};
    auto& runs = row["runs"];
    if (runs.empty() && !before.empty()) {
      const auto began = beginnings_.find(entity);
      const auto since = began == beginnings_.end() ? run_start : began->second;
      if (x.at > since)
        runs.push_back({microseconds(since), before, ""});
    }
    // Two changes in one instant: what was between them lasted no time.
    if (!runs.empty() && runs.back()[0] == microseconds(x.at))
      runs.erase(runs.size() - 1);
    runs.push_back({microseconds(x.at), after, to_string(x.id, log_.sites())});
  }

  /// An instance begins to be; before that its endpoint has no state.
  void begin(const std::string& entity, instant at) { beginnings_.try_emplace(entity, at); }

  /// An instance is gone, and so is its endpoint.
  void end(const std::string& group, int rank, const std::string& entity, const event& x) {
    const auto row = rows_.find({group, rank, natural(entity)});
    if (row == rows_.end())
      return;
    row->second["runs"].push_back({microseconds(x.at), "", to_string(x.id, log_.sites())});
  }

  [[nodiscard]] page_json take() {
    auto result = page_json::array();
    for (auto& [key, row] : rows_)
      result.push_back(std::move(row));
    return result;
  }

private:
  /// @returns the name with numbers filled up, so that 10 comes after 9.
  static std::string natural(const std::string& name) {
    std::string result;
    std::string digits;
    const auto flush = [&] {
      if (!digits.empty())
        result.append(digits.size() < 8 ? 8 - digits.size() : 0, '0').append(digits);
      digits.clear();
    };
    for (const auto c : name) {
      if (c >= '0' && c <= '9') {
        digits += c;
        continue;
      }
      flush();
      result += c;
    }
    flush();
    return result;
  }

  const event_log& log_;
  std::map<std::string, instant, std::less<>> beginnings_;
  std::map<std::tuple<std::string, int, std::string>, page_json> rows_;
};

/// Places of the kinds within a group.
enum rank : int { of_composite, of_source, of_endpoint, of_route, of_neg };

/// @returns the first two parts of a path, e.g. "us-east1/checkout" of "us-east1/checkout/web/7".
std::string service_of(std::string_view path) {
  const auto first = path.find('/');
  const auto second = first == std::string_view::npos ? first : path.find('/', first + 1);
  return std::string{path.substr(0, second)};
}

std::string name_of(health x) {
  return std::string{to_string(x)};
}

} // namespace

page_json ribbons_json(const event_index& index) {
  ribbon_book book{index};
  for (const auto& x : index.log().events()) {
    const auto group = service_of(x.entity);
    if (const auto* composite = std::get_if<composite_changed>(&x.what))
      book.add(group, of_composite, "composite", x.entity, x, name_of(composite->before),
               name_of(composite->after));
    else if (const auto* source = std::get_if<source_changed>(&x.what))
      book.add(group, of_source, "source", x.entity, x, name_of(source->before),
               name_of(source->after));
    else if (const auto* endpoint = std::get_if<endpoint_changed>(&x.what))
      book.add(group, of_endpoint, "endpoint", x.entity, x, name_of(endpoint->before),
               name_of(endpoint->after));
    else if (const auto* instance = std::get_if<instance_changed>(&x.what)) {
      if (instance->before == instance_state::stopped)
        book.begin(x.entity, x.at);
      else if (instance->after == instance_state::stopped)
        book.end(group, of_endpoint, x.entity, x);
    } else if (const auto* route = std::get_if<routing_changed>(&x.what))
      book.add(std::string{first_part(x.entity)}, of_route, "route", x.entity, x, route->before,
               route->after);
    else if (const auto* neg = std::get_if<neg_changed>(&x.what))
      book.add(std::string{first_part(x.entity)}, of_neg, "neg", x.entity + " " + neg->region, x,
               name_of(neg->before), name_of(neg->after));
  }
  return book.take();
}

page_json faults_json(const event_index& index) {
  auto result = page_json::array();
  for (const auto* x : index.all<fault_started>()) {
    const auto& fault = payload_of<fault_started>(x);
    const auto end = end_of_fault(index, *x);
    result.push_back({{"from_us", microseconds(x->at)},
                      {"to_us", end ? page_json(microseconds(*end)) : page_json{}},
                      {"name", fault.name},
                      {"words", words_of_fault(index, *x)},
                      {"target", fault.target},
                      {"event", to_string(x->id, index.log().sites())}});
  }
  return result;
}

} // namespace spillover
