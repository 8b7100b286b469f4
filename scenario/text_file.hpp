#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <variant>

namespace spillover {

/// Why a file's text is not to be had, in words.
struct unreadable {
  std::string reason;
};

/// Reads a file, but no more than a byte above `max_scenario_bytes`, so that an endless one is
/// noticed and not read.
/// @param kind what such a file is called, e.g. "a scenario"
std::variant<std::string, unreadable> read_text_file(const std::filesystem::path& file,
                                                     std::string_view kind);

} // namespace spillover
