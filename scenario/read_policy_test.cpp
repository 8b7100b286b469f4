#include "scenario/fault_files.hpp"
#include "scenario/policy_test.hpp"
#include "scenario/read_health.hpp"
#include "scenario/schema.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace spillover {

namespace {

/// @returns the tree of a text that the definition allows; what is wrong is among the problems.
std::optional<yaml_node> parse_as(std::string_view text, const std::string& definition,
                                  problem_list& problems) {
  if (text.size() > max_scenario_bytes) {
    problems.add({}, "is larger than 1 MiB, the most that it may have");
    return std::nullopt;
  }
  // A byte order mark is no part of the text.
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    text.remove_prefix(3);
  if (const auto position = find_binary(text)) {
    problems.add(text_places{text}.at(*position), "is not a UTF-8 text file");
    return std::nullopt;
  }
  auto result = parse_yaml(text, problems);
  if (result)
    check_definition(*result, definition, problems);
  return result;
}

void read_thresholds(const section& from, aggregation_policy& into) {
  from.read("healthy_percent_threshold", into.healthy_percent_threshold);
  from.read("min_healthy_threshold", into.min_healthy_threshold);
}

policy_limits read_limits(const section& from) {
  policy_limits result;
  from.read("transitions_at_most", result.transitions);
  from.read("flaps_at_most", result.flaps);
  from.read("unhealthy_at_most", result.unhealthy);
  from.read("unnoticed_at_most", result.unnoticed);
  from.read("avoided_though_fine_at_most", result.avoided_though_fine);
  from.read("used_though_not_fine_at_most", result.used_though_not_fine);
  return result;
}

tested_policy read_candidate(const section& from, const std::string& name) {
  tested_policy result;
  auto& producer = result.producer;
  producer.name = name;
  read_thresholds(from, producer.aggregation);
  for (const auto& x : from.entries("sources")) {
    auto policy = producer.aggregation;
    read_thresholds({from.problems(), &x.value, x.value.at}, policy);
    producer.sources.emplace(x.key, policy);
    result.source_places.emplace(x.key, x.key_at);
  }
  if (from.has("health_check")) {
    const auto check = from.at("health_check");
    read_health_check(check, producer.health_check.emplace());
    for (const auto* key : {"no_traffic_interval", "unhealthy_interval", "unhealthy_edge_interval",
                            "healthy_edge_interval", "network_lag"})
      if (check.has(key))
        check.fail(key, "cannot be replayed: a dry run probes at fixed intervals");
    for (const auto* key : {"protocol", "error_decides"})
      if (check.has(key))
        check.fail(key, "cannot be replayed: a dry run does not know errors from refusals");
  }
  read_propagation(from.at("propagation"), producer.timing);
  result.consumer = read_failback(from);
  result.limits = read_limits(from.at("expect"));
  return result;
}

/// Which endpoints an entry names, from and to.
using number_range = std::pair<std::uint32_t, std::uint32_t>;

std::optional<number_range> read_range(const section& from) {
  const auto* x = from.find("endpoints");
  if (x == nullptr)
    return std::nullopt;
  if (!x->is_text())
    return number_range{static_cast<std::uint32_t>(x->integer),
                        static_cast<std::uint32_t>(x->integer)};
  number_range result;
  const auto* const end = x->text.data() + x->text.size();
  const auto first = std::from_chars(x->text.data(), end, result.first);
  std::from_chars(first.ptr + 1, end, result.second);
  if (result.first > result.second || result.second > 10'000) {
    from.fail("endpoints", "must be a range such as 1-10, up to 10000; got " + x->text);
    return std::nullopt;
  }
  return result;
}

std::optional<endpoint_condition> condition_of(std::string_view name) {
  for (const auto x :
       {endpoint_condition::answering, endpoint_condition::failing, endpoint_condition::silent})
    if (to_string(x) == name)
      return x;
  return std::nullopt;
}

/// Puts rows together to the histories of backend services.
class timeline_builder {
public:
  explicit timeline_builder(endpoint_timeline& into) : into_(into) {}

  void take(const section& row);
  void finish();

private:
  struct endpoint_key {
    std::string of;
    std::uint32_t number = 0;
    friend auto operator<=>(const endpoint_key&, const endpoint_key&) = default;
  };

  void take(const section& row, const std::string& of, std::uint32_t number,
            const endpoint_history::step& x);

