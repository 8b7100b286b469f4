#pragma once

#include "report/format.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// Collects the sentences about what does not agree.
class findings {
public:
  /// A number, and of what it is, e.g. "tries".
  struct count {
    std::uint64_t number;
    std::string_view of_what;
  };

  /// Finds fault with numbers that differ.
  /// @param about whose they are
  void equal(std::string_view about, count a, count b) {
    if (a.number != b.number)
      add(about, a, ", but ", b);
  }

  /// Finds fault with `a` when it is the larger one.
  void at_most(std::string_view about, count a, count b) {
    if (a.number > b.number)
      add(about, a, ", more than ", b);
  }

  /// Adds a sentence of another kind.
  void add(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  /// @returns all of them, in the order in which they came.
  [[nodiscard]] std::vector<std::string> take() { return std::move(sentences_); }

private:
  void add(std::string_view about, count a, std::string_view between, count b) {
    auto& text = sentences_.emplace_back(about);
    text.append(": ").append(thousands(a.number)).append(" ").append(a.of_what).append(between);
    text.append(thousands(b.number)).append(" ").append(b.of_what);
  }

  std::vector<std::string> sentences_;
};

} // namespace spillover
