#include "app/run_results.hpp"

#include "app/report_command.hpp"
#include "scenario/load.hpp"
#include "scenario/trace_file.hpp"
#include "scenario/write_trace.hpp"

#include <fmt/core.h>

#include <charconv>
#include <ostream>

namespace spillover::app {

namespace {

// With traces that lie in the run's folder.
std::string own_text(scenario x) {
  own_traces(x);
  return to_yaml(x);
}

} // namespace

void write_scenario(const run_folder& folder, const scenario& x) {
  auto own = x;
  for (const auto& trace : own_traces(own))
    folder.write(trace.file, [&](std::ostream& out) { write_trace(out, *trace.traffic); });
  const auto text = to_yaml(own);
  folder.write("scenario.yaml", [&](std::ostream& out) { out << text; });
}

verdict write_results(const run_folder& folder, const scenario& x, const ended_run& run,
                      bool page) {
  const auto& log = run.log;
  const auto text = own_text(x);
  auto result = judge(log, x.expectations, x.recovery);
  result.imbalances.insert(result.imbalances.end(), run.flaws.begin(), run.flaws.end());
  const auto write = [&folder](const char* name, const std::string& content) {
    folder.write(name, [&](std::ostream& out) { out << content; });
  };
  write("summary.json", to_json(result, log));
  write("junit.xml", to_junit(result, log));
  write("requests.csv", requests_csv(log));
  write("requests_kept.csv", to_csv(run.kept));
  if (page)
    write("report.html", report_page(log, result, text));
  return result;
}

std::optional<std::uint64_t> parse_seed(const std::string& text) {
  std::int64_t value = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || value < 0)
    return std::nullopt;
  return static_cast<std::uint64_t>(value);
}

std::string check_seed(const std::string& text) {
  return parse_seed(text) ? std::string{}
                          : "must be a whole number from 0 to 9223372036854775807; got " + text;
}

std::string check_not_empty(const std::string& text) {
  return text.empty() ? "must not be empty" : "";
}

std::filesystem::path place_of_run(const std::string& out, const scenario& x) {
  return out.empty() ? std::filesystem::path{"runs"} / fmt::format("{}-{}", x.name, x.seed)
                     : std::filesystem::path{out};
}

} // namespace spillover::app
