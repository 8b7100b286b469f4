#include "report/progress_text.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace spillover {

namespace {

constexpr std::size_t most_services = 3;
constexpr std::size_t most_backends = 4;

void append_part(std::string& to, std::string_view part) {
  to.append(to.empty() ? "" : "  ").append(part);
}

} // namespace

std::string progress_text(const std::map<std::string, std::uint32_t>& instances,
                          const std::map<std::string, health>& services) {
  std::string result;
  std::size_t ill = 0;
  for (const auto& [path, state] : services) {
    if (state == health::healthy || ++ill > most_services)
      continue;
    append_part(result, path);
    result.append(" ").append(to_string(state));
  }
  if (ill > most_services)
    result.append(" and ").append(std::to_string(ill - most_services)).append(" more");
  if (instances.size() > most_backends) {
    std::uint64_t sum = 0;
    for (const auto& [path, count] : instances)
      sum += count;
    append_part(result, counted(sum, "instance"));
    result.append(" of ").append(counted(instances.size(), "backend service"));
    return result;
  }
  for (const auto& [path, count] : instances) {
    append_part(result, path);
    result.append(" ").append(std::to_string(count));
  }
  return result;
}

} // namespace spillover
