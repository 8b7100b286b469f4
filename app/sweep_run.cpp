#include "app/sweep_run.hpp"

#include "app/sweep_line.hpp"
#include "report/format.hpp"
#include "scenario/trace_file.hpp"
#include "scenario/write_trace.hpp"
#include "sweeps/store.hpp"
#include "sweeps/stored_search.hpp"
#include "sweeps/workers.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <utility>
#include <variant>

namespace spillover::app {

namespace {

volatile std::sig_atomic_t stop_asked = 0;

/// Notes the signals by which users and batch systems end a program, as long as it lives.
class stop_signals {
public:
  stop_signals() {
    stop_asked = 0;
    struct sigaction how {};
    how.sa_handler = [](int) { stop_asked = 1; };
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ::sigaction(numbers[i], &how, &before_[i]);
      // As nohup wants it, and a shell of programs in the background.
      if (before_[i].sa_handler == SIG_IGN)
        ::sigaction(numbers[i], &before_[i], nullptr);
    }
    // Whoever read the progress may be gone.
    struct sigaction ignored {};
    ignored.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &ignored, &before_pipe_);
  }

  ~stop_signals() {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      ::sigaction(numbers[i], &before_[i], nullptr);
    ::sigaction(SIGPIPE, &before_pipe_, nullptr);
  }

  stop_signals(const stop_signals&) = delete;
  stop_signals& operator=(const stop_signals&) = delete;

private:
  static constexpr std::array<int, 3> numbers{SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, 3> before_{};
  struct sigaction before_pipe_ {};
};

std::nullopt_t refuse(const std::string& text) {
  fmt::print(stderr, "spillover: {}\n", text);
  return std::nullopt;
}

std::optional<std::vector<variation>> variations_of(const std::vector<std::string>& texts) {
  std::vector<variation> result;
  for (const auto& text : texts) {
    auto x = parse_variation(text);
    if (const auto* why = std::get_if<std::string>(&x))
      return refuse("--vary " + *why);
    result.push_back(std::get<variation>(std::move(x)));
  }
  if (count_settings(result) > max_settings)
    return refuse("--vary: more than " + thousands(max_settings) + " combinations");
  return result;
}

std::nullopt_t explain(const std::vector<std::string>& problems, const std::string& file) {
  for (const auto& x : problems)
    fmt::print(stderr, "{}\n", x);
  fmt::print(stderr, "{} in {}; nothing was run\n", counted(problems.size(), "problem"), file);
  return std::nullopt;
}

std::optional<sweep_plan> read_plan(const std::string& file,
                                    const std::vector<variation>& variations) {
  const auto text = read_scenario_file(file);
  if (const auto* problems = std::get_if<std::vector<problem>>(&text)) {
    std::vector<std::string> lines;
    for (const auto& x : *problems)
      lines.push_back(to_string(x));
    return explain(lines, file);
  }
  auto plan = plan_sweep(std::get<std::string>(text), file,
                         std::filesystem::path{file}.parent_path(), variations);
  if (const auto* problems = std::get_if<std::vector<std::string>>(&plan))
    return explain(*problems, file);
  return std::get<sweep_plan>(std::move(plan));
}

std::string place_of_sweep(const std::string& out, const std::string& name, shard part) {
  if (!out.empty())
    return out;
  return part.of == 1 ? fmt::format("runs/{}.sqlite", name)
                      : fmt::format("runs/{}-{}-of-{}.sqlite", name, part.number, part.of);
}

sweep_identity identity_of(const sweep_plan& x) {
  sweep_identity result{"spillover " SPILLOVER_VERSION, x.name, x.base, x.settings};
  std::vector<saved_trace> traces;
  for (auto own : x.scenarios) {
    own_traces(own, traces);
    result.scenarios.push_back(to_yaml(own));
  }
  std::sort(traces.begin(), traces.end(),
            [](const auto& a, const auto& b) { return a.file < b.file; });
  for (const auto& y : traces) {
    std::ostringstream text;
    write_trace(text, *y.traffic);
    result.traces.push_back({y.file, y.source, digest_of(*y.traffic), std::move(text).str()});
  }
  return result;
}

std::vector<stored_expectation> expectations_of(const sweep_plan& x) {
  std::vector<std::vector<expectation>> all;
  all.reserve(x.scenarios.size());
  for (const auto& y : x.scenarios)
    all.push_back(y.expectations);
  return spillover::expectations_of(all);
}

/// @returns the keys that `done` lacks, in their order.
/// @param done ascending
std::vector<run_key> without(const std::vector<run_key>& all, const std::vector<run_key>& done) {
  std::vector<run_key> result;
  for (const auto& x : all)
    if (!std::binary_search(done.begin(), done.end(), x))
      result.push_back(x);
  return result;
}

/// @returns the runs that are there and need not be done again.
std::vector<run_key> done_in(const sweep_store& store, bool retry) {
  const auto all = store.keys();
  return retry ? without(all, store.failed_keys()) : all;
}

void make_folder_of(const std::filesystem::path& file) {
  if (!file.has_parent_path())
    return;
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error)
    throw store_error{"cannot make " + file.parent_path().string() + ": " + error.message()};
}

} // namespace

