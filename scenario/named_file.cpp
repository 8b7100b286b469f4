#include "scenario/named_file.hpp"

#include <algorithm>
#include <system_error>

namespace spillover {

namespace fs = std::filesystem;

std::variant<fs::path, refused_name> find_named_file(const std::optional<fs::path>& folder,
                                                     const std::string& name,
                                                     std::string_view example) {
  const fs::path path{name};
  if (!folder)
    return refused_name{"only a scenario that is a file can name another"};
  if (path.empty())
    return refused_name{"needs the name of a file, e.g. " + std::string{example}};
  if (path.is_absolute())
    return refused_name{"\"" + name + "\" must be relative to the scenario's folder"};
  if (std::find(path.begin(), path.end(), "..") != path.end())
    return refused_name{"\"" + name + "\" must not leave the scenario's folder by .."};
  auto place = (*folder / path).lexically_normal();
  std::error_code error;
  if (fs::exists(place, error) && !fs::is_directory(place, error)
      && !fs::is_regular_file(place, error))
    return refused_name{place.string() + " is no regular file"};
  return place;
}

} // namespace spillover
