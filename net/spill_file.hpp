#pragma once

#include "net/wire.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace spillover::net {

/// Numbered lines in a file, kept until somebody has taken them and the room is needed.
///
/// Lines are appended, never changed. Nothing is synchronised to the disk: the file outlives a lost peer and its
/// own process, not a lost machine. When the file is full and everything in it was acknowledged, it begins anew;
/// else it takes no more. The file goes when its object does, unless it holds what was not acknowledged.
class spill_file {
public:
  /// Makes the file, mode 0600, or empties it, and locks it (flock), so that others see that its process lives.
  /// @param most_bytes its bound
  /// @throws std::system_error when the file cannot be made, or somebody holds it
  spill_file(const std::filesystem::path& path, std::uint64_t most_bytes);

  /// Takes over what a process left that ended, up to the last line that it wrote whole; adds nothing to it.
  /// @returns nothing when the file is not there or cannot be read, or when its process still lives
  static std::unique_ptr<spill_file> take_over(const std::filesystem::path& path);

  ~spill_file();
  spill_file(const spill_file&) = delete;
  spill_file& operator=(const spill_file&) = delete;

  /// Adds a line to those that the next `flush` writes.
  /// @param number above that of the line before; it need not follow it
  /// @returns false when there is no room
  bool append(std::uint64_t number, std::string_view line);

  /// Writes what was appended.
  /// @returns the number of lines that could not be written, and are gone
  std::uint64_t flush();

  /// Reads consecutive lines, the first of them the first one in the file above `after`.
  /// @returns false when there is none
  bool read(std::uint64_t after, telemetry_batch& into);

  /// Lines up to this one may go when room is needed. May fall: then they are wanted again.
  void acknowledge(std::uint64_t through) noexcept { acknowledged_ = through; }

  /// @returns the number of the last line that was written; 0 when none is.
  [[nodiscard]] std::uint64_t last() const noexcept { return last_written_; }

private:
  /// Where a line stands, and the number of the line before it.
  struct place {
    std::uint64_t number = 0;
    std::uint64_t previous = 0;
    std::uint64_t offset = 0;
  };

  [[nodiscard]] place place_before(std::uint64_t after) const;
  bool make_room(std::uint64_t bytes);
  spill_file(std::filesystem::path path, int file, std::uint64_t most_bytes) noexcept;
  void find_lines();
  void add_place(const place& x);

  std::filesystem::path path_;
  int file_ = -1;
  std::uint64_t most_bytes_;
  std::uint64_t size_ = 0;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t last_written_ = 0;
  /// Not written yet.
  std::string tail_;
  std::vector<place> tail_places_;
  std::uint64_t last_appended_ = 0;
  /// Of every so many lines one, to find others from.
  std::vector<place> index_;
  std::uint64_t since_index_ = 0;
  /// Where the last read ended, since the next one mostly begins there.
  place next_;
  std::string buffer_;
};

} // namespace spillover::net
