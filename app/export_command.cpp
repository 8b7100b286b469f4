#include "app/commands.hpp"
#include "app/export_files.hpp"
#include "app/export_requests.hpp"
#include "app/recorded_run.hpp"
#include "exports/chrome_trace.hpp"
#include "exports/csv_files.hpp"
#include "exports/otlp.hpp"
#include "exports/sqlite_file.hpp"
#include "report/event_index.hpp"
#include "report/verdict.hpp"
#include "scenario/values.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover::app {

namespace {

struct export_options {
  std::string run;
  /// Where each kind goes, by its number; empty for what is not asked for.
  std::array<std::string, 5> places;
  std::string from = "0s";
  std::string to;
  std::string step = "1s";
  std::uint32_t requests = 100;
  std::string epoch = "2000-01-01T00:00:00Z";
  bool quiet = false;
};

constexpr std::array<const char*, 5> names{"--csv", "--sqlite", "--chrome-trace", "--otlp-json",
                                           "--otlp-metrics-json"};

bool complain(const std::string& problem) {
  fmt::print(stderr, "spillover: {}\n", problem);
  return false;
}

/// Says what is wrong with the places, before anything is read.
bool check_places(const export_options& options) {
  std::size_t wanted = 0;
  std::size_t to_stdout = 0;
  for (std::size_t i = 0; i < options.places.size(); ++i) {
    const auto& place = options.places[i];
    const auto kind = static_cast<export_kind>(i);
    if (place.empty())
      continue;
    ++wanted;
    if (place == "-") {
      if (kind == export_kind::csv || kind == export_kind::sqlite)
        return complain(fmt::format("{}: cannot be standard output; name a {}", names[i],
                                    kind == export_kind::csv ? "folder" : "file"));
      ++to_stdout;
      continue;
    }
    if (const auto problem = obstacle(kind, place); !problem.empty())
      return complain(fmt::format("{}: {}", names[i], problem));
    for (std::size_t j = 0; j < i; ++j)
      if (!options.places[j].empty() && options.places[j] != "-"
          && is_same_place(options.places[j], place))
        return complain(
          fmt::format("{}: {} is where {} goes; name another", names[i], place, names[j]));
  }
  if (wanted == 0)
    return complain("nothing to export; choose --csv DIR, --sqlite FILE, --chrome-trace FILE, "
                    "--otlp-json FILE or --otlp-metrics-json FILE");
  return to_stdout <= 1 || complain("only one export can be standard output");
}

/// @returns an instant of the calendar in UTC, or nothing.
std::optional<calendar_time> parse_calendar_time(std::string_view text) {
  // 0 stands for a digit.
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  const auto fits = [](char x, char wanted) {
    return wanted == '0' ? x >= '0' && x <= '9' : x == wanted;
  };
  if (!std::equal(text.begin(), text.end(), form.begin(), form.end(), fits))
    return std::nullopt;
  const auto number = [text](std::size_t place, std::size_t digits) {
    unsigned result = 0;
    for (const auto x : text.substr(place, digits))
      result = result * 10 + static_cast<unsigned>(x - '0');
    return result;
  };
  const auto year = static_cast<int>(number(0, 4));
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{number(5, 2)},
                                         std::chrono::day{number(8, 2)}};
  const auto hour = number(11, 2);
  const auto minute = number(14, 2);
  const auto second = number(17, 2);
  if (!date.ok() || year < 1970 || year >= 2200 || hour >= 24 || minute >= 60 || second >= 60)
    return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{hour} + std::chrono::minutes{minute}
         + std::chrono::seconds{second};
}

/// Reads what says which part of the run is meant, or says what is wrong with it.
bool read_window(const export_options& options, run_export& to, calendar_time& start) {
  const auto end = event_index{to.log}.run_end();
  const auto within = [end](const char* name, const std::string& text, instant& at) {
    const auto span = parse_duration(text);
    if (!span || run_start + *span > end)
      return complain(fmt::format("{}: must be a time within the run (0s to {}), such as 5m10s; "
                                  "got \"{}\"",
                                  name, to_string(end - run_start), text));
    at = run_start + *span;
    return true;
  };
  if (!within("--from", options.from, to.window.from)
      || (!options.to.empty() && !within("--to", options.to, to.window.to)))
    return false;
  if (to.window.from >= to.window.to)
    return complain("--to: must be after --from");
  const auto step = parse_duration(options.step);
  if (!step || *step < std::chrono::seconds{1} || *step % std::chrono::seconds{1} != duration{0})
    return complain(fmt::format("--step: must be whole seconds, at least 1s, such as 10s; got "
                                "\"{}\"",
                                options.step));
  to.step = *step;
  const auto epoch = parse_calendar_time(options.epoch);
  if (!epoch)
    return complain(fmt::format("--epoch: must be a time in UTC, from 1970 to 2199, such as "
                                "2026-01-31T09:30:00Z; got \"{}\"",
                                options.epoch));
  start = *epoch;
  return true;
}

