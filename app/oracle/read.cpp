#include "app/oracle/replay.hpp"

namespace spillover::oracle {

using nlohmann::json;

namespace {

kpa::reachability reachability_of(const std::string& text) {
  if (text == "Unreachable")
    return kpa::reachability::unreachable;
  return text == "Reachable" ? kpa::reachability::reachable : kpa::reachability::unknown;
}

} // namespace

duration milliseconds_of(const json& x) {
  return std::chrono::milliseconds{x.get<std::int64_t>()};
}

instant time_of(const json& head, const json& line) {
  const instant base{milliseconds_of(head.at("base_unix_ms"))};
  if (const auto found = line.find("t_us"); found != line.end())
    return base + std::chrono::microseconds{found->get<std::int64_t>()};
  return base + milliseconds_of(line.at("t_ms"));
}

kpa::texts texts_of(const json& settings) {
  kpa::texts x;
  for (const auto& [key, value] : settings.at("config").items())
    x.config[key] = value.get<std::string>();
  for (const auto& [key, value] : settings.at("annotations").items())
    x.annotations[key] = value.get<std::string>();
  x.container_concurrency = settings.at("container_concurrency").get<std::uint32_t>();
  x.reach = reachability_of(settings.at("reachability").get<std::string>());
  return x;
}

kpa::request_report stat_of(const json& line) {
  return {line.at("avg").get<double>(), line.at("avg_proxied").get<double>(),
          line.at("count").get<double>(), line.at("proxied_count").get<double>()};
}

void compare_spec(comparison& to, const kpa::settings& x, const json& spec) {
  const json got = {{"metric", x.by == kpa::metric::rps ? "rps" : "concurrency"},
                    {"target_value", x.target},
                    {"total_value", x.total},
                    {"target_burst_capacity", x.burst_capacity},
                    {"activator_capacity", x.activator_capacity},
                    {"max_scale_up_rate", x.max_up_rate},
                    {"max_scale_down_rate", x.max_down_rate},
                    {"panic_threshold", x.panic_threshold},
                    {"stable_window_ms", x.stable_window.count() / 1'000'000},
                    {"scale_down_delay_ms", x.scale_down_delay.count() / 1'000'000},
                    {"initial_scale", x.initial_scale},
                    {"reachable", x.reachable},
                    {"activation_scale", x.activation_scale}};
  comparison inner{spec};
  for (const auto& [key, value] : got.items())
    inner.exact(key, value);
  if (!inner.differences().empty())
    to.exact("spec", got);
}

void compare_decision(comparison& to, const json& head, const kpa::decision& x,
                      const kpa::decider& after) {
  to.exact("valid", x.valid);
  to.exact("desired", x.desired);
  to.exact("ebc", x.excess_burst_capacity);
  const auto since = after.panic_since();
  const instant base{milliseconds_of(head.at("base_unix_ms"))};
  to.exact("panic_t_ms", since ? json((*since - base).count() / 1'000'000) : json(nullptr));
  to.exact("max_panic_pods", after.panic_floor());
}

} // namespace spillover::oracle
