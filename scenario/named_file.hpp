#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace spillover {

/// Why a scenario may not name a file, in words.
struct refused_name {
  std::string reason;
};

/// @param folder of the scenario; nothing for one that is in no folder and can name no file
/// @param example what such a name looks like
/// @returns where a file is that a scenario names: below its folder, and neither a pipe nor a device, which
///          may never end. Whether it exists is for its reader to find out.
std::variant<std::filesystem::path, refused_name>
find_named_file(const std::optional<std::filesystem::path>& folder, const std::string& name,
                std::string_view example);

} // namespace spillover
