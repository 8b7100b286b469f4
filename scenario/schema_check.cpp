#include "model/check.hpp"
#include "scenario/schema.hpp"
#include "scenario/values.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace spillover {

namespace {

using json = nlohmann::json;

std::string quoted(std::string text) {
  constexpr std::size_t longest = 60;
  if (text.size() > longest) {
    auto end = longest;
    while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
      --end; // not inside a character
    text = text.substr(0, end) + "...";
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return "\"" + text + "\"";
}

std::string shown(const yaml_node& x) {
  using type = yaml_node::type;
  switch (x.is) {
    case type::null: return "nothing";
    case type::list: return "a list";
    case type::mapping: return "a mapping";
    case type::text: return quoted(x.text);
    default: return x.text;
  }
}

bool has_type(const yaml_node& x, std::string_view type) {
  return (type == "object" && x.is_mapping()) || (type == "array" && x.is_list())
         || (type == "string" && x.is_text()) || (type == "number" && x.is_number())
         || (type == "integer" && x.is == yaml_node::type::integer)
         || (type == "boolean" && x.is == yaml_node::type::boolean);
}

std::string words_for(const json& schema) {
  if (const auto title = schema.find("title"); title != schema.end())
    return *title;
  const std::string type = schema.at("type");
  if (type == "object")
    return "a mapping";
  if (type == "array")
    return "a list";
  if (type == "string")
    return "a text";
  if (type == "integer")
    return "a whole number";
  return type == "boolean" ? "true or false" : "a number";
}

std::vector<std::string> keys_of(const json& x) {
  std::vector<std::string> result;
  for (const auto& [key, value] : x.items())
    result.push_back(key);
  return result;
}

class checker {
public:
  explicit checker(problem_list& problems) : problems_(problems) {}

  // `key` is the key that the value stands under, for messages.
  void check(yaml_node& x, const json& schema, const std::string& key);

private:
  void fail(yaml_node& x, const std::string& key, const std::string& message) {
    x.bad = true;
    problems_.add(x.at, key.empty() ? message : key + ": " + message);
  }

  void check_text(yaml_node& x, const json& schema, const std::string& key);
  void check_duration(yaml_node& x, const json& schema, const std::string& key);
  void check_bounds(yaml_node& x, const json& schema, const std::string& key, double value);
  void check_list(yaml_node& x, const json& schema, const std::string& key);
  void check_mapping(yaml_node& x, const json& schema, const std::string& key);
  void check_member(yaml_member& x, const json& schema);
  bool check_required(yaml_node& x, const json& schema, const std::string& key);

  problem_list& problems_;
};

void checker::check(yaml_node& x, const json& schema, const std::string& key) {
  const auto& type = schema.at("type");
  const auto fits =
    type.is_array()
      ? std::any_of(type.begin(), type.end(),
                    [&x](const auto& y) { return has_type(x, y.template get<std::string>()); })
      : has_type(x, type.get<std::string>());
  if (!fits)
    return fail(x, key, "must be " + words_for(schema) + "; got " + shown(x));
  if (x.is_text())
    check_text(x, schema, key);
  else if (x.is_number())
    check_bounds(x, schema, key, x.number);
  else if (x.is_list())
    check_list(x, schema, key);
  else if (x.is_mapping())
    check_mapping(x, schema, key);
}

void checker::check_text(yaml_node& x, const json& schema, const std::string& key) {
  if (const auto allowed = schema.find("enum"); allowed != schema.end()) {
    const std::vector<std::string> names = *allowed;
    if (std::find(names.begin(), names.end(), x.text) != names.end())
      return;
    // Manual scaling is no policy of a revision, but of its service.
    if (key == "policy" && x.text == "manual")
      return fail(x, key,
                  "\"manual\" is no policy; the backend service has scaling: {manual_instances: N} "
                  "for it; allowed: "
                    + listing(names));
    return fail(x, key, "unknown value " + shown(x) + suggestion(x.text, names, "allowed"));
  }
  if (const auto longest = schema.find("maxLength"); longest != schema.end()) {
    // Counts characters, as the schema does.
    const auto length = std::count_if(x.text.begin(), x.text.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    });
    if (length > longest->get<std::ptrdiff_t>())
      fail(x, key, "must have at most " + longest->dump() + " characters");
  }
  const auto pattern = schema.find("pattern");
  if (pattern == schema.end())
    return;
  if (!matches_pattern(x.text, *pattern))
    return fail(x, key, "must be " + words_for(schema) + "; got " + shown(x));
  if (schema.contains("durationMinimum"))
    check_duration(x, schema, key);
  else if (const auto share = parse_percentage(x.text))
    check_bounds(x, schema, key, *share);
}

void checker::check_duration(yaml_node& x, const json& schema, const std::string& key) {
  const auto bound = [&schema](const char* name) {
    return parse_duration(schema.at(name).get<std::string>()).value();
  };
  const auto value = parse_duration(x.text);
  const auto least = bound("durationMinimum");
  const auto most = bound("durationMaximum");
  if (value && *value < least)
    return fail(x, key,
                (least == duration{1} ? std::string{"must be above 0s"}
                                      : "must be at least " + to_string(least))
                  + "; got " + x.text);
  if (!value || *value > most)
    return fail(x, key, "must be at most " + to_string(most) + "; got " + x.text);
  if (schema.contains("durationMultipleOf") && *value % bound("durationMultipleOf") != duration{})
    fail(x, key, "must be whole seconds; got " + x.text);
}

void checker::check_bounds(yaml_node& x, const json& schema, const std::string& key, double value) {
  const auto least = schema.find("minimum");
  const auto above = schema.find("exclusiveMinimum");
  const auto most = schema.find("maximum");
  const bool low = (least != schema.end() && value < least->get<double>())
                   || (above != schema.end() && value <= above->get<double>());
  const bool high = most != schema.end() && value > most->get<double>();
  if (!low && !high)
    return;
  std::string rule;
  if (above != schema.end())
    rule = "above " + above->dump();
  else if (least != schema.end())
    rule = (most == schema.end() ? "at least " : "between ") + least->dump();
  if (most != schema.end())
    rule += (above != schema.end() ? " and at most " : " and ") + most->dump();
  fail(x, key, "must be " + rule + "; got " + x.text);
}

void checker::check_list(yaml_node& x, const json& schema, const std::string& key) {
  const auto size = x.items.size();
  if (size < schema.value("minItems", std::size_t{0}))
    return fail(x, key,
                "must have at least " + schema.at("minItems").dump()
                  + (schema.at("minItems") == 1 ? " entry; got " : " entries; got ")
                  + std::to_string(size));
  if (schema.contains("maxItems") && size > schema.at("maxItems").get<std::size_t>())
    return fail(x, key,
                "must have at most " + schema.at("maxItems").dump() + " entries; got "
                  + std::to_string(size));
  for (std::size_t i = 0; i < size; ++i)
    check(x.items[i], schema.at("items"), key + "[" + std::to_string(i) + "]");
  if (!schema.value("uniqueItems", false))
    return;
  // Only lists of texts and of numbers are unique here.
  std::set<std::string> seen;
  for (auto& y : x.items)
    if ((y.is_text() || y.is_number()) && !seen.insert(y.text).second)
      fail(y, key, shown(y) + " stands here twice");
}

bool checker::check_required(yaml_node& x, const json& schema, const std::string& key) {
  const auto prefix = key.empty() ? std::string{} : key + ": ";
  if (const auto names = schema.find("required"); names != schema.end())
    for (const auto& name : *names)
      if (x.find(name.get<std::string>()) == nullptr)
        problems_.add(x.at, prefix + "the key " + name.get<std::string>() + " is missing");
  const auto choices = schema.find("oneOf");
  if (choices == schema.end())
    return true;
  std::string words;
  int matches = 0;
  for (const auto& choice : *choices) {
    std::string all;
    bool match = true;
    for (const auto& name : choice.at("required")) {
      all += (all.empty() ? "" : " and ") + name.get<std::string>();
      match = match && x.find(name.get<std::string>()) != nullptr;
    }
    words += (words.empty() ? "" : "; ") + all;
    matches += match ? 1 : 0;
  }
  if (matches != 1)
    fail(x, key, "needs exactly one of: " + words);
  return matches == 1;
}

void checker::check_mapping(yaml_node& x, const json& schema, const std::string& key) {
  const auto size = x.members.size();
  const auto most = schema.find("maxProperties");
  for (auto& member : x.members)
    check_member(member, schema);
  if (size < schema.value("minProperties", std::size_t{0})
      || (most != schema.end() && size > most->get<std::size_t>())) {
    if (schema.contains("properties"))
      fail(x, key,
           (most == schema.end() ? "needs at least one of: " : "needs exactly one of: ")
             + listing(keys_of(schema.at("properties"))));
    else if (size == 0)
      fail(x, key, "must have at least 1 entry");
    else
      fail(x, key, "must have at most " + most->dump() + " entries; got " + std::to_string(size));
  }
  check_required(x, schema, key);
}

void checker::check_member(yaml_member& x, const json& schema) {
  const auto& more = schema.at("additionalProperties");
  const auto properties = schema.find("properties");
  if (properties != schema.end() && properties->contains(x.key))
    return check(x.value, properties->at(x.key), x.key);
  if (more.is_boolean()) {
    x.value.bad = true;
    problems_.add(x.key_at, "unknown key " + quoted(x.key)
                              + suggestion(x.key, keys_of(*properties), "allowed"));
    return;
  }
  const auto& names = schema.at("propertyNames");
  if (!matches_pattern(x.key, names.at("pattern"))) {
    x.value.bad = true;
    problems_.add(x.key_at, quoted(x.key) + " must be " + words_for(names));
    return;
  }
  check(x.value, more, x.key);
}

// The schema has no definition that refers to itself.
json expand(const json& x) {
  if (x.is_array()) {
    auto result = json::array();
    for (const auto& y : x)
      result.push_back(expand(y));
    return result;
  }
  if (!x.is_object())
    return x;
  auto result = json::object();
  if (const auto reference = x.find("$ref"); reference != x.end()) {
    const json::json_pointer place{reference->get<std::string>().substr(1)}; // after the #
    result = expand(scenario_schema().at(place));
  }
  for (const auto& [key, value] : x.items())
    if (key != "$ref" && key != "definitions")
      result[key] = expand(value);
  return result;
}

} // namespace

const json& scenario_schema() {
  static const auto result = json::parse(scenario_schema_text());
  return result;
}

const json& expanded_schema() {
  static const auto result = expand(scenario_schema());
  return result;
}

void check_definition(yaml_node& root, const std::string& definition, problem_list& problems) {
  checker{problems}.check(root, expand(scenario_schema().at("definitions").at(definition)), {});
}

void check_schema(yaml_node& root, problem_list& problems) {
  checker{problems}.check(root, expanded_schema(), {});
}

} // namespace spillover
