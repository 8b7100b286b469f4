#include "app/oracle/replay.hpp"

namespace spillover::oracle {

using nlohmann::json;

namespace {

std::optional<std::uint32_t> ready_of(const json& line) {
  const auto error = line.value("error", "");
  if (error == "pods_error")
    return std::nullopt;
  return error == "pods_notfound" ? 0 : line.at("ready").get<std::uint32_t>();
}

std::optional<kpa::averages> load_of(const json& line) {
  const auto error = line.value("error", "");
  if (error == "nodata" || error == "metric_error")
    return std::nullopt;
  return kpa::averages{line.at("stable").get<double>(), line.at("panic").get<double>()};
}

/// Settings that came as numbers already.
kpa::settings settings_of(const json& spec) {
  kpa::settings x;
  x.by = spec.at("metric") == "rps" ? kpa::metric::rps : kpa::metric::concurrency;
  x.target = spec.at("target_value").get<double>();
  x.total = spec.at("total_value").get<double>();
  x.burst_capacity = spec.at("target_burst_capacity").get<double>();
  x.activator_capacity = spec.at("activator_capacity").get<double>();
  x.max_up_rate = spec.at("max_scale_up_rate").get<double>();
  x.max_down_rate = spec.at("max_scale_down_rate").get<double>();
  x.panic_threshold = spec.at("panic_threshold").get<double>();
  x.stable_window = milliseconds_of(spec.at("stable_window_ms"));
  x.scale_down_delay = milliseconds_of(spec.at("scale_down_delay_ms"));
  x.initial_scale = spec.at("initial_scale").get<std::int32_t>();
  x.reachable = spec.at("reachable").get<bool>();
  x.activation_scale = spec.at("activation_scale").get<std::int32_t>();
  return x;
}

void compare_settings(const json& head, const kpa::settings& x, tally& to) {
  comparison compared{head};
  compare_spec(compared, x, head.at("spec"));
  compared.exact("panic_window_ms", x.panic_window.count() / 1'000'000);
  to.add(1, compared.differences());
}

} // namespace

void replay_scale(const json_lines& lines, tally& to) {
  const auto& head = lines.front();
  const auto settings = kpa::resolve(texts_of(head.at("settings")));
  compare_settings(head, settings, to);
  const instant start{milliseconds_of(head.at("base_unix_ms"))};
  std::optional<std::uint32_t> ready;
  if (!head.at("ready_at_start_error").get<bool>())
    ready = head.at("ready_at_start").get<std::uint32_t>();
  kpa::decider decider{start, settings, ready};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto& line = lines[i];
    if (const auto found = line.find("update"); found != line.end())
      decider.update(settings_of(*found));
    const auto said = decider.evaluate(time_of(head, line), {load_of(line), ready_of(line)});
    comparison compared{line};
    compare_decision(compared, head, said, decider);
    to.add(i + 1, compared.differences());
  }
}

void replay_window(const json_lines& lines, tally& to) {
  const auto& head = lines.front();
  kpa::sample_window window{milliseconds_of(head.at("window_ms"))};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto& line = lines[i];
    const auto now = time_of(head, line);
    const auto& op = line.at("op");
    if (op == "record") {
      window.record(now, line.at("v").get<double>());
    } else if (op == "resize") {
      window.resize(now, milliseconds_of(line.at("window_ms")));
    } else {
      comparison compared{line};
      compared.exact("linear", window.linear(now));
      compared.close("weighted", window.weighted(now));
      compared.exact("empty", window.empty(now));
      to.add(i + 1, compared.differences());
    }
  }
}

void replay_delay_window(const json_lines& lines, tally& to) {
  const auto& head = lines.front();
  kpa::delay_window window{milliseconds_of(head.at("delay_ms")),
                           milliseconds_of(head.at("granularity_ms"))};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    comparison compared{lines[i]};
    compared.exact("max",
                   window.record(time_of(head, lines[i]), lines[i].at("v").get<std::int32_t>()));
    to.add(i + 1, compared.differences());
  }
}

