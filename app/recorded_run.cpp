#include "app/recorded_run.hpp"

#include "app/scenario_argument.hpp"
#include "report/event_index.hpp"
#include "report/event_reader.hpp"
#include "report/format.hpp"

#include <fmt/core.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <utility>
#include <variant>
#include <vector>

namespace spillover::app {

namespace fs = std::filesystem;

namespace {

/// @returns what runs left beside a folder that is not there, because they were killed.
std::vector<std::string> partial_runs(const fs::path& place) {
  std::vector<std::string> result;
  const auto folder = place.has_parent_path() ? place.parent_path() : fs::path{"."};
  std::error_code ignored;
  for (const auto& x : fs::directory_iterator{folder, ignored})
    if (x.path().filename().string().starts_with(place.filename().string() + ".partial-"))
      result.push_back((place.parent_path() / x.path().filename()).string());
  return result;
}

bool is_complete(const event_log& log) noexcept {
  return !log.events().empty() && std::holds_alternative<run_ended>(log.events().back().what);
}

} // namespace

bool recorded_run::complete() const noexcept {
  return is_complete(log);
}

void note_break(const event_log& log, const fs::path& file) {
  if (is_complete(log))
    return;
  // The first line is the head.
  fmt::print(
    stderr,
    "spillover: {}: breaks off after line {}: the run did not end, and what it did is known "
    "up to {}\n",
    file.string(), log.events().size() + 1, instant_text(event_index{log}.run_end()));
}

fs::path folder_of_run(const std::string& name) {
  const fs::path place{name};
  return place.has_filename() ? place : place.parent_path();
}

std::optional<event_log> read_log_or_explain(const fs::path& folder) {
  std::ifstream in{folder / "events.jsonl", std::ios::binary};
  if (!in) {
    fmt::print(stderr, "spillover: {} is no folder of a run: it has no events.jsonl\n",
               folder.string());
    for (const auto& x : partial_runs(folder))
      fmt::print(stderr, "spillover: a run that did not end left {}\n", x);
    return std::nullopt;
  }
  std::string problem;
  auto log = read_event_log(in, problem, last_line::may_break_off);
  if (!log) {
    fmt::print(stderr, "spillover: {}: {}\n", (folder / "events.jsonl").string(), problem);
    return std::nullopt;
  }
  note_break(*log, folder / "events.jsonl");
  return log;
}

std::optional<recorded_run> read_run_or_explain(const std::string& folder) {
  const auto place = folder_of_run(folder);
  auto log = read_log_or_explain(place);
  if (!log)
    return std::nullopt;
  if (std::error_code ignored; !fs::exists(place / "scenario.yaml", ignored)) {
    fmt::print(stderr,
               "spillover: {} has no scenario.yaml, which holds the expectations and the world to "
               "repeat\n",
               folder);
    return std::nullopt;
  }
  auto spec = load_or_explain((place / "scenario.yaml").string());
  if (!spec)
    return std::nullopt;
  return recorded_run{place, std::move(*log), std::move(spec->value)};
}

std::optional<kept_requests> read_kept_or_explain(const recorded_run& run) {
  const auto file = run.folder / "requests_kept.csv";
  std::ifstream in{file, std::ios::binary};
  if (!in) {
    fmt::print(stderr, "spillover: there is no {}: the run did not end; name a request by --id\n",
               file.string());
    return std::nullopt;
  }
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  std::string problem;
  auto result = read_kept_requests(text, problem);
  if (!result)
    fmt::print(stderr, "spillover: {}: {}\n", file.string(), problem);
  return result;
}

} // namespace spillover::app
