#pragma once

#include "tests/support/golden.hpp"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <string>

namespace spillover::test {

/// @returns what a schema has against a document, in lines, innermost first.
/// @param file of the project, e.g. "docs/page.schema.json"
inline std::string problems_with(const char* file, const nlohmann::json& document) {
  using adapter = valijson::adapters::NlohmannJsonAdapter;
  const auto text = nlohmann::json::parse(read_file(file));
  valijson::Schema schema;
  valijson::SchemaParser{valijson::SchemaParser::kDraft7}.populateSchema(adapter{text}, schema);
  valijson::ValidationResults results;
  valijson::Validator{}.validate(schema, adapter{document}, &results);
  std::string problems;
  for (valijson::ValidationResults::Error x; results.popError(x);) {
    for (const auto& step : x.context)
      problems += step;
    problems.append(": ").append(x.description).append("\n");
  }
  return problems;
}

} // namespace spillover::test
