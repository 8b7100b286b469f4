#include "app/children.hpp"
#include "app/commands.hpp"
#include "app/deployment_folder.hpp"
#include "app/directed_run.hpp"
#include "app/run_results.hpp"
#include "app/scenario_argument.hpp"
#include "app/site_options.hpp"
#include "net/keys.hpp"
#include "scenario/plan.hpp"

#include <CLI/CLI.hpp>
#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

namespace spillover::app {

namespace {

using real = std::chrono::steady_clock;

struct up_options {
  std::string file;
  std::string seed;
  double speed = 1;
  std::optional<double> restart;
  bool insecure = false;
  directed_options directed;
};

/// The sites of a deployment as child processes, and those that were lost and shall come again.
class site_processes {
public:
  site_processes(const up_options& options, const std::string& director,
                 const deployment_folder& folder)
    : options_(options), director_(director), folder_(folder) {}

  void start(const std::string& site) {
    std::vector<std::string> words{"site",
                                   site,
                                   options_.file,
                                   "--director",
                                   director_,
                                   "--state",
                                   folder_.place().string(),
                                   "--parent",
                                   std::to_string(::getpid())};
    if (!options_.seed.empty())
      words.insert(words.end(), {"--seed", options_.seed});
    if (options_.insecure)
      words.emplace_back("--insecure");
    else
      words.insert(words.end(), {"--keys", (folder_.place() / "keys").string()});
    processes_.start(site, words);
  }

  /// Tells the director of those that ended, and starts them again when the user wants that.
  void look_after(director& to) {
    processes_.reap([&](const std::string& site, const std::string& how) {
      to.process_ended(site, "its process ended " + how);
      if (options_.restart)
        due_[site] = real::now()
                     + std::chrono::duration_cast<real::duration>(
                       std::chrono::duration<double>{*options_.restart});
    });
    for (auto x = due_.begin(); x != due_.end();) {
      if (real::now() < x->second) {
        ++x;
        continue;
      }
      start(x->first);
      x = due_.erase(x);
    }
  }

  /// Gives those that finish by themselves the time to do so.
  void let_finish() { processes_.wait(std::chrono::seconds{3}); }

private:
  const up_options& options_;
  const std::string& director_;
  const deployment_folder& folder_;
  children processes_;
  std::map<std::string, real::time_point> due_;
};

/// @returns whether nobody listens at a port of this machine.
bool is_free(std::uint16_t port) {
  const auto socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto bound = ::bind(socket, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  ::close(socket);
  return bound;
}

/// @returns the first of a director's ports, all free just now, below those that the system gives to clients. Several
///          deployments that begin together do not all look at the same ones.
std::uint16_t free_ports() {
  constexpr auto count = director::desk_offset + 1;
  std::random_device source;
  for (int tries = 0;; ++tries) {
    const auto first = static_cast<std::uint16_t>(20'000 + source() % 12'000);
    auto free = true;
    for (std::uint16_t i = 0; i < count; ++i)
      free = free && is_free(static_cast<std::uint16_t>(first + i));
    // Where none can be found, binding says what is wrong.
    if (free || tries == 100)
      return first;
  }
}

/// @returns how the director takes part, or nothing when that was explained.
std::optional<director::options> prepare_director(const up_options& options,
                                                  const std::vector<std::string>& sites,
                                                  const deployment_folder& folder) {
  director::options result;
  result.speed = options.speed;
  result.journal = folder.place() / "director.journal";
  result.station.site = sites.front();
  result.station.log = [](std::string_view x) {
    fmt::print(stderr, "{}", site_line("director", x));
  };
  if (options.insecure)
    return result;
  const auto place = folder.place() / "keys";
  auto names = sites;
  names.emplace_back(net::operator_name);
  auto problem = net::make_keys(place, names);
  if (!problem) {
    auto keys = net::read_keys(place, sites.front());
    if (auto* ring = std::get_if<net::key_ring>(&keys))
      result.station.keys = std::move(*ring);
    else
      problem = std::get<std::string>(keys);
  }
  if (!problem)
    return result;
  fmt::print(stderr, "spillover: {}\n", *problem);
  return std::nullopt;
}

int up(const up_options& options) {
  auto argument = load_or_explain(options.file);
  if (!argument)
    return bad_input;
  auto& x = argument->value;
  if (!options.seed.empty())
    x.seed = *parse_seed(options.seed);
  const auto sites = plan_sites(x);
  catch_stop_signals();
  const deployment_folder folder{x.name};
  auto with = prepare_director(options, sites, folder);
  if (!with)
    return run_failed;
  with->station.port = free_ports();
  const auto at = fmt::format("127.0.0.1:{}", with->station.port);
  site_processes processes{options, at, folder};
  const auto code = run_director(x, argument->lints, options.directed, *with, [&](director& d) {
    folder.publish({x.name, at, options.insecure ? "" : (folder.place() / "keys").string(),
                    static_cast<int>(::getpid())});
    for (std::size_t i = 1; i < sites.size(); ++i)
      processes.start(sites[i]);
    d.on_idle([&processes, &d] { processes.look_after(d); });
  });
  processes.let_finish();
  return code;
}

} // namespace

void add_up(CLI::App& program, command& chosen) {
  auto options = std::make_shared<up_options>();
  auto* sub = program.add_subcommand(
    "up", "Run a scenario with each site in a process of its own, in wall time, and judge it");
  sub->add_option("SCENARIO", options->file, "Scenario file (YAML)")->required();
  sub->add_option("--seed", options->seed, "Seed of all random numbers; default: the scenario's")
    ->check(check_seed);
  sub
    ->add_option("--speed", options->speed,
                 "Emulated time passes so many times as fast as real time")
    ->check(CLI::Range(0.001, 1'000.0))
    ->capture_default_str();
  sub
    ->add_option(
      "--restart-after", options->restart,
      "Start the process of a site that ended again, after so many real seconds; without "
      "this it stays away")
    ->check(CLI::Range(0.0, 3'600.0));
  sub->add_flag("--insecure", options->insecure, "Speak in plain, without throw-away keys");
  add_directed_options(*sub, options->directed);
  sub->final_callback([options, &chosen] { chosen = [options] { return up(*options); }; });
}

} // namespace spillover::app
