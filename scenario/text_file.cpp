#include "scenario/text_file.hpp"

#include "scenario/yaml_tree.hpp"

#include <fstream>
#include <system_error>

namespace spillover {

std::variant<std::string, unreadable> read_text_file(const std::filesystem::path& file,
                                                     std::string_view kind) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    return unreadable{"no such file"};
  if (std::filesystem::is_directory(status))
    return unreadable{"is a directory; " + std::string{kind} + " is a file"};
  std::ifstream in{file, std::ios::binary};
  if (!in)
    return unreadable{"cannot be opened"};
  std::string text(max_scenario_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad())
    return unreadable{"cannot be read"};
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > max_scenario_bytes)
    return unreadable{"is larger than 1 MiB, the most " + std::string{kind} + " may have"};
  return text;
}

} // namespace spillover
