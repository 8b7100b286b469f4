#include "app/run_folder.hpp"

#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <utility>

namespace spillover::app {

namespace fs = std::filesystem;

namespace {

// Every run has this file, and hardly any other folder does.
constexpr const char* mark = "events.jsonl";

fs::path without_trailing_slash(fs::path x) {
  x = x.lexically_normal();
  return x.has_filename() ? x : x.parent_path();
}

} // namespace

run_folder::run_folder(fs::path place) : place_(without_trailing_slash(std::move(place))) {
  if (fs::exists(place_)) {
    if (!fs::is_directory(place_))
      throw std::runtime_error(place_.string() + " is not a folder");
    if (!fs::is_empty(place_) && !fs::exists(place_ / mark))
      throw std::runtime_error(
        place_.string()
        + " holds something that is not a run; name another folder, or empty "
          "this one");
  }
  draft_ = place_;
  draft_ += ".partial-" + std::to_string(getpid());
  fs::create_directories(draft_);
}

run_folder::~run_folder() {
  std::error_code ignored;
  if (!draft_.empty())
    fs::remove_all(draft_, ignored);
}

void run_folder::write(const std::string& name,
                       const std::function<void(std::ostream&)>& content) const {
  std::ofstream out{draft_ / name, std::ios::binary};
  content(out);
  out.close();
  if (!out)
    throw std::runtime_error("cannot write " + (draft_ / name).string());
}

void run_folder::publish() {
  fs::remove_all(place_);
  fs::rename(draft_, place_);
  draft_.clear();
}

} // namespace spillover::app
