#pragma once

#include "model/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spillover::kpa {

/// Reads a value as Knative's configuration has it: a number, a whole number, `true` or `false`, a
/// duration of Go such as "1m1s500ms", or the text itself.
/// @returns nothing when the text is not one as a whole
template <class T>
std::optional<T> read_text(std::string_view text) = delete;

template <>
std::optional<double> read_text<double>(std::string_view text);
template <>
std::optional<std::int32_t> read_text<std::int32_t>(std::string_view text);
template <>
std::optional<bool> read_text<bool>(std::string_view text);
template <>
std::optional<duration> read_text<duration>(std::string_view text);
template <>
std::optional<std::string> read_text<std::string>(std::string_view text);

} // namespace spillover::kpa
