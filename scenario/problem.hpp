#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// Something wrong, or worth a note, in a scenario file.
struct problem {
  std::string file;
  /// From 1; 0 when the file as a whole is meant, because it could not be read.
  std::uint32_t line = 0;
  /// From 1, in characters; at most one more than the line has.
  std::uint32_t column = 0;
  /// What is wrong and what is allowed.
  std::string message;
  friend bool operator==(const problem&, const problem&) = default;
};

/// @returns "file:line:column: message", or "file: message" when the file as a whole is meant.
std::string to_string(const problem& x);

/// A place in a text, line and column from 1.
struct mark {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  /// Which text: 0 is the scenario, others are files that it names; see `problem_list::add_file`.
  std::uint32_t file = 0;
  friend auto operator<=>(const mark&, const mark&) = default;
};

/// Collects what is wrong with one file, and with those that it names.
class problem_list {
public:
  explicit problem_list(std::string file) : files_{std::move(file)} {}

  /// @returns what marks call a further file.
  std::uint32_t add_file(std::string name);

  /// @returns what the file of a place is called.
  [[nodiscard]] const std::string& file_name(mark at) const { return files_[at.file]; }

  void add(mark at, std::string message);

  [[nodiscard]] bool empty() const noexcept { return found_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return found_.size(); }

  /// @returns the problems in the order of the file, each once; then those of further files. Of more than
  ///          100 the first, and how many more there are.
  std::vector<problem> take();

private:
  struct finding {
    mark at;
    std::string message;
  };
  std::vector<std::string> files_;
  std::vector<finding> found_;
};

/// @returns `names` as in "a, b, c"; long lists end in ", ...".
std::string listing(std::span<const std::string> names);

/// @returns e.g. `; did you mean "interval"? allowed: interval, timeout`, the question only when a
///          name is near.
/// @param how what the list is called, e.g. "allowed"
std::string suggestion(std::string_view value, std::span<const std::string> names,
                       std::string_view how);

} // namespace spillover
