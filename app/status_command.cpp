#include "app/commands.hpp"
#include "app/control_call.hpp"
#include "app/recorded_run.hpp"
#include "report/event_index.hpp"
#include "report/health_view.hpp"
#include "scenario/values.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace spillover::app {

namespace {

struct status_options {
  std::string run;
  std::optional<std::string> at;
  bool log = false;
  control_target to;
};

health_resources resources_of(const scenario& x) {
  health_resources result;
  for (const auto& published : x.published_services) {
    if (!published.composite_health)
      continue;
    health_resources::service service{published.path(), published.aggregate_path(), {}};
    service.by_readiness = published.composite_health->signal == health_signal::readiness;
    service.passthrough =
      published.load_balancer
      && published.load_balancer->kind == producer_balancer::internal_passthrough_network;
    for (const auto& source : published.composite_health->sources)
      service.backends.push_back(published.path() + "/" + source.backend_service);
    result.services.push_back(std::move(service));
  }
  for (const auto& consumer : x.consumers)
    for (const auto& region : consumer.regions)
      result.negs.push_back({consumer.name, region});
  return result;
}

/// Shows the state of a deployment that runs.
int live_status(const status_options& options) {
  const auto body = ask_or_explain(options.to, "status", "");
  if (!body)
    return options.to.failed;
  fmt::print("{}\n", *body);
  return all_met;
}

int status(const status_options& options) {
  if (options.run.empty())
    return live_status(options);
  const auto run = read_run_or_explain(options.run);
  if (!run)
    return bad_input;
  const auto resources = resources_of(run->spec);
  if (options.log) {
    fmt::print("{}", health_log(run->log, resources));
    return all_met;
  }
  auto at = event_index{run->log}.run_end();
  if (options.at) {
    const auto span = parse_duration(*options.at);
    if (!span || run_start + *span > at) {
      fmt::print(stderr,
                 "spillover: --at: must be a time within the run (0s to {}), such as 5m10s; "
                 "got \"{}\"\n",
                 to_string(at - run_start), *options.at);
      return bad_input;
    }
    at = run_start + *span;
  }
  fmt::print("{}", health_view(run->log, resources, at));
  return all_met;
}

} // namespace

void add_status(CLI::App& program, command& chosen) {
  auto options = std::make_shared<status_options>();
  auto* sub = program.add_subcommand(
    "status", "Show the health of a run's sources, composites and PSC NEGs at an instant, or how a "
              "deployment goes that runs, as JSON");
  auto* run =
    sub->add_option("RUN", options->run,
                    "Folder of a run, e.g. runs/us-east1-brownout-1; without it a deployment "
                    "that runs");
  auto* at = sub->add_option("--at", options->at, "When, e.g. 5m10s; without it at the run's end");
  sub
    ->add_flag("--log", options->log,
               "Print each change as producer and consumer would find it in their logs, a line of "
               "JSON each")
    ->excludes(at)
    ->needs(run);
  at->needs(run);
  add_target_options(*sub, options->to);
  sub->final_callback([options, &chosen] { chosen = [options] { return status(*options); }; });
}

} // namespace spillover::app
