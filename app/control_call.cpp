#include "app/control_call.hpp"

#include "app/deployment_folder.hpp"
#include "app/site_options.hpp"
#include "net/operator_client.hpp"
#include "sites/director.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include <cstdio>
#include <variant>

namespace spillover::app {

namespace {

/// @returns the one deployment that runs here, or nothing when that was explained.
std::optional<control_target> find_deployment() {
  const auto all = running_deployments();
  if (all.empty()) {
    fmt::print(stderr,
               "spillover: no deployment of `up` runs on this machine; --director says where "
               "another one is\n");
    return std::nullopt;
  }
  if (all.size() > 1) {
    fmt::print(stderr, "spillover: several deployments run on this machine; choose one:\n");
    for (const auto& x : all)
      fmt::print(stderr, "  {}: --director {}{}{}\n", x.scenario, x.director,
                 x.keys.empty() ? " --insecure" : " --keys ", x.keys);
    return std::nullopt;
  }
  return control_target{all.front().director, all.front().keys, all.front().keys.empty()};
}

} // namespace

void add_target_options(CLI::App& sub, control_target& x) {
  auto* director = sub.add_option(
    "--director", x.director,
    "HOST:PORT of the director, its first port; default: the deployment of `up` on this machine");
  auto* keys = sub.add_option("--keys", x.keys, "Folder with the operator's key")->needs(director);
  sub.add_flag("--insecure", x.insecure, "The deployment speaks in plain, on loopback")
    ->needs(director)
    ->excludes(keys);
}

std::optional<control_target> resolve_or_explain(const control_target& x) {
  return x.director.empty() ? find_deployment() : std::optional{x};
}

std::optional<std::string> ask_or_explain(const control_target& to, const std::string& kind,
                                          const std::string& body) {
  to.failed = bad_input;
  const auto found = resolve_or_explain(to);
  if (!found)
    return std::nullopt;
  const auto at = parse_host_port(found->director);
  if (!at || (found->keys.empty() && !found->insecure)) {
    fmt::print(stderr, "spillover: {}\n",
               at ? "--keys is needed, or --insecure on loopback"
                  : "--director: must be HOST:PORT; got \"" + found->director + "\"");
    return std::nullopt;
  }
  net::operator_client_config config;
  config.address = fmt::format("tcp://{}:{}", at->host, at->port + director::desk_offset);
  if (!found->insecure) {
    auto keys = net::read_keys(found->keys, std::string{net::operator_name});
    if (const auto* wrong = std::get_if<std::string>(&keys)) {
      fmt::print(stderr, "spillover: {}\n", *wrong);
      return std::nullopt;
    }
    config.keys = std::get<net::key_ring>(std::move(keys));
  }
  net::operator_client client{std::move(config)};
  auto reply = client.ask(kind, body);
  if (reply.answered && reply.refused.empty())
    return std::move(reply.body);
  if (!reply.answered)
    to.failed = run_failed;
  fmt::print(stderr, "spillover: {}\n",
             reply.answered
               ? reply.refused
               : "the director at " + found->director + " does not answer: " + reply.refused);
  return std::nullopt;
}

} // namespace spillover::app