void replay_request_stats(const json_lines& lines, tally& to) {
  const auto& head = lines.front();
  kpa::request_stats stats{instant{milliseconds_of(head.at("base_unix_ms"))}};
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto& line = lines[i];
    const auto now = time_of(head, line);
    const auto what = line.at("ev").get<std::string>();
    if (what == "in" || what == "proxied_in") {
      stats.begin(now, what == "proxied_in");
    } else if (what == "out" || what == "proxied_out") {
      stats.end(now, what == "proxied_out");
    } else {
      const auto said = stats.report(now);
      comparison compared{line};
      compared.close("avg_concurrency", said.concurrency);
      compared.close("avg_proxied_concurrency", said.proxied_concurrency);
      compared.exact("request_count", said.requests);
      compared.exact("proxied_count", said.proxied_requests);
      to.add(i + 1, compared.differences());
    }
  }
}

namespace {

/// The report of one activator over all revisions it knows, as it goes out.
void compare_report(const json& line, instant now, std::size_t number,
                    std::map<std::string, kpa::activator_stats>& revisions, tally& to) {
  comparison compared{line};
  auto names = json::array();
  std::size_t place = 0;
  auto kept = json::array();
  for (auto& [name, stats] : revisions) {
    const auto said = stats.report(now);
    if (!said)
      continue;
    names.push_back(name);
    if (stats.knows())
      kept.push_back(name);
    const auto& expected = line.at("stats");
    if (place < expected.size()) {
      comparison one{expected[place]};
      one.exact("rev", name);
      one.close("avg_concurrency", said->concurrency);
      one.exact("request_count", said->requests);
      if (!one.differences().empty())
        compared.exact("stats", one.differences().front().got);
    }
    ++place;
  }
  if (place != line.at("stats").size())
    compared.exact("stats", names);
  compared.exact("kept", kept);
  to.add(number, compared.differences());
}

} // namespace

void replay_activator_report(const json_lines& lines, tally& to) {
  const auto& head = lines.front();
  std::map<std::string, kpa::activator_stats> revisions;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto& line = lines[i];
    const auto now = time_of(head, line);
    const auto what = line.at("ev").get<std::string>();
    if (what == "report") {
      compare_report(line, now, i + 1, revisions, to);
      continue;
    }
    auto& stats = revisions[line.at("rev").get<std::string>()];
    if (what == "out") {
      stats.end(now);
      continue;
    }
    const auto at_once = stats.begin(now);
    comparison compared{line};
    if (line.contains("immediate") != at_once.has_value())
      compared.exact("rev", at_once ? "a report at once" : "no report at once");
    else if (at_once)
      compared.exact("immediate", {{"avg_concurrency", at_once->concurrency},
                                   {"request_count", at_once->requests}});
    to.add(i + 1, compared.differences());
  }
}

void replay_pipeline(const json_lines& lines, tally& to) {
  const auto& head = lines.front();
  const auto settings = kpa::resolve(texts_of(head.at("settings")));
  compare_settings(head, settings, to);
  const instant start{milliseconds_of(head.at("base_unix_ms"))};
  kpa::collector samples{settings};
  kpa::decider decider{start, settings, head.at("ready_at_start").get<std::uint32_t>()};
  const auto scraped = head.at("scrape_target_set").get<bool>();
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto& line = lines[i];
    const auto now = time_of(head, line);
    if (line.at("ev") == "stat") {
      samples.record(now, stat_of(line));
      continue;
    }
    auto load = samples.read(now);
    comparison compared{line};
    // Where no pod is scraped, silence is no load.
    if (!load && !scraped)
      load.emplace();
    compared.exact("data", load.has_value());
    const auto seen = load.value_or(kpa::averages{});
    const auto linear = settings.aggregate == kpa::aggregation::linear;
    for (const auto& [field, value] : {std::pair{"stable", seen.stable}, {"panic", seen.panic}})
      if (linear)
        compared.exact(field, value);
      else
        compared.close(field, value);
    const auto said = decider.evaluate(now, {load, line.at("ready").get<std::uint32_t>()});
    compare_decision(compared, head, said, decider);
    to.add(i + 1, compared.differences());
  }
}

} // namespace spillover::oracle