  endpoint_timeline& into_;
  std::vector<std::string> backends_; // as they came
  std::vector<endpoint_key> order_;   // of endpoints, as they came
  std::map<endpoint_key, std::vector<endpoint_history::step>> steps_;
};

void timeline_builder::take(const section& row) {
  instant at{};
  std::string of;
  std::string are;
  row.read("at", at);
  row.read("of", of);
  row.read("are", are);
  const auto range = read_range(row);
  if (!range || !row.clean())
    return;
  if (at - run_start >= into_.lasts) {
    row.fail("at", "must be before the end (" + to_string(into_.lasts) + "); got "
                     + to_string(at - run_start));
    return;
  }
  if (std::find(backends_.begin(), backends_.end(), of) == backends_.end())
    backends_.push_back(of);
  for (auto number = range->first; number <= range->second; ++number)
    take(row, of, number, {at, condition_of(are)});
}

void timeline_builder::take(const section& row, const std::string& of, std::uint32_t number,
                            const endpoint_history::step& x) {
  endpoint_key key{of, number};
  auto& steps = steps_[key];
  const auto name = of + "/" + std::to_string(number);
  if (steps.empty() && !x.is) {
    row.fail("are", name + " cannot be gone before it was there");
  } else if (!steps.empty() && !steps.back().is) {
    row.fail("at", name + " is gone since " + to_string(steps.back().at - run_start)
                     + ", for good; a successor is another endpoint");
  } else if (!steps.empty() && x.at <= steps.back().at) {
    row.fail("at", "must be after what " + name + " was before ("
                     + to_string(steps.back().at - run_start) + "); got "
                     + to_string(x.at - run_start));
  } else {
    if (steps.empty())
      order_.push_back(std::move(key));
    steps.push_back(x);
  }
}

void timeline_builder::finish() {
  for (const auto& path : backends_) {
    backend_history history{path, {}};
    for (const auto& key : order_)
      if (key.of == path)
        history.endpoints.push_back({path + "/" + std::to_string(key.number), steps_[key]});
    // They draw their probers' phases in the order in which they came.
    std::stable_sort(history.endpoints.begin(), history.endpoints.end(),
                     [](const endpoint_history& a, const endpoint_history& b) {
                       return a.conditions.front().at < b.conditions.front().at;
                     });
    add_backend(into_, std::move(history));
  }
}

/// Takes the row with nothing but `at` out of the rows, and makes a mapping of the rest that is checked
/// as that of a YAML text is.
yaml_node tree_of_rows(yaml_node rows, problem_list& problems) {
  yaml_node result;
  result.is = yaml_node::type::mapping;
  const auto is_end = [](const yaml_node& x) {
    return x.members.size() == 1 && x.members.front().key == "at";
  };
  const auto end = std::find_if(rows.items.begin(), rows.items.end(), is_end);
  if (end == rows.items.end()) {
    if (problems.empty())
      problems.add(rows.at, "has no row with nothing but at, which says when the timeline ends");
    return result;
  }
  result.members.push_back({"duration", end->at, end->members.front().value});
  rows.items.erase(end);
  result.members.push_back({"endpoints", rows.at, std::move(rows)});
  return result;
}

} // namespace

std::variant<policy_test, std::vector<problem>> parse_policy_test(std::string_view text,
                                                                  const std::string& name) {
  problem_list problems{name};
  const auto tree = parse_as(text, "policy_test", problems);
  if (!tree)
    return problems.take();
  const section root{problems, &*tree, tree->at};
  policy_test result;
  root.read("fine", result.fine);
  root.read("flap_within", result.flap_within);
  for (const auto& x : root.entries("policies"))
    if (!x.value.bad)
      result.policies.push_back(read_candidate({problems, &x.value, x.value.at}, x.key));
  if (!problems.empty())
    return problems.take();
  return result;
}

std::vector<problem> unknown_sources(const policy_test& test, const endpoint_timeline& over,
                                     const std::string& name) {
  std::vector<std::string> known;
  for (const auto& service : over.services)
    for (const auto& region : service.regions)
      for (const auto& source : region.sources)
        known.push_back(source.path.substr(source.path.rfind('/') + 1));
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  problem_list problems{name};
  for (const auto& x : test.policies)
    for (const auto& [source, at] : x.source_places)
      if (!std::binary_search(known.begin(), known.end(), source))
        problems.add(at, source + ": is no backend service of " + over.name
                           + suggestion(source, known, "allowed"));
  return problems.take();
}

std::variant<endpoint_timeline, std::vector<problem>>
parse_endpoint_timeline(std::string_view text, const std::string& name, bool comma_separated) {
  problem_list problems{name};
  std::optional<yaml_node> tree;
  if (comma_separated) {
    tree = tree_of_rows(parse_fault_rows(text, 0, problems, 0, "row"), problems);
    if (problems.empty())
      check_definition(*tree, "endpoint_timeline", problems);
  } else {
    tree = parse_as(text, "endpoint_timeline", problems);
  }
  if (!tree)
    return problems.take();
  const section root{problems, &*tree, tree->at};
  endpoint_timeline result;
  result.name = name.substr(name.rfind('/') + 1);
  result.name = result.name.substr(0, result.name.rfind('.'));
  root.read("name", result.name);
  root.read("duration", result.lasts);
  timeline_builder builder{result};
  for (const auto& x : root.list("endpoints"))
    if (!x.bad && root.has("duration"))
      builder.take({problems, &x, x.at});
  if (!problems.empty())
    return problems.take();
  builder.finish();
  return result;
}

bool is_endpoint_timeline(std::string_view text) {
  problem_list ignored{""};
  if (text.size() > max_scenario_bytes || find_binary(text))
    return false;
  const auto tree = parse_yaml(text, ignored);
  return tree && tree->find("endpoints") != nullptr;
}

void add_backend(endpoint_timeline& into, backend_history x) {
  const auto first = x.path.find('/');
  const auto region = x.path.substr(0, first);
  const auto service = x.path.substr(first + 1, x.path.rfind('/') - first - 1);
  const auto find = [](auto& list, const auto& is) {
    return std::find_if(list.begin(), list.end(), is);
  };
  auto s = find(into.services, [&service](const auto& y) { return y.service == service; });
  if (s == into.services.end())
    s = into.services.insert(s, {service, {}});
  auto r = find(s->regions, [&region](const auto& y) { return y.region == region; });
  if (r == s->regions.end())
    r = s->regions.insert(r, {region, {}});
  r->sources.push_back(std::move(x));
}

} // namespace spillover