std::optional<planned_sweep> plan_or_explain(const sweep_options& options) {
  planned_sweep result;
  if (!options.shard.empty()) {
    const auto part = parse_shard(options.shard);
    if (const auto* why = std::get_if<std::string>(&part))
      return refuse("--shard " + *why);
    result.part = std::get<shard>(part);
  }
  if (!options.seeds.empty()) {
    auto seeds = parse_seeds(options.seeds);
    if (const auto* why = std::get_if<std::string>(&seeds))
      return refuse("--seeds " + *why);
    result.seeds = std::get<std::vector<std::uint64_t>>(std::move(seeds));
  }
  const auto variations = variations_of(options.vary);
  if (!variations)
    return std::nullopt;
  auto plan = read_plan(options.file, *variations);
  if (!plan)
    return std::nullopt;
  result.plan = std::move(*plan);
  if (result.seeds.empty())
    result.seeds.push_back(result.plan.scenarios.front().seed);
  if (result.plan.settings.size() * result.seeds.size() > max_runs)
    return refuse("more than " + thousands(max_runs) + " runs");
  result.out = place_of_sweep(options.out, result.plan.name, result.part);
  return result;
}

namespace {

/// Does runs and puts each in the store; a search hears of them too.
/// @returns false when a signal stopped them
bool run_all(std::span<const run_key> keys, const sweep_options& options, const planned_sweep& x,
             sweep_store& store, stored_search* search, sweep_tally& result) {
  const auto before = result.before + result.ran;
  sweep_line line{before, before + keys.size(), !options.quiet};
  if (search != nullptr)
    line.set_round(++result.rounds);
  sweep_hooks hooks;
  hooks.ended = [&](const run_outcome& y) {
    store.add(y);
    ++result.ran;
    line.see(y);
    if (search != nullptr)
      search->take(y);
    if (y.end == run_end::failed)
      line.say(fmt::format("spillover: seed {} with {} failed: {}", y.key.seed,
                           to_string(x.plan.settings[y.key.setting]), y.trouble));
  };
  hooks.meanwhile = [&line] { line.update(); };
  hooks.stop = [] { return stop_asked != 0; };
  const auto run = [&x](run_key key) { return run_once(x.plan.scenarios[key.setting], key); };
  const auto complete =
    run_in_processes(keys, options.jobs > 0 ? options.jobs : usable_processors(), run, hooks);
  result.seconds += line.seconds();
  return complete;
}

} // namespace

sweep_tally run_sweep(const sweep_options& options, const planned_sweep& x, stored_search* search) {
  make_folder_of(x.out);
  sweep_store store{x.out, sweep_store::mode::write};
  store.begin(identity_of(x.plan), expectations_of(x.plan), x.seeds);

  sweep_tally result{x.out, x.plan.name, x.plan.settings.size(), x.seeds.size(), x.part};
  result.complete = true;
  const stop_signals watched;
  if (search != nullptr) {
    search->take_all(store);
    result.before = search->answer().runs;
    for (auto keys = search->next(); result.complete && !keys.empty(); keys = search->next())
      result.complete = run_all(keys, options, x, store, search, result);
    result.runs = result.before + result.ran;
  } else {
    const auto all = runs_of(static_cast<std::uint32_t>(x.plan.settings.size()), x.seeds, x.part);
    const auto rest = without(all, done_in(store, options.retry));
    result.runs = all.size();
    result.before = all.size() - rest.size();
    result.complete = run_all(rest, options, x, store, nullptr, result);
  }
  result.ended = store.counts();
  return result;
}

} // namespace spillover::app
