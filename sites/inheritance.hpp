#pragma once

#include "net/spill_file.hpp"
#include "sites/plan_messages.hpp"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace spillover {

/// Where a process of a site keeps what the director has not got.
/// @param start of the process, as `station::start`
std::filesystem::path spill_path(const std::filesystem::path& folder, std::string_view site,
                                 std::uint64_t start);

/// What earlier processes of a site left in their spill files, and how far the director has it.
///
/// A process that is killed while no director lives cannot deliver its last events; the next process of the site
/// does, with one message under way at a time. Files of processes that still live stay theirs. A file goes
/// once the director has it, or says that it belongs to no run of its own.
class inheritance {
public:
  /// @param folder where the spill files of the site are
  /// @param start of the heir, who inherits from processes that started before
  inheritance(std::filesystem::path folder, std::string site, std::uint64_t start);

  /// Takes over the files of those who ended since.
  void look();

  /// @returns the next message for the director; nothing while one is under way, or when there is none.
  std::optional<remains_message> next();

  /// The director has all lines up to this one of whom the last message was about.
  void answered(std::uint64_t through);

  /// It does not want them.
  void refused();

  /// The message was lost.
  void unanswered() noexcept { under_way_ = false; }

  /// @returns whether nothing is left to be delivered.
  [[nodiscard]] bool empty() const noexcept { return left_.empty(); }

private:
  struct estate {
    std::uint64_t process = 0;
    std::unique_ptr<net::spill_file> lines;
    /// What the director has; nothing until it was asked.
    std::optional<std::uint64_t> through = {};
  };

  std::filesystem::path folder_;
  std::string site_;
  std::uint64_t start_;
  std::deque<estate> left_;
  bool under_way_ = false;
};

} // namespace spillover
