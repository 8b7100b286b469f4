#include "scenario/fault_files.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace spillover {

namespace {

// More than any key of a fault has.
constexpr std::size_t longest_path = 4;

struct cell {
  std::string text;
  mark at;
};

using row = std::vector<cell>;

bool is_blank(char x) {
  return x == ' ' || x == '\t';
}

std::string trimmed(std::string_view x) {
  while (!x.empty() && is_blank(x.front()))
    x.remove_prefix(1);
  while (!x.empty() && is_blank(x.back()))
    x.remove_suffix(1);
  return std::string{x};
}

// Splits a text into rows of cells.
class row_reader {
public:
  row_reader(std::string_view text, std::uint32_t file, problem_list& problems)
    : text_(text), problems_(problems) {
    at_.file = file;
  }

  // The next row that is not empty; nothing when there is none, or when a mistake makes it impossible
  // to go on.
  std::optional<row> next();

private:
  [[nodiscard]] bool done() const { return position_ >= text_.size(); }
  [[nodiscard]] char front() const { return text_[position_]; }
  [[nodiscard]] bool at_line_end() const { return !done() && (front() == '\n' || front() == '\r'); }

  char take() {
    advance(at_, text_, position_);
    return text_[position_++];
  }

  bool fail(mark at, std::string message) {
    problems_.add(at, std::move(message));
    return false;
  }

  bool read_row(row& into);
  bool read_cell(cell& into);
  bool read_quoted(cell& into);

  std::string_view text_;
  problem_list& problems_;
  std::size_t position_ = 0;
  mark at_;
};

std::optional<row> row_reader::next() {
  while (!done()) {
    row result;
    if (!read_row(result))
      return std::nullopt;
    if (result.size() > 1 || !result.front().text.empty())
      return result;
  }
  return std::nullopt;
}

bool row_reader::read_row(row& into) {
  for (;;) {
    if (into.size() == max_fault_columns)
      return fail(at_, "more than " + std::to_string(max_fault_columns) + " cells in a row");
    auto& x = into.emplace_back(cell{{}, at_});
    if (!read_cell(x))
      return false;
    if (x.text.size() > max_yaml_text)
      return fail(x.at, "longer than " + std::to_string(max_yaml_text) + " bytes");
    if (done())
      return true;
    if (at_line_end()) {
      if (take() == '\r' && !done() && front() == '\n')
        take();
      return true;
    }
    take(); // the comma
  }
}

bool row_reader::read_cell(cell& into) {
  if (!done() && front() == '"')
    return read_quoted(into);
  const auto start = position_;
  for (; !done() && front() != ',' && !at_line_end(); take())
    if (front() == '"')
      return fail(at_,
                  "a quote within a cell that does not begin with one; quote the whole cell and "
                  "double the quotes in it");
  into.text = trimmed(text_.substr(start, position_ - start));
  return true;
}

bool row_reader::read_quoted(cell& into) {
  take();
  std::string text;
  for (;;) {
    if (done())
      return fail(into.at, "a quoted cell begins here and does not end");
    const auto x = take();
    if (x != '"') {
      text += x;
      continue;
    }
    if (done() || front() != '"')
      break;
    text += take();
  }
  if (!done() && front() != ',' && !at_line_end())
    return fail(at_, "a comma or the end of the line must follow a quoted cell");
  into.text = trimmed(text);
  return true;
}

struct column {
  std::string name;
  std::vector<std::string> path;
  mark at;
};

std::vector<std::string> parts_of(std::string_view name) {
  std::vector<std::string> result;
  for (;;) {
    const auto dot = name.find('.');
    result.emplace_back(name.substr(0, dot));
    if (dot == std::string_view::npos)
      return result;
    name.remove_prefix(dot + 1);
  }
}

// What the first row says; nothing when it is of no use.
std::optional<std::vector<column>> read_header(const row& header, std::string_view what,
                                               problem_list& problems) {
  std::vector<column> result;
  std::set<std::string> names;
  std::set<std::string> groups;
  bool good = true;
  const auto fail = [&](mark at, const std::string& message) {
    problems.add(at, message);
    good = false;
  };
  // Spreadsheets of some countries write other separators.
  if (header.size() == 1)
    for (const auto& [separator, name] : {std::pair{';', "semicolons"}, std::pair{'\t', "tabs"}})
      if (header.front().text.find(separator) != std::string::npos) {
        fail(header.front().at,
             std::string{"cells are separated by "} + name + " here; only commas are allowed");
        return std::nullopt;
      }
  for (const auto& x : header) {
    column c{x.text, parts_of(x.text), x.at};
    if (c.path.size() > longest_path || std::find(c.path.begin(), c.path.end(), "") != c.path.end())
      fail(x.at, "\"" + x.text + "\" names no key of a " + std::string{what}
                   + "; keys are like at or instances.of");
    else if (c.path.back() == "between")
      fail(x.at, "\"" + x.text
                   + "\" is a list, which no cell holds; use the columns from and to, "
                     "and a row for each direction");
    if (!names.insert(x.text).second)
      fail(x.at, "column \"" + x.text + "\" stands here twice");
    for (auto dot = x.text.find('.'); dot != std::string::npos; dot = x.text.find('.', dot + 1))
      groups.insert(x.text.substr(0, dot));
    result.push_back(std::move(c));
  }
  for (const auto& x : result)
    if (groups.contains(x.name))
      fail(x.at, "column \"" + x.name + "\" stands beside columns of keys below it");
  if (!good)
    return std::nullopt;
  return result;
}

void put(yaml_node& fault, const column& where, const cell& what) {
  auto* node = &fault;
  for (std::size_t i = 0; i < where.path.size(); ++i) {
    const auto& key = where.path[i];
    auto found = std::find_if(node->members.begin(), node->members.end(),
                              [&key](const yaml_member& x) { return x.key == key; });
    if (found == node->members.end()) {
      node->members.push_back({key, where.at, {}});
      found = node->members.end() - 1;
      found->value.is = yaml_node::type::mapping;
      found->value.at = what.at;
    }
    node = &found->value;
  }
  *node = plain_scalar(what.text);
  node->at = what.at;
}

} // namespace

