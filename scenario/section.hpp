#pragma once

#include "model/distribution.hpp"
#include "model/time.hpp"
#include "scenario/yaml_tree.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// One mapping of a scenario that was checked against the schema, about to be read into a struct.
///
/// Reading a key that is absent, or that the schema did not allow, changes nothing: defaults live
/// in the structs. An override is a section above a base section: keys are read from the override,
/// while places are looked up in both, so that a rule over two keys can name either.
class section {
public:
  /// @param node the mapping; nullptr or anything else is a section without keys
  /// @param at where the section would be if it is missing
  section(problem_list& problems, const yaml_node* node, mark at, const yaml_node* base = nullptr);

  /// @returns the section under `key`, above the base's section of that name; without keys when
  ///          there is none.
  [[nodiscard]] section at(std::string_view key) const;

  /// @returns the value of `key` when it is present and allowed.
  [[nodiscard]] const yaml_node* find(std::string_view key) const noexcept;

  [[nodiscard]] bool has(std::string_view key) const noexcept { return find(key) != nullptr; }

  /// @returns true when the file has `key` here or in the base, allowed or not.
  [[nodiscard]] bool given(std::string_view key) const noexcept;

  /// @returns the list under `key`, empty when there is none.
  [[nodiscard]] std::span<const yaml_node> list(std::string_view key) const noexcept;

  /// @returns the entries under `key`, empty when there is none.
  [[nodiscard]] std::span<const yaml_member> entries(std::string_view key) const noexcept;

  /// @returns true when what the schema says about these keys, here and in the base, was met, so
  ///          that rules over them make sense.
  [[nodiscard]] bool fine(std::initializer_list<std::string_view> keys) const noexcept;

  /// @returns true when the schema allows everything in here and in the base.
  [[nodiscard]] bool clean() const noexcept;

  /// Reports `key: message` at the value of `key`, or at the section when it has no such key.
  /// @param other a key that the rule is about as well: when an override names that one alone, it
  ///        is the one to blame
  void fail(std::string_view key, const std::string& message, std::string_view other = {}) const;

  /// Reports a problem with the section itself.
  void fail(const std::string& message) const { problems_->add(at_, message); }

  /// Reports what a `validate` of the domain says, each as `field: reason`; the last guard, for
  /// what neither the schema nor the loader has caught.
  void report(const std::vector<std::string>& reasons) const;

  void read(std::string_view key, duration& into) const;
  void read(std::string_view key, instant& into) const;
  void read(std::string_view key, bool& into) const;
  void read(std::string_view key, std::string& into) const;
  void read(std::string_view key, std::uint32_t& into) const;
  void read(std::string_view key, std::uint64_t& into) const;
  void read(std::string_view key, distribution& into) const;
  /// Reads a number, or a share in either spelling.
  void read(std::string_view key, double& into) const;

  template <class T>
  void read(std::string_view key, std::optional<T>& into) const {
    if (has(key))
      read(key, into.emplace());
  }

  [[nodiscard]] problem_list& problems() const noexcept { return *problems_; }
  [[nodiscard]] mark place() const noexcept { return at_; }

private:
  [[nodiscard]] const yaml_node* raw(std::string_view key) const noexcept;
  [[nodiscard]] mark place_of(std::string_view key) const noexcept;
  // Of a path such as "rate[1].rps".
  [[nodiscard]] mark place_at(std::string_view path) const noexcept;

  problem_list* problems_;
  const yaml_node* node_;
  const yaml_node* base_;
  mark at_;
};

/// @returns the share or number that a checked value stands for.
double number_of(const yaml_node& x);

/// @returns the duration that a checked value stands for.
duration duration_of(const yaml_node& x);

} // namespace spillover
