#include "report/event_index.hpp"
#include "report/format.hpp"
#include "report/markdown_table.hpp"
#include "report/page.hpp"

#include <algorithm>
#include <numeric>

namespace spillover {

namespace {

void clock_row(std::string& out, const verdict& of, std::string_view name, const clock_reading& x) {
  markdown_row(out, {name, x.span ? clock_text(*x.span) : std::string{of.unreached},
                     markdown_cell(x.detail), markdown_cell(x.basis)});
}

void add_failover(std::string& out, const verdict& of, const failover_anatomy& x) {
  out += "\n### " + markdown_cell(x.from)
         + (x.to.empty() ? " has no successor" : " → " + markdown_cell(x.to)) + ": "
         + (x.failover ? clock_text(*x.failover) : std::string{of.unreached}) + "\n\n";
  out += "Fault at " + instant_text(x.fault_at) + ": " + markdown_cell(x.fault_detail) + "\n\n";
  markdown_row(out, {"clock", "took", "what happened", "settings"});
  markdown_row(out, {"---", "---:", "---", "---"});
  clock_row(out, of, "detect", x.detect);
  clock_row(out, of, "aggregate", x.aggregate);
  clock_row(out, of, "propagate", x.propagate);
  clock_row(out, of, "route", x.route);
  clock_row(out, of, "capacity recovered", x.capacity);
  clock_row(out, of, "failback", x.failback);
  if (x.cost.missing.empty())
    markdown_row(out, {"cost", extra_vcpu_text(x.cost.extra().total()),
                       vcpu_seconds_text(x.cost.spent.total()) + " vCPU-s in "
                         + std::to_string(x.cost.seconds) + " s",
                       vcpu_seconds_text(x.cost.usual.total()) + " at the rate before"});
}

void add_judgements(std::string& out, const std::vector<judgement>& all) {
  if (all.empty())
    return;
  out += '\n';
  markdown_row(out, {"", "expected", "measured"});
  markdown_row(out, {"---", "---", "---"});
  for (const auto& x : all) {
    auto measured = markdown_cell(x.measured);
    if (!x.met && x.at)
      measured += ", at " + instant_text(*x.at);
    const auto& name = x.expected.name;
    markdown_row(out, {x.met ? "✅ met" : "❌ **not met**",
                       markdown_cell(name.empty() ? x.what : name + ": " + x.what), measured});
  }
}

void add_requests(std::string& out, const request_totals& x) {
  out += "\n" + thousands(x.started) + " requests";
  const auto ended = std::accumulate(x.ended.begin(), x.ended.end(), std::uint64_t{0});
  for (std::size_t i = 0; i < outcome_count && ended > 0; ++i) {
    std::string name{to_string(static_cast<outcome>(i))};
    std::replace(name.begin(), name.end(), '_', ' ');
    if (i == 0 || x.ended[i] > 0)
      out.append(", ").append(name).append(" ").append(
        markdown_cell(share_text(x.ended[i], ended)));
  }
  if (x.latency.count() > 0)
    out += "; p50 " + latency_text(x.latency.quantile(0.5)) + ", p99 "
           + latency_text(x.latency.quantile(0.99));
  out += "\n";
}

} // namespace

std::string to_markdown(const verdict& x, const event_log& log, const page_source& source) {
  const event_index index{log};
  const auto starts = index.all<run_started>();
  const auto run = starts.empty() ? run_started{} : payload_of<run_started>(starts.front());
  const auto met =
    std::count_if(x.judgements.begin(), x.judgements.end(), [](const auto& y) { return y.met; });
  std::string out =
    "## " + std::string{x.exit_code() == 0 ? "✅ " : "❌ "} + markdown_cell(run.name) + ": ";
  if (x.judgements.empty())
    out += "no expectations";
  else
    out += std::to_string(met) + " of " + counted(x.judgements.size(), "expectation") + " met";
  out += "\n";
  if (!run.description.empty())
    out += "\n" + markdown_cell(run.description) + "\n";
  for (const auto& y : x.imbalances)
    out += "\n**The books do not balance:** " + markdown_cell(y) + "\n";
  if (x.stopped)
    out += "\nStopped at " + instant_text(x.stopped->at) + ": " + markdown_cell(x.stopped->reason)
           + "\n";
  add_judgements(out, x.judgements);
  for (const auto& y : x.failovers)
    add_failover(out, x, y);
  if (x.failovers.empty())
    out += "\nNo failover: no fault turned a composite health check UNHEALTHY.\n";
  for (const auto& y : x.notes)
    out += "\nNote: " + markdown_cell(y) + "\n";
  add_requests(out, x.requests);
  out += "\nSeed " + std::to_string(run.seed) + ". To repeat it: `" + source.command + "`\n";
  return out;
}

} // namespace spillover
