#pragma once

#include <filesystem>
#include <optional>

namespace spillover {

/// Keeps other processes of this machine, or of the others that share its file system, from writing a
/// file. Ends with the process, whatever ends it; is not handed on to processes it starts.
class file_lock {
public:
  /// @param file gets a neighbour FILE.lock as long as this lives
  /// @returns nothing when another process holds it
  /// @throws std::system_error when the neighbour cannot be made
  static std::optional<file_lock> take(const std::filesystem::path& file);

  file_lock(file_lock&& other) noexcept;
  file_lock& operator=(file_lock&&) = delete;
  ~file_lock();

private:
  file_lock(std::filesystem::path place, int descriptor);

  std::filesystem::path place_;
  int descriptor_;
};

} // namespace spillover
