#include "scenario/value_change.hpp"

#include "scenario/schema.hpp"
#include "scenario/value_path.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace spillover {

namespace {

using json = nlohmann::json;

/// Mappings whose names are made there. Other names refer to these, so that a new one can be right.
constexpr std::array<std::string_view, 4> defining{"producers", "backend_services", "revisions",
                                                   "consumers"};

void stand_in(std::uint32_t file, yaml_node& x) {
  x.at.file = file;
  for (auto& y : x.items)
    stand_in(file, y);
  for (auto& y : x.members) {
    y.key_at.file = file;
    stand_in(file, y.value);
  }
}

std::vector<std::string> names_of(const yaml_node& x) {
  std::vector<std::string> result;
  for (const auto& y : x.members)
    result.push_back(y.key);
  return result;
}

std::vector<std::string> names_of(const json& properties) {
  std::vector<std::string> result;
  for (const auto& [key, value] : properties.items())
    result.push_back(key);
  return result;
}

bool ends_with(const value_path& whole, const value_path& end) {
  return whole.size() >= end.size() && std::equal(end.rbegin(), end.rend(), whole.rbegin());
}

/// Finds the values of a tree whose paths end in `end`.
void find_endings(const yaml_node& x, const value_path& end, value_path& here,
                  std::vector<std::string>& found) {
  if (!here.empty() && ends_with(here, end))
    found.push_back(to_string(here));
  for (std::size_t i = 0; i < x.items.size(); ++i) {
    here.push_back(std::to_string(i));
    find_endings(x.items[i], end, here, found);
    here.pop_back();
  }
  for (const auto& y : x.members) {
    here.push_back(y.key);
    find_endings(y.value, end, here, found);
    here.pop_back();
  }
}

/// Goes down the tree and the schema at once, and says why it cannot go on.
class walker {
public:
  walker(yaml_node& root, const value_path& path) : root_(root), path_(path) {}

  // Returns the node at the path's end, made if need be; nullptr when there can be none.
  yaml_node* walk();

  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

private:
  yaml_node* fail(std::string message) {
    problem_ = std::move(message);
    return nullptr;
  }

  // What was walked so far, for messages.
  [[nodiscard]] std::string here() const {
    return depth_ == 0
             ? "a scenario"
             : to_string(value_path{path_.begin(), path_.begin() + static_cast<long>(depth_)});
  }

  bool step();
  bool step_into_list(const std::string& index);
  bool step_into_mapping(const std::string& key);
  bool unknown_key(const std::string& key, const std::vector<std::string>& allowed);

  yaml_node& root_;
  const value_path& path_;
  std::size_t depth_ = 0;
  yaml_node* node_ = nullptr;
  const json* schema_ = nullptr;
  std::string problem_;
};

yaml_node* walker::walk() {
  node_ = &root_;
  schema_ = &expanded_schema();
  for (; depth_ < path_.size(); ++depth_)
    if (!step())
      return nullptr;
  return node_;
}

bool walker::step() {
  const auto& key = path_[depth_];
  const auto has_members =
    schema_->contains("properties") || schema_->contains("additionalProperties");
  // Made a moment ago, or written as nothing: it becomes what the schema wants here.
  if (node_->is == yaml_node::type::null && has_members)
    node_->is = yaml_node::type::mapping;
  if (node_->is_list() && schema_->contains("items"))
    return step_into_list(key);
  if (node_->is_mapping() && has_members)
    return step_into_mapping(key);
  if (node_->is == yaml_node::type::null)
    fail(here() + (schema_->contains("items") ? " has no entries" : " holds a value, nothing below")
         + "; set it as a whole");
  else
    fail(here() + " is \"" + node_->text + "\", which has nothing called \"" + key
         + "\"; set it as a whole");
  return false;
}

bool walker::step_into_list(const std::string& index) {
  std::size_t place = 0;
  const auto* end = index.data() + index.size();
  const auto [rest, error] = std::from_chars(index.data(), end, place);
  const auto count = node_->items.size();
  // One spelling for each place: others would be varied beside it.
  const auto has_zeros = index.size() > 1 && index.front() == '0';
  if (error != std::errc{} || rest != end || has_zeros || place >= count) {
    fail(here() + " is a list of " + std::to_string(count) + " and has no entry \"" + index + "\""
         + (count == 0 ? "" : "; allowed: 0 to " + std::to_string(count - 1)));
    return false;
  }
  schema_ = &schema_->at("items");
  node_ = &node_->items[place];
  return true;
}

bool walker::unknown_key(const std::string& key, const std::vector<std::string>& allowed) {
  std::string message = here() + " has nothing called \"" + key + "\"";
  if (depth_ == 0) {
    std::vector<std::string> found;
    value_path from;
    find_endings(root_, path_, from, found);
    if (!found.empty()) {
      fail(message + "; did you mean " + listing(found) + "?");
      return false;
    }
  }
  fail(message + suggestion(key, allowed, "allowed"));
  return false;
}

bool walker::step_into_mapping(const std::string& key) {
  const auto found = std::find_if(node_->members.begin(), node_->members.end(),
                                  [&key](const auto& x) { return x.key == key; });
  const auto properties = schema_->find("properties");
  if (properties != schema_->end() && properties->contains(key)) {
    schema_ = &properties->at(key);
  } else if (const auto& more = schema_->at("additionalProperties"); !more.is_object()) {
    return unknown_key(key, names_of(*properties));
  } else {
    const auto defines =
      depth_ > 0
      && std::find(defining.begin(), defining.end(), path_[depth_ - 1]) != defining.end();
    if (found == node_->members.end() && defines)
      return unknown_key(key, names_of(*node_));
    schema_ = &more;
  }
  if (found != node_->members.end()) {
    node_ = &found->value;
    return true;
  }
  auto& made = node_->members.emplace_back();
  made.key = key;
  made.key_at = node_->at;
  made.value.at = node_->at;
  node_ = &made.value;
  return true;
}

/// @returns what a text says, as if it stood in a file of the problem list.
std::optional<yaml_node> parse_value(const std::string& text, std::uint32_t file,
                                     problem_list& problems) {
  problem_list own{{}};
  std::optional<yaml_node> result;
  if (const auto position = find_binary(text); position || text.size() > max_scenario_bytes)
    own.add({}, "is no text of at most 1 MiB");
  else
    result = parse_yaml(text, own);
  if (!own.empty()) {
    for (const auto& x : own.take())
      problems.add({x.line, x.column, file}, x.message);
    return std::nullopt;
  }
  if (result)
    stand_in(file, *result);
  return result;
}

} // namespace

void change_values(yaml_node& root, std::span<const value_change> changes, problem_list& problems) {
  for (const auto& x : changes) {
    const auto file = problems.add_file(x.path + "=" + x.text);
    const mark whole{0, 0, file};
    const auto path = parse_value_path(x.path);
    if (const auto* why = std::get_if<std::string>(&path)) {
      problems.add(whole, *why);
      continue;
    }
    auto value = parse_value(x.text, file, problems);
    if (!value)
      continue;
    walker way{root, std::get<value_path>(path)};
    if (auto* node = way.walk())
      *node = std::move(*value);
    else
      problems.add(whole, way.problem());
  }
}

} // namespace spillover
