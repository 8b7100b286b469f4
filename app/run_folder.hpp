#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>

namespace spillover::app {

/// The folder that a run leaves its files in. Written beside its place and put there whole, so that
/// nobody ever finds half a run.
class run_folder {
public:
  /// @param place where the folder will be; an earlier run there is replaced
  /// @throws std::runtime_error when something that is not a run is there already, or nothing can
  ///         be written beside it
  explicit run_folder(std::filesystem::path place);

  /// Drops what was written, unless `publish` was called.
  ~run_folder();

  run_folder(const run_folder&) = delete;
  run_folder& operator=(const run_folder&) = delete;

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
