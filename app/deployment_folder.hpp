#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace spillover::app {

/// A deployment on this machine that operators can reach.
struct known_deployment {
  std::string scenario;
  /// HOST:PORT with the director's first port.
  std::string director;
  /// Folder with the key of operators; empty when the deployment speaks in plain.
  std::string keys;
  int process = 0;
};

/// The folder that `up` keeps a deployment's keys and state in, mode 0700, in a place of the user where
/// `status`, `watch`, `fault` and `stop` find it. Goes away with this object.
class deployment_folder {
public:
  /// Makes it; those of deployments whose process is no more are removed.
  /// @throws std::runtime_error when that is not possible
  explicit deployment_folder(const std::string& scenario);
  ~deployment_folder();

  deployment_folder(const deployment_folder&) = delete;
  deployment_folder& operator=(const deployment_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& place() const noexcept { return place_; }

  /// Lets operators find the deployment.
  void publish(const known_deployment& x) const;

private:
  std::filesystem::path place_;
};

/// @returns the deployments of this user on this machine whose process lives.
std::vector<known_deployment> running_deployments();

} // namespace spillover::app
