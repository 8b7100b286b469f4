#include "scenario/schema.hpp"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include <exception>
#include <map>
#include <regex>

namespace spillover {

namespace {

const valijson::Schema& compiled_schema() {
  static const auto* const result = [] {
    auto* schema = new valijson::Schema;
    const valijson::adapters::NlohmannJsonAdapter text{scenario_schema()};
    valijson::SchemaParser{valijson::SchemaParser::kDraft7}.populateSchema(text, *schema);
    return schema;
  }();
  return *result;
}

} // namespace

bool matches_pattern(const std::string& text, const std::string& pattern) {
  thread_local std::map<std::string, std::regex> compiled;
  const auto [position, fresh] = compiled.try_emplace(pattern);
  if (fresh)
    position->second.assign(pattern);
  return std::regex_search(text, position->second);
}

nlohmann::json to_json(const yaml_node& x) {
  using type = yaml_node::type;
  switch (x.is) {
    case type::null: return nullptr;
    case type::boolean: return x.truth;
    case type::integer: return x.integer;
    case type::number: return x.number;
    case type::text: return x.text;
    case type::list: {
      auto result = nlohmann::json::array();
      for (const auto& y : x.items)
        result.push_back(to_json(y));
      return result;
    }
    case type::mapping: {
      auto result = nlohmann::json::object();
      for (const auto& y : x.members)
        result.emplace(y.key, to_json(y.value));
      return result;
    }
  }
  return nullptr;
}

std::vector<schema_violation> judge_by_schema(const yaml_node& root) {
  std::vector<schema_violation> result;
  const auto document = to_json(root);
  valijson::Validator validator;
  valijson::ValidationResults found;
  try {
    if (validator.validate(compiled_schema(), valijson::adapters::NlohmannJsonAdapter{document},
                           &found))
      return result;
  } catch (const std::exception& x) {
    // The standard's regular expressions give up on some texts.
    return {{{}, x.what()}};
  }
  valijson::ValidationResults::Error error;
  while (found.popError(error)) {
    schema_violation x;
    x.description = error.description;
    // The first is "<root>", the others have brackets around them.
    for (std::size_t i = 1; i < error.context.size(); ++i)
      x.path.push_back(error.context[i].substr(1, error.context[i].size() - 2));
    result.push_back(std::move(x));
  }
  return result;
}

} // namespace spillover
