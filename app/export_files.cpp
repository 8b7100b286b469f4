#include "app/export_files.hpp"

#include "exports/chrome_trace.hpp"
#include "exports/otlp.hpp"
#include "exports/run_export.hpp"
#include "exports/sqlite_file.hpp"
#include "report/page.hpp"

#include <unistd.h>

#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace spillover::app {

namespace fs = std::filesystem;

namespace {

/// What tells a file of ours stands within so many bytes.
constexpr std::size_t head_size = 4'096;

std::string head_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  std::string result(head_size, '\0');
  in.read(result.data(), static_cast<std::streamsize>(result.size()));
  result.resize(static_cast<std::size_t>(in.gcount()));
  return result;
}

/// SQLite keeps the application id there, the high byte first.
bool is_our_database(const std::string& head) {
  constexpr std::size_t place_of_id = 68;
  if (!head.starts_with("SQLite format 3") || head.size() < place_of_id + 4)
    return false;
  std::uint32_t id = 0;
  for (std::size_t i = 0; i < 4; ++i)
    id = id << 8 | static_cast<unsigned char>(head[place_of_id + i]);
  return id == sqlite_application_id;
}

/// The head of what every report and comparison is made of, up to its own title.
bool is_page(const std::string& head) {
  const auto bundle = page_bundle();
  constexpr std::string_view title = "</title>";
  const auto end = bundle.find(title);
  return end != std::string_view::npos && head.starts_with(bundle.substr(0, end + title.size()));
}

bool is_ours(export_kind kind, const fs::path& file) {
  const auto head = head_of(file);
  const auto is_otlp = [&head](std::string_view mark) {
    return head.starts_with(mark) && head.find(otlp_scope_mark) != std::string::npos;
  };
  switch (kind) {
    case export_kind::csv: return head.starts_with("schema_version,program,");
    case export_kind::sqlite: return is_our_database(head);
    case export_kind::chrome_trace: return head.starts_with(chrome_trace_mark);
    case export_kind::otlp_spans: return is_otlp(otlp_spans_mark);
    case export_kind::otlp_metrics: return is_otlp(otlp_metrics_mark);
    case export_kind::page: return is_page(head);
  }
  return false;
}

/// A folder of tables is one of ours when its run.csv is; of any other, the files that are not there may be written.
/// Never in a run's own folder: it keeps requests in tables of some of the same names.
std::string obstacle_in(const fs::path& folder) {
  if (fs::exists(folder / "events.jsonl"))
    return folder.string() + " is the folder of a run; name another folder";
  if (fs::exists(folder / "run.csv") && is_ours(export_kind::csv, folder / "run.csv"))
    return {};
  for (const auto name : export_tables()) {
    const auto file = folder / (std::string{name} + ".csv");
    if (fs::exists(file))
      return file.string() + " is no export of this program; name another folder";
  }
  return {};
}

fs::path draft_of(const fs::path& place) {
  auto result = place;
  // "tables/" has an empty last part.
  if (!result.has_filename())
    result = result.parent_path();
  result += ".partial-" + std::to_string(getpid());
  return result;
}

/// Removes what is left of a draft.
class draft {
public:
  explicit draft(fs::path place) : place_(std::move(place)) {
    // What a killed process of the same number left there.
    fs::remove_all(place_);
  }
  ~draft() {
    std::error_code ignored;
    fs::remove_all(place_, ignored);
  }
  draft(const draft&) = delete;
  draft& operator=(const draft&) = delete;

  [[nodiscard]] const fs::path& place() const noexcept { return place_; }

private:
  fs::path place_;
};

} // namespace

std::string obstacle(export_kind kind, const fs::path& place) {
  if (place.empty())
    return "an export needs a name";
  const auto folder = place.parent_path();
  if (kind != export_kind::csv && !folder.empty() && !fs::is_directory(folder))
    return "there is no folder " + folder.string();
  if (!fs::exists(place))
    return {};
  if (kind == export_kind::csv)
    return fs::is_directory(place) ? obstacle_in(place) : place.string() + " is not a folder";
  if (fs::is_directory(place))
    return place.string() + " is a folder; name a file";
  // Devices such as /dev/null hold nothing that could be lost, but cannot be replaced.
  if (!fs::is_regular_file(place))
    return place.string() + " is no ordinary file";
  if (!is_ours(kind, place))
    return place.string()
           + (kind == export_kind::page ? " is no page of this program"
                                        : " is no export of this kind")
           + "; name another file, or remove it";
  return {};
}

void write_export(const fs::path& place, const std::function<void(const fs::path&)>& content) {
  const draft written{draft_of(place)};
  content(written.place());
  fs::rename(written.place(), place);
}

void write_export_text(const fs::path& place, const std::function<void(std::ostream&)>& content) {
  if (place == "-") {
    content(std::cout);
    std::cout.flush();
    return;
  }
  write_export(place, [&content](const fs::path& file) {
    std::ofstream out{file, std::ios::binary};
    content(out);
    out.close();
    if (!out)
      throw std::runtime_error("cannot write " + file.string());
  });
}

bool is_same_place(const fs::path& a, const fs::path& b) {
  const auto plain = [](const fs::path& x) {
    auto result = fs::weakly_canonical(fs::absolute(x));
    // "tables/" has an empty last part.
    return result.has_filename() ? result : result.parent_path();
  };
  std::error_code ignored;
  return plain(a) == plain(b) || fs::equivalent(a, b, ignored);
}

void write_export_folder(const fs::path& place,
                         const std::function<void(const fs::path&)>& content) {
  const draft written{draft_of(place)};
  fs::create_directories(written.place());
  content(written.place());
  fs::create_directories(place);
  for (const auto& x : fs::directory_iterator{written.place()})
    fs::rename(x.path(), place / x.path().filename());
}

} // namespace spillover::app
