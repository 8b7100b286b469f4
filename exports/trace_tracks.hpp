#pragma once

#include "exports/hop_spans.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// Where something stands in a trace: a process, and a thread of it from 1; thread 0 is the process itself.
struct track_place {
  std::uint32_t process = 0;
  std::uint32_t thread = 0;
  friend auto operator<=>(const track_place&, const track_place&) = default;
};

/// Gives out the processes and threads of a trace: a site is a process, whoever does something there a
/// thread, and what overlaps gets threads beside each other.
class trace_tracks {
public:
  /// @returns the number of a site's process, from 1; the first time it is the next one.
  std::uint32_t process(std::string_view site);

  /// @returns the thread of that name; the first time it is a new one.
  track_place thread(std::string_view site, std::string_view name);

  /// @returns the place of each span of each request; spans nest on every thread.
  std::vector<std::vector<track_place>> place(std::span<const request_spans> requests);

  /// @returns the place of each span, on as few threads of that name as there are spans at once.
  /// @param spans by their beginnings
  std::vector<track_place> place(std::string_view site, std::string_view name,
                                 std::span<const std::pair<instant, instant>> spans);

  /// @returns the names of all processes and threads.
  [[nodiscard]] const std::map<track_place, std::string>& names() const noexcept { return names_; }

private:
  std::map<std::string, std::uint32_t, std::less<>> processes_;
  std::map<std::pair<std::uint32_t, std::string>, track_place> threads_;
  std::map<std::uint32_t, std::uint32_t> thread_counts_;
  std::map<track_place, std::string> names_;
};

} // namespace spillover
