#include "scenario/value_path.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::string_view separators = ".[]\"'=";

class path_reader {
public:
  explicit path_reader(std::string_view text) : text_(text), rest_(text) {}

  std::variant<value_path, std::string> read();

private:
  [[nodiscard]] bool at(char x) const { return !rest_.empty() && rest_.front() == x; }
  [[nodiscard]] std::string wrong(std::string_view what) const {
    return "the path " + std::string{text_} + " " + std::string{what};
  }

  // Each returns what is wrong; empty when nothing is.
  std::string read_key(value_path& to);
  std::string read_quoted(value_path& to);
  std::string read_index(value_path& to);

  std::string_view text_;
  std::string_view rest_;
};

std::string path_reader::read_quoted(value_path& to) {
  const auto quote = rest_.front();
  rest_.remove_prefix(1);
  std::string key;
  for (;;) {
    const auto end = rest_.find(quote);
    if (end == std::string_view::npos)
      return wrong("has a quote that does not end");
    key += rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    if (!at(quote))
      break;
    key += quote;
    rest_.remove_prefix(1);
  }
  to.push_back(std::move(key));
  return {};
}

std::string path_reader::read_key(value_path& to) {
  if (at('"') || at('\''))
    return read_quoted(to);
  const auto key = rest_.substr(0, rest_.find_first_of(separators));
  if (key.empty())
    return wrong("has an empty key");
  to.emplace_back(key);
  rest_.remove_prefix(key.size());
  return {};
}

std::string path_reader::read_index(value_path& to) {
  const auto end = rest_.find(']');
  const auto index = rest_.substr(1, end == std::string_view::npos ? end : end - 1);
  if (end == std::string_view::npos || index.empty()
      || index.find_first_not_of("0123456789") != std::string_view::npos)
    return wrong("needs an index between brackets, as in faults[0]");
  to.emplace_back(index);
  rest_.remove_prefix(end + 1);
  return {};
}

std::variant<value_path, std::string> path_reader::read() {
  value_path result;
  for (;;) {
    if (auto problem = read_key(result); !problem.empty())
      return problem;
    while (at('['))
      if (auto problem = read_index(result); !problem.empty())
        return problem;
    if (rest_.empty())
      return result;
    if (!at('.'))
      return wrong("has a '" + std::string{rest_.front()}
                   + "' within a key; put that key in quotes");
    rest_.remove_prefix(1);
  }
}

} // namespace

std::variant<value_path, std::string> parse_value_path(std::string_view text) {
  return path_reader{text}.read();
}

std::string to_string(const value_path& x) {
  std::string result;
  for (const auto& key : x) {
    if (!result.empty())
      result += '.';
    if (!key.empty() && key.find_first_of(separators) == std::string::npos) {
      result += key;
      continue;
    }
    result += '"';
    for (const auto c : key)
      result.append(c == '"' ? 2 : 1, c);
    result += '"';
  }
  return result;
}

} // namespace spillover
