#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace spillover::app {

/// The folder that a run leaves its files in. Written beside its place, in `NAME.partial-PID`, and put
/// there whole, so that an earlier run stays until the new one is complete. What a run that was
/// killed had written stays in `NAME.partial-PID`.
class run_folder {
public:
  /// @param place where the folder will be; an earlier run there is replaced
  /// @throws std::runtime_error when something that is not a run is there already, or nothing can
  ///         be written beside it
  explicit run_folder(const std::filesystem::path& place);

  /// Drops what was written, unless `publish` was called.
  ~run_folder();

  run_folder(const run_folder&) = delete;
  run_folder& operator=(const run_folder&) = delete;

  /// @returns a file of the folder, opened for writing; the first one makes the folder.
  /// @throws std::runtime_error when it cannot be made
  [[nodiscard]] std::ofstream open(const std::string& name) const;

  /// Writes one file; the first one makes the folder.
  /// @param content writes what the file holds
  /// @throws std::runtime_error when the disk is full or the like
  void write(const std::string& name, const std::function<void(std::ostream&)>& content) const;

  /// Puts the folder in its place.
  void publish();

  [[nodiscard]] const std::filesystem::path& place() const noexcept { return place_; }

private:
  std::filesystem::path place_; // absolute, without links
  std::filesystem::path draft_; // beside it; made with the first file
};

} // namespace spillover::app
