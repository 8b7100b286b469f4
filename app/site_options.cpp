#include "app/site_options.hpp"

#include "app/run_results.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <charconv>

namespace spillover::app {

std::optional<host_port> parse_host_port(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return std::nullopt;
  host_port result{text.substr(0, colon)};
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, result.port);
  const auto v6 = result.host.find(':') != std::string::npos;
  if (error != std::errc{} || rest != end || result.port == 0 || v6)
    return std::nullopt;
  return result;
}

net::endpoints endpoints_at(const host_port& x) {
  const auto at = [&x](int offset) { return fmt::format("tcp://{}:{}", x.host, x.port + offset); };
  return {at(0), at(1), at(2), at(3)};
}

void add_directed_options(CLI::App& sub, directed_options& x) {
  sub
    .add_option("--out", x.out,
                "Folder for the run's files, replaced whole; default: runs/NAME-SEED")
    ->check(check_not_empty);
  sub.add_flag("--quiet", x.quiet, "Show neither progress nor the verdict; the exit code tells");
  sub.add_flag(
    "!--no-progress", x.progress,
    "Show no progress; else a live line on a terminal, and a plain line every ten seconds "
    "elsewhere, e.g. in a container's log");
  sub.add_flag("--json", x.json, "Print summary.json instead of the verdict in text");
  sub.add_flag("!--no-report", x.report, "Leave report.html out of the run's files");
  sub.add_option("--log-level", x.log_level, "What to log to stderr")
    ->check(CLI::IsMember({"trace", "debug", "info", "warn", "error", "off"}))
    ->capture_default_str();
  sub.add_flag("--log-json", x.log_json, "Log one JSON object a line");
}

} // namespace spillover::app
