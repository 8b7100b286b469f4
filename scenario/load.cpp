#include "scenario/load.hpp"

#include "scenario/fault_files.hpp"
#include "scenario/load_changed.hpp"
#include "scenario/read.hpp"
#include "scenario/schema.hpp"
#include "scenario/text_file.hpp"

#include <utility>

namespace spillover {

namespace {

std::vector<problem> whole_file(const std::string& name, std::string message) {
  return {{name, 0, 0, std::move(message)}};
}

// A validator says no where our own check saw nothing: its words are better than silence.
void add_violations(const yaml_node& root, problem_list& problems) {
  for (const auto& x : judge_by_schema(root)) {
    const auto* node = &root;
    std::string key;
    for (const auto& step : x.path) {
      const yaml_node* next = node->find(step);
      for (std::size_t i = 0; next == nullptr && i < node->items.size(); ++i)
        if (std::to_string(i) == step)
          next = &node->items[i];
      if (next == nullptr)
        break;
      node = next;
      key = step + ": ";
    }
    problems.add(node->at, key + "is not allowed by the schema: " + x.description);
  }
}

scenario read_scenario(const yaml_node& tree, const scenario_folder& folder,
                       problem_list& problems) {
  const section root{problems, &tree, tree.at};
  scenario_draft draft;
  draft.folder = folder;
  read_run(root, draft);
  read_producers(root, draft);
  read_consumers(root, draft);
  read_network(root, draft);
  read_faults(root, draft);
  read_actions(root, draft);
  read_expectations(root, draft);
  read_stop_conditions(root, draft);
  return std::move(draft.result);
}

} // namespace

std::variant<scenario, std::vector<problem>>
parse_changed_scenario(std::string_view text, const std::string& name,
                       const scenario_folder& folder, std::span<const value_change> changes) {
  if (text.size() > max_scenario_bytes)
    return whole_file(name, "is larger than 1 MiB, the most a scenario may have");
  problem_list problems{name};
  // A byte order mark is no part of the text.
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    text.remove_prefix(3);
  if (const auto position = find_binary(text)) {
    problems.add(text_places{text}.at(*position), "is not a UTF-8 text file");
    return problems.take();
  }
  auto tree = parse_yaml(text, problems);
  if (!tree)
    return problems.take();
  insert_fault_files(*tree, folder, problems);
  if (!changes.empty()) {
    change_values(*tree, changes, problems);
    if (!problems.empty())
      return problems.take();
    // A change may name a file as well.
    insert_fault_files(*tree, folder, problems);
  }
  check_schema(*tree, problems);
  if (problems.empty())
    add_violations(*tree, problems);
  auto result = read_scenario(*tree, folder, problems);
  if (!problems.empty())
    return problems.take();
  return result;
}

std::variant<scenario, std::vector<problem>>
parse_scenario(std::string_view text, const std::string& name, const scenario_folder& folder) {
  return parse_changed_scenario(text, name, folder, {});
}

std::variant<std::string, std::vector<problem>>
read_scenario_file(const std::filesystem::path& file) {
  auto text = read_text_file(file, "a scenario");
  if (auto* why = std::get_if<unreadable>(&text))
    return whole_file(file.string(), std::move(why->reason));
  return std::get<std::string>(std::move(text));
}

std::variant<scenario, std::vector<problem>> load_scenario(const std::filesystem::path& file) {
  auto text = read_scenario_file(file);
  if (auto* problems = std::get_if<std::vector<problem>>(&text))
    return std::move(*problems);
  return parse_scenario(std::get<std::string>(text), file.string(), file.parent_path());
}

} // namespace spillover