void write(const run_export& x, calendar_time start, const export_options& options) {
  const auto& [csv, sqlite, chrome, spans, metrics] = options.places;
  const auto told = [&options](const std::string& place) {
    if (!options.quiet && place != "-")
      fmt::print(stderr, "{}\n", place);
  };
  const auto write_text = [&](const std::string& place, const auto& content) {
    if (place.empty())
      return;
    write_export_text(place, content);
    told(place);
  };
  if (!csv.empty()) {
    write_export_folder(csv, [&x](const std::filesystem::path& folder) {
      csv_files to{folder};
      write_tables(x, to);
      to.end();
    });
    told(csv);
  }
  if (!sqlite.empty()) {
    write_export(sqlite, [&x](const std::filesystem::path& file) {
      sqlite_file to{file};
      write_tables(x, to);
      to.end();
    });
    told(sqlite);
  }
  write_text(chrome, [&](std::ostream& out) { write_chrome_trace(x, out); });
  write_text(spans, [&](std::ostream& out) { write_otlp_spans(x, start, out); });
  write_text(metrics, [&](std::ostream& out) { write_otlp_metrics(x, start, out); });
}

int export_run(const export_options& options) {
  if (!check_places(options))
    return bad_input;
  const auto run = read_run_or_explain(options.run);
  if (!run)
    return bad_input;
  const auto judged = judge(run->log, run->spec.expectations, run->spec.recovery);
  exported_requests requests;
  run_export x{run->log, judged, requests.kept, requests.spans, "spillover " SPILLOVER_VERSION};
  calendar_time start{};
  if (!read_window(options, x, start))
    return bad_input;
  // Seconds alone need nobody who lives through the run again.
  const auto only_metrics = options.places[0].empty() && options.places[1].empty()
                            && options.places[2].empty() && options.places[3].empty();
  if (!only_metrics) {
    const auto code = gather_requests(*run, x.window, options.requests, !options.quiet, requests);
    if (code != all_met)
      return code;
  }
  write(x, start, options);
  return all_met;
}

constexpr const char* footer =
  "\nExamples:\n"
  "  spillover export runs/us-east1-brownout-1 --csv tables --step 10s\n"
  "  spillover export runs/us-east1-brownout-1 --sqlite run.db\n"
  "  spillover export runs/us-east1-brownout-1 --chrome-trace trace.json --from 4m50s --to 6m\n"
  "  spillover export runs/us-east1-brownout-1 --otlp-json - --epoch 2026-01-31T09:30:00Z\n"
  "\nFiles of an earlier export are replaced, others never. Hops of requests come from running the\n"
  "run again. docs/export.md describes every table and file.\n"
  "\nExit codes: 0 written, 2 bad input, 3 not written, or this program does not repeat the run.\n";

} // namespace

void add_export(CLI::App& program, command& chosen) {
  auto options = std::make_shared<export_options>();
  auto* sub = program.add_subcommand(
    "export", "Write a run's events, series and requests for other programs: CSV, SQLite, trace "
              "viewers, OpenTelemetry");
  sub->add_option("RUN", options->run, "Folder of a run, e.g. runs/us-east1-brownout-1")
    ->required();
  const std::array<const char*, 5> texts{
    "Write a CSV file for each table into this folder",
    "Write a SQLite database with the same tables, indexes and views",
    "Write a trace for Perfetto, chrome://tracing or speedscope: sites are processes, each request a "
    "span for each of its hops; - is standard output",
    "Write the requests as OpenTelemetry spans (OTLP/JSON); - is standard output",
    "Write the series as OpenTelemetry metrics (OTLP/JSON); - is standard output"};
  for (std::size_t i = 0; i < names.size(); ++i)
    sub->add_option(names[i], options->places[i], texts[i])->type_name(i == 0 ? "DIR" : "FILE");
  sub->add_option("--from", options->from, "Leave out what is before, e.g. 4m50s")
    ->capture_default_str();
  sub->add_option("--to", options->to,
                  "Leave out what is from then on, e.g. 6m; default: the run's end");
  sub
    ->add_option("--step", options->step,
                 "What a row of a series stands for: whole seconds, e.g. 10s")
    ->capture_default_str();
  sub
    ->add_option("--requests", options->requests,
                 "Follow at most so many requests of each kind that a run keeps: the slowest, the "
                 "first that failed, and one in 1,000; 0 to 10000")
    ->check(CLI::Range(0, 10'000))
    ->capture_default_str();
  sub
    ->add_option("--epoch", options->epoch,
                 "When the run began on the calendar, in UTC, for OpenTelemetry")
    ->capture_default_str();
  sub->add_flag("--quiet", options->quiet, "Show no progress, and name no files");
  sub->footer(footer);
  sub->final_callback([options, &chosen] { chosen = [options] { return export_run(*options); }; });
}

} // namespace spillover::app
