#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace spillover::oracle {

/// What was expected of one line, and what came, by field.
struct finding {
  std::string field;
  nlohmann::json expected;
  nlohmann::json got;
};

/// Counts the lines that were compared, and those that differ, by kind.
class tally {
public:
  /// From here on lines are of this kind and file.
  void begin(const std::string& kind, const std::string& file);

  /// One line was compared.
  /// @param line from 1
  /// @param differences empty when all agrees
  void add(std::size_t line, const std::vector<finding>& differences);

  struct counts {
    std::uint64_t compared = 0;
    std::uint64_t mismatches = 0;
  };
  [[nodiscard]] const std::map<std::string, counts>& kinds() const noexcept { return kinds_; }
  [[nodiscard]] counts total() const noexcept;

  /// The first differences, each as "file:line: field: expected 3, got 4".
  [[nodiscard]] const std::vector<std::string>& examples() const noexcept { return examples_; }

private:
  std::map<std::string, counts> kinds_;
  std::string kind_;
  std::string file_;
  std::vector<std::string> examples_;
};

/// Compares the fields of one line.
class comparison {
public:
  explicit comparison(const nlohmann::json& line) : line_(line) {}

  /// Values must be the same, also the sign of a zero.
  void exact(const std::string& field, const nlohmann::json& got);

  /// Numbers may differ by 1e-11 of their size: powers differ in their last bits between languages.
  void close(const std::string& field, double got);

  [[nodiscard]] const std::vector<finding>& differences() const noexcept { return differences_; }

private:
  const nlohmann::json& line_;
  std::vector<finding> differences_;
};

} // namespace spillover::oracle
