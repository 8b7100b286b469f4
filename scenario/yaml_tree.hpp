#pragma once

#include "scenario/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

struct yaml_member;

/// A value of a YAML text, aliases and merges resolved, that knows where it stands.
///
/// Plain scalars are read by the JSON rules of YAML 1.2: `yes` and `012` are texts. A value that
/// came by an alias stands where its anchor is.
struct yaml_node {
  enum class type : std::uint8_t { null, boolean, integer, number, text, list, mapping };

  type is = type::null;
  mark at;

  /// Of every scalar, as written.
  std::string text;
  bool truth = false;
  std::int64_t integer = 0;
  /// Of `integer` too.
  double number = 0;

  std::vector<yaml_node> items;
  /// In the order of the text, each key once.
  std::vector<yaml_member> members;

  /// Nodes of this tree.
  std::size_t size = 1;
  std::size_t depth = 1;

  /// A text with the tag !file: the name of a file whose content is meant.
  bool names_file = false;

  /// The schema does not allow this value, which therefore must not be read.
  bool bad = false;

  [[nodiscard]] bool is_mapping() const noexcept { return is == type::mapping; }
  [[nodiscard]] bool is_list() const noexcept { return is == type::list; }
  [[nodiscard]] bool is_text() const noexcept { return is == type::text; }
  [[nodiscard]] bool is_number() const noexcept {
    return is == type::integer || is == type::number;
  }

  /// @returns the value of `key`, or nullptr.
  [[nodiscard]] const yaml_node* find(std::string_view key) const noexcept;

  /// @returns false when this or anything below is bad.
  [[nodiscard]] bool clean() const noexcept;
};

struct yaml_member {
  std::string key;
  mark key_at;
  yaml_node value;
};

/// What a text may be at most, so that no file can exhaust memory or stack.
inline constexpr std::size_t max_scenario_bytes = 1 << 20;
inline constexpr std::size_t max_yaml_nodes = 200'000; // after resolving aliases
inline constexpr std::size_t max_yaml_depth = 32;
inline constexpr std::size_t max_yaml_text = 4'000; // of one scalar

/// Reads one YAML document.
///
/// Aliases are counted before they are expanded. Duplicate keys, tags other than !file and further
/// documents are problems; the library prints nothing.
/// @returns the tree unless the text cannot be understood; there may be problems in either case
std::optional<yaml_node> parse_yaml(std::string_view text, problem_list& problems);

/// @returns the value that a plain scalar stands for.
yaml_node plain_scalar(std::string_view text);

/// Moves a place over one byte of a text. Lines end as YAML 1.2 says: with \n, \r or both.
void advance(mark& at, std::string_view text, std::size_t position) noexcept;

/// Knows the place of every byte of a text, and finds it without reading the text again.
class text_places {
public:
  /// @param text must outlive this
  explicit text_places(std::string_view text);

  /// @returns the place of a byte, or the end of the text, just behind its last character, when the
  ///          text is shorter.
  [[nodiscard]] mark at(std::size_t position) const noexcept;

private:
  std::string_view text_;
  std::vector<mark> marks_; // of bytes at equal distances
};

/// @returns the first byte that no text has: malformed UTF-8, or a control character other than
///          tab and line break.
std::optional<std::size_t> find_binary(std::string_view text) noexcept;

} // namespace spillover
