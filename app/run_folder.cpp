#include "app/run_folder.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace spillover::app {

namespace fs = std::filesystem;

namespace {

// What a run leaves; a folder that holds anything else is not ours to replace.
constexpr std::array<std::string_view, 8> files_of_a_run{
  "events.jsonl",      "junit.xml",     "report.html",     "requests.csv",
  "requests_kept.csv", "scenario.yaml", "scenario_traces", "summary.json"};

bool is_of_a_run(const fs::directory_entry& x) {
  const auto name = x.path().filename().string();
  return std::find(files_of_a_run.begin(), files_of_a_run.end(), name) != files_of_a_run.end();
}

} // namespace

run_folder::run_folder(const fs::path& place) : place_(fs::weakly_canonical(fs::absolute(place))) {
  // "runs/x/" has an empty last part.
  if (!place_.has_filename())
    place_ = place_.parent_path();
  if (place_ == fs::current_path() || !place_.has_filename())
    throw std::runtime_error(place_.string() + " is in use; name a folder inside it");
  if (fs::exists(place_)) {
    if (!fs::is_directory(place_))
      throw std::runtime_error(place_.string() + " is not a folder");
    for (const auto& x : fs::directory_iterator{place_})
      if (!is_of_a_run(x))
        throw std::runtime_error(
          place_.string() + " holds " + x.path().filename().string()
          + ", which is not of a run; name another folder, or empty this one");
  }
  draft_ = place_;
  draft_ += ".partial-" + std::to_string(getpid());
  // Better to find out now than after the run.
  fs::create_directories(draft_);
  // What a killed process of the same number left there: in a container every process has number 1.
  fs::remove_all(draft_);
}

run_folder::~run_folder() {
  std::error_code ignored;
  fs::remove_all(draft_, ignored);
}

std::ofstream run_folder::open(const std::string& name) const {
  fs::create_directories((draft_ / name).parent_path());
  std::ofstream out{draft_ / name, std::ios::binary};
  if (!out)
    throw std::runtime_error("cannot write " + (draft_ / name).string());
  return out;
}

void run_folder::write(const std::string& name,
                       const std::function<void(std::ostream&)>& content) const {
  auto out = open(name);
  content(out);
  out.close();
  if (!out)
    throw std::runtime_error("cannot write " + (draft_ / name).string());
}

void run_folder::publish() {
  // The old run goes only when the new one stands in its place.
  auto old = place_;
  old += ".old-" + std::to_string(getpid());
  if (fs::exists(place_))
    fs::rename(place_, old);
  fs::rename(draft_, place_);
  fs::remove_all(old);
}

} // namespace spillover::app
