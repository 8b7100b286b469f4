#include "app/commands.hpp"
#include "app/directed_run.hpp"
#include "app/run_results.hpp"
#include "app/scenario_argument.hpp"
#include "app/site_options.hpp"
#include "net/keys.hpp"
#include "scenario/plan.hpp"
#include "sites/site_process.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace spillover::app {

namespace {

struct site_options {
  std::string name;
  std::string file;
  std::string seed;
  std::string keys;
  bool insecure = false;
  std::string director;
  std::string listen = "127.0.0.1";
  std::string advertise;
  std::uint16_t port = 0;
  std::string state = ".";
  double speed = 1;
  std::uint32_t patience = 60;
  std::uint32_t lost_after = 3;
  bool check = false;
  int parent = 0;
  directed_options directed;
};

std::filesystem::path status_file(const site_options& x) {
  return std::filesystem::path{x.state} / (x.name + ".status");
}

/// Tells whether the site's process says that it lives.
int check(const site_options& options) {
  constexpr std::int64_t fresh = 5'000'000'000;
  std::ifstream in{status_file(options)};
  std::int64_t told = 0;
  if (!(in >> told)) {
    fmt::print(stderr, "spillover: {}: no process of it has said here that it lives\n",
               status_file(options).string());
    return run_failed;
  }
  const auto age = real_now() - told;
  if (age <= fresh)
    return all_met;
  fmt::print(stderr, "spillover: {} was last alive {} s ago\n", options.name, age / 1'000'000'000);
  return run_failed;
}

/// Ends this process when the one that started it ends, however that happens.
bool live_with_parent(int parent) {
  if (parent == 0)
    return true;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have ended before.
  return ::getppid() == parent;
}

int end_of(site_end x) {
  switch (x) {
    case site_end::finished: return all_met;
    case site_end::signalled: return 128 + stop_signal();
    default: return run_failed;
  }
}

/// @returns how the process takes part, or nothing when that was explained.
std::optional<station_options> station_of(const site_options& options,
                                          const std::vector<std::string>& sites) {
  station_options result;
  if (std::find(sites.begin(), sites.end(), options.name) == sites.end()) {
    std::string all;
    for (const auto& x : sites)
      all += (all.empty() ? "" : ", ") + x;
    fmt::print(stderr, "spillover: {} is no site of this scenario; its sites are {}\n",
               options.name, all);
    return std::nullopt;
  }
  for (const auto* x : {&options.listen, &options.advertise})
    if (x->find(':') != std::string::npos) {
      fmt::print(
        stderr, "spillover: --listen and --advertise take a name or an IPv4 address; got {}\n", *x);
      return std::nullopt;
    }
  result.site = options.name;
  result.listen = options.listen;
  result.advertise = options.advertise.empty() ? options.listen : options.advertise;
  result.port = options.port;
  result.lost_after = std::chrono::seconds{options.lost_after};
  result.status = status_file(options);
  result.spills = options.state;
  result.log = [name = options.name](std::string_view x) {
    fmt::print(stderr, "{}", site_line(name, x));
  };
  if (options.insecure)
    return result;
  auto keys = net::read_keys(options.keys, options.name);
  if (const auto* wrong = std::get_if<std::string>(&keys)) {
    fmt::print(stderr, "spillover: {}\n", *wrong);
    return std::nullopt;
  }
  result.keys = std::get<net::key_ring>(std::move(keys));
  return result;
}

int take_part(const site_options& options, const scenario& x, station_options station) {
  const auto at = parse_host_port(options.director);
  if (!at) {
    fmt::print(stderr,
               "spillover: --director: must be HOST:PORT, the first port of the director; got "
               "\"{}\"\n",
               options.director);
    return bad_input;
  }
  site_process::options with;
  with.station = std::move(station);
  with.director = endpoints_at(*at);
  with.patience = std::chrono::seconds{options.patience};
  site_process subject{x, std::move(with)};
  return end_of(subject.run());
}

int run_site(const site_options& options) {
  if (options.check)
    return check(options);
  if (!live_with_parent(options.parent))
    return run_failed;
  auto argument = load_or_explain(options.file);
  if (!argument)
    return bad_input;
  auto& x = argument->value;
  if (!options.seed.empty())
    x.seed = *parse_seed(options.seed);
  std::error_code failed;
  std::filesystem::create_directories(options.state, failed);
  if (failed) {
    fmt::print(stderr, "spillover: --state: cannot make {}: {}\n", options.state, failed.message());
    return bad_input;
  }
  const auto sites = plan_sites(x);
  auto station = station_of(options, sites);
  if (!station)
    return bad_input;
  catch_stop_signals();
  if (options.name != sites.front())
    return take_part(options, x, std::move(*station));
  director::options with;
  with.station = std::move(*station);
  with.speed = options.speed;
  with.patience = std::chrono::seconds{options.patience};
  with.journal = std::filesystem::path{options.state} / "director.journal";
  return run_director(x, argument->lints, options.directed, with, [](director&) {});
}

int site(const site_options& options) {
  try {
    return run_site(options);
  } catch (const std::invalid_argument& x) {
    fmt::print(stderr, "spillover: {}\n", x.what());
    return bad_input;
  }
}

void add_network_options(CLI::App& sub, site_options& x) {
  auto* keys = sub.add_option("--keys", x.keys,
                              "Folder with the deployment's keys, as `spillover keys` makes it");
  auto* insecure =
    sub.add_flag("--insecure", x.insecure, "Speak in plain, without keys; on loopback only");
  insecure->excludes(keys);
  sub.add_option("--director", x.director,
                 "Where the director is, HOST:PORT with its first port; not for the director");
  sub.add_option("--listen", x.listen, "Address to listen at")->capture_default_str();
  sub.add_option("--advertise", x.advertise,
                 "Address at which others reach this site; default: that of --listen");
  sub
    .add_option("--port", x.port,
                "First of five ports in a row (the director uses all, others three); 0: the system "
                "chooses")
    ->capture_default_str();
}

} // namespace

void add_site(CLI::App& program, command& chosen) {
  auto options = std::make_shared<site_options>();
  auto* sub = program.add_subcommand(
    "site", "Run one site of a deployment in this process: a region, a consumer or the director");
  sub->add_option("NAME", options->name, "A region or consumer of the scenario, or director")
    ->required();
  sub->add_option("SCENARIO", options->file, "Scenario file (YAML), the same for every site")
    ->required();
  sub->add_option("--seed", options->seed, "Seed, the same for every site; default: the scenario's")
    ->check(check_seed);
  add_network_options(*sub, *options);
  sub
    ->add_option(
      "--state", options->state,
      "Folder for what this process keeps: events that are not delivered, the director's "
      "journal, a sign of life")
    ->capture_default_str();
  sub
    ->add_option("--speed", options->speed,
                 "Of the director: emulated time passes so many times as fast as real time")
    ->check(CLI::Range(0.001, 1'000.0))
    ->capture_default_str();
  sub
    ->add_option("--patience", options->patience,
                 "Real seconds to wait for others at the beginning and at the end")
    ->check(CLI::Range(1U, 86'400U))
    ->capture_default_str();
  sub
    ->add_option("--lost-after", options->lost_after,
                 "Real seconds without a sign of life after which a site counts as lost")
    ->check(CLI::Range(1U, 3'600U))
    ->capture_default_str();
  sub->add_flag("--check", options->check,
                "Tell by the exit code whether the site's process with the same --state lives");
  sub->add_option("--parent", options->parent, "End when the process of this number ends")
    ->group("");
  add_directed_options(*sub, options->directed);
  sub->final_callback([options, &chosen] {
    if (!options->check && options->keys.empty() && !options->insecure)
      throw CLI::ValidationError{"--keys", "is needed, or --insecure on loopback"};
    if (!options->check && options->name != "director" && options->director.empty())
      throw CLI::ValidationError{"--director", "is needed by every site but the director"};
    chosen = [options] { return site(*options); };
  });
}

} // namespace spillover::app
