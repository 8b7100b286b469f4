#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

namespace spillover::app {

/// What an export can be; a page is a report or a comparison.
enum class export_kind : unsigned char {
  csv,
  sqlite,
  chrome_trace,
  otlp_spans,
  otlp_metrics,
  page
};

/// @returns why an export must not be written to a place, as a sentence; "" when it may. What an earlier export
///          of the same kind left is replaced, whatever else is there is not.
/// @param place a file, for CSV a folder
std::string obstacle(export_kind kind, const std::filesystem::path& place);

/// @returns whether two names lead to one file or folder, by way of "." or links too; neither has to exist.
bool is_same_place(const std::filesystem::path& a, const std::filesystem::path& b);

/// Writes a file, which takes its place only when it is complete.
/// @param content writes the file it is told, which is not there
/// @throws std::runtime_error as `content` does, or when the file cannot be put in its place
void write_export(const std::filesystem::path& place,
                  const std::function<void(const std::filesystem::path&)>& content);

/// The same of a text, by a stream; "-" is standard output.
void write_export_text(const std::filesystem::path& place,
                       const std::function<void(std::ostream&)>& content);

/// Writes files into a folder, which take their places only when all are complete; other files there stay.
/// @param content fills the folder it is told, which is empty
void write_export_folder(const std::filesystem::path& place,
                         const std::function<void(const std::filesystem::path&)>& content);

} // namespace spillover::app
