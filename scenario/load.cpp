#include "scenario/load.hpp"

#include "scenario/read.hpp"
#include "scenario/schema.hpp"

#include <fstream>
#include <system_error>

namespace spillover {

namespace {

std::vector<problem> whole_file(const std::string& name, std::string message) {
  return {{name, 0, 0, std::move(message)}};
}

mark mark_at(std::string_view text, std::size_t position) {
  mark result;
  for (const auto x : text.substr(0, position)) {
    if (x == '\n') {
      ++result.line;
      result.column = 1;
    } else if ((static_cast<unsigned char>(x) & 0xc0) != 0x80) {
      ++result.column;
    }
  }
  return result;
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

scenario read_scenario(const yaml_node& tree, problem_list& problems) {
  const section root{problems, &tree, tree.at};
  scenario_draft draft;
  read_run(root, draft);
  read_producers(root, draft);
  read_consumers(root, draft);
  read_network(root, draft);
  read_faults(root, draft);
  read_expectations(root, draft);
  read_stop_conditions(root, draft);
  return std::move(draft.result);
}

} // namespace

std::variant<scenario, std::vector<problem>> parse_scenario(std::string_view text,
                                                            const std::string& name) {
  if (text.size() > max_scenario_bytes)
    return whole_file(name, "is larger than 1 MiB, the most a scenario may have");
  problem_list problems{name};
  // A byte order mark is no part of the text.
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    text.remove_prefix(3);
  if (const auto position = find_binary(text)) {
    problems.add(mark_at(text, *position), "is not a UTF-8 text file");
    return problems.take();
  }
  auto tree = parse_yaml(text, problems);
  if (!tree)
    return problems.take();
  check_schema(*tree, problems);
  if (problems.empty())
    add_violations(*tree, problems);
  auto result = read_scenario(*tree, problems);
  if (!problems.empty())
    return problems.take();
  return result;
}

std::variant<std::string, std::vector<problem>>
read_scenario_file(const std::filesystem::path& file) {
  const auto name = file.string();
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    return whole_file(name, "no such file");
  if (std::filesystem::is_directory(status))
    return whole_file(name, "is a directory; a scenario is a file");
  std::ifstream in{file, std::ios::binary};
  if (!in)
    return whole_file(name, "cannot be opened");
  // One byte more than allowed, so that an endless file is noticed and not read.
  std::string text(max_scenario_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad())
    return whole_file(name, "cannot be read");
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::variant<scenario, std::vector<problem>> load_scenario(const std::filesystem::path& file) {
  auto text = read_scenario_file(file);
  if (auto* problems = std::get_if<std::vector<problem>>(&text))
    return std::move(*problems);
  return parse_scenario(std::get<std::string>(text), file.string());
}

} // namespace spillover
