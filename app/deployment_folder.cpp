#include "app/deployment_folder.hpp"

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace spillover::app {

namespace fs = std::filesystem;

namespace {

constexpr const char* file_name = "deployment.json";

/// @returns the folder of all deployments of this user.
fs::path home() {
  std::error_code ignored;
  // The variable may name a folder that went with a session.
  if (const auto* runtime = std::getenv("XDG_RUNTIME_DIR");
      runtime != nullptr && *runtime == '/' && fs::is_directory(runtime, ignored))
    return fs::path{runtime} / "spillover";
  return fs::temp_directory_path() / ("spillover-" + std::to_string(::getuid()));
}

/// @returns whether a folder is a real one of ours, that nobody else can write to.
bool is_ours(const fs::path& folder) {
  struct stat what {};
  return ::lstat(folder.c_str(), &what) == 0 && S_ISDIR(what.st_mode) && what.st_uid == ::getuid()
         && (what.st_mode & 077U) == 0;
}

bool lives(int process) {
  return process > 0 && (::kill(process, 0) == 0 || errno == EPERM);
}

std::optional<known_deployment> read(const fs::path& folder) {
  std::ifstream in{folder / file_name};
  const auto x = nlohmann::json::parse(in, nullptr, false);
  if (!x.is_object())
    return std::nullopt;
  known_deployment result;
  result.scenario = x.value("scenario", "");
  result.director = x.value("director", "");
  result.keys = x.value("keys", "");
  result.process = x.value("process", 0);
  return result;
}

/// @returns the process that made a folder, from its name.
int process_of(const fs::path& folder) {
  return std::atoi(folder.extension().string().c_str()
                   + (folder.has_extension() ? 1 : 0)); // NOLINT
}

std::vector<fs::path> folders() {
  std::vector<fs::path> result;
  std::error_code ignored;
  if (!is_ours(home()))
    return result;
  for (const auto& x : fs::directory_iterator{home(), ignored})
    result.push_back(x.path());
  return result;
}

} // namespace

deployment_folder::deployment_folder(const std::string& scenario)
  : place_(home() / (scenario + "." + std::to_string(::getpid()))) {
  std::error_code failed;
  if (::mkdir(home().c_str(), 0700) != 0 && !is_ours(home()))
    throw std::runtime_error{home().string()
                             + " must be a folder of this user's alone (mode 0700); it is not"};
  // What a process that was killed could not take away: its keys, above all.
  for (const auto& x : folders())
    if (!lives(process_of(x)))
      fs::remove_all(x, failed);
  if (::mkdir(place_.c_str(), 0700) != 0)
    throw std::runtime_error{"cannot make " + place_.string()};
}

deployment_folder::~deployment_folder() {
  std::error_code ignored;
  fs::remove_all(place_, ignored);
}

void deployment_folder::publish(const known_deployment& x) const {
  const auto draft = place_ / "deployment.new";
  std::ofstream{draft} << nlohmann::json{
    {"scenario", x.scenario},
    {"director", x.director},
    {"keys", x.keys},
    {"process",
     x.process}}.dump() << '\n';
  fs::rename(draft, place_ / file_name);
}

std::vector<known_deployment> running_deployments() {
  std::vector<known_deployment> result;
  for (const auto& folder : folders())
    if (auto x = read(folder); x && lives(x->process))
      result.push_back(std::move(*x));
  return result;
}

} // namespace spillover::app
