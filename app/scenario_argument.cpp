#include "app/scenario_argument.hpp"

#include "app/scenario_changes.hpp"
#include "scenario/lint.hpp"
#include "scenario/load_changed.hpp"
#include "scenario/value_path.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <filesystem>
#include <variant>

namespace spillover::app {

namespace {

std::nullopt_t explain(const std::vector<problem>& problems, const std::string& file) {
  for (const auto& x : problems)
    fmt::print(stderr, "{}\n", to_string(x));
  fmt::print(stderr, "{} problem{} in {}; nothing was run\n", problems.size(),
             problems.size() == 1 ? "" : "s", file);
  return std::nullopt;
}

} // namespace

std::optional<scenario_argument> load_or_explain(const std::string& file) {
  return load_changed_or_explain(file, {});
}

std::variant<value_change, std::string> parse_change(const std::string& text) {
  // A quoted key may hold a =, so that the path tells where it ends.
  for (auto end = text.find('='); end != std::string::npos; end = text.find('=', end + 1)) {
    const auto path = text.substr(0, end);
    if (std::holds_alternative<value_path>(parse_value_path(path)))
      return value_change{path, text.substr(end + 1)};
  }
  return "must be PATH=VALUE, e.g. faults.0.for=2m; got " + text;
}

std::string check_change(const std::string& text) {
  const auto change = parse_change(text);
  const auto* why = std::get_if<std::string>(&change);
  return why == nullptr ? std::string{} : *why;
}

std::optional<scenario_argument> load_changed_or_explain(const std::string& file,
                                                         std::span<const value_change> changes) {
  // The text is read once, because it may come through a pipe.
  const auto text = read_scenario_file(file);
  if (const auto* problems = std::get_if<std::vector<problem>>(&text))
    return explain(*problems, file);
  const auto folder = std::filesystem::path{file}.parent_path();
  auto loaded = parse_changed_scenario(std::get<std::string>(text), file, folder, changes);
  if (const auto* problems = std::get_if<std::vector<problem>>(&loaded))
    return explain(*problems, file);
  scenario_argument result;
  result.value = std::get<scenario>(std::move(loaded));
  const auto remarks = lints(result.value);
  const auto places = locate(remarks, std::get<std::string>(text), file, folder);
  for (std::size_t i = 0; i < remarks.size(); ++i)
    (remarks[i].grade == lint_grade::note ? result.notes : result.lints)
      .push_back(to_string(places[i]));
  return result;
}

void print_remarks(const std::vector<std::string>& lines) {
  for (const auto& x : lines)
    fmt::print(stderr, "{}\n", x);
}

} // namespace spillover::app
