#include "scenario/fault_files.hpp"

#include "scenario/named_file.hpp"
#include "scenario/text_file.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace spillover {

namespace {

yaml_node empty_list(mark at) {
  yaml_node result;
  result.is = yaml_node::type::list;
  result.at = at;
  return result;
}

class inserter {
public:
  inserter(const std::optional<std::filesystem::path>& folder, problem_list& problems)
    : folder_(folder), problems_(problems) {}

  void insert(yaml_node& root);

private:
  void fail(const yaml_node& name, const std::string& message) {
    problems_.add(name.at, "faults: " + message);
  }

  // The faults of the file that a node names.
  yaml_node rows_of(const yaml_node& name);
  void refuse_elsewhere(const yaml_node& x);

  const std::optional<std::filesystem::path>& folder_;
  problem_list& problems_;
  std::size_t files_ = 0; // read so far
  std::size_t rows_ = 0;
};

void inserter::insert(yaml_node& root) {
  for (auto& member : root.members) {
    auto& faults = member.value;
    if (member.key != "faults")
      continue;
    if (faults.names_file)
      faults = rows_of(faults);
    if (!std::any_of(faults.items.begin(), faults.items.end(),
                     [](const auto& x) { return x.names_file; }))
      continue;
    std::vector<yaml_node> all;
    for (auto& x : faults.items) {
      if (!x.names_file) {
        all.push_back(std::move(x));
        continue;
      }
      auto rows = rows_of(x);
      std::move(rows.items.begin(), rows.items.end(), std::back_inserter(all));
    }
    faults.items = std::move(all);
  }
  refuse_elsewhere(root);
}

yaml_node inserter::rows_of(const yaml_node& name) {
  const auto found = find_named_file(folder_, name.text, "!file traces/outages.csv");
  if (const auto* refused = std::get_if<refused_name>(&found)) {
    fail(name, name.text.empty() && folder_ ? "!file " + refused->reason : refused->reason);
    return empty_list(name.at);
  }
  if (files_ == max_fault_files) {
    fail(name, "more than " + std::to_string(max_fault_files) + " files of faults");
    return empty_list(name.at);
  }
  const auto& place = std::get<std::filesystem::path>(found);
  ++files_;
  auto text = read_text_file(place, "a file of faults");
  if (const auto* why = std::get_if<unreadable>(&text)) {
    fail(name, place.string() + ": " + why->reason);
    return empty_list(name.at);
  }
  auto result = parse_fault_rows(std::get<std::string>(text), problems_.add_file(place.string()),
                                 problems_, rows_);
  result.at = name.at;
  rows_ += result.items.size();
  return result;
}

void inserter::refuse_elsewhere(const yaml_node& x) {
  if (x.names_file)
    problems_.add(x.at, "!file stands for faults, or for an entry of faults, and nowhere else");
  for (const auto& y : x.items)
    refuse_elsewhere(y);
  for (const auto& y : x.members)
    refuse_elsewhere(y.value);
}

} // namespace

void insert_fault_files(yaml_node& root, const std::optional<std::filesystem::path>& folder,
                        problem_list& problems) {
  inserter{folder, problems}.insert(root);
}

} // namespace spillover