yaml_node parse_fault_rows(std::string_view text, std::uint32_t file, problem_list& problems,
                           std::size_t before, std::string_view what) {
  yaml_node result;
  result.is = yaml_node::type::list;
  result.at.file = file;
  // A byte order mark is no part of the text.
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    text.remove_prefix(3);
  if (const auto position = find_binary(text)) {
    auto at = text_places{text}.at(*position);
    at.file = file;
    problems.add(at, "is not a UTF-8 text file");
    return result;
  }
  row_reader rows{text, file, problems};
  const auto known = problems.size();
  const auto header = rows.next();
  if (!header) {
    if (problems.size() == known)
      problems.add(result.at, "is empty; the first row names the keys of a " + std::string{what}
                                + (what == "fault" ? ", e.g. at,for,instances.of" : ""));
    return result;
  }
  const auto columns = read_header(*header, what, problems);
  if (!columns)
    return result;
  while (const auto cells = rows.next()) {
    const auto at = cells->front().at;
    if (before + result.items.size() == max_fault_rows) {
      problems.add(at, "more than " + std::to_string(max_fault_rows) + " faults in files"
                         + (before == 0 ? "" : ", those of earlier ones included"));
      break;
    }
    if (cells->size() != columns->size()) {
      problems.add(at, "has " + std::to_string(cells->size()) + " cells; the first row has "
                         + std::to_string(columns->size()));
      continue;
    }
    yaml_node fault;
    fault.is = yaml_node::type::mapping;
    fault.at = at;
    for (std::size_t i = 0; i < cells->size(); ++i)
      if (!(*cells)[i].text.empty())
        put(fault, (*columns)[i], (*cells)[i]);
    result.items.push_back(std::move(fault));
  }
  return result;
}

} // namespace spillover
