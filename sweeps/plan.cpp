#include "sweeps/plan.hpp"

#include "actors/world.hpp"
#include "scenario/value_path.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

namespace spillover {

namespace {

std::optional<std::uint32_t> parse_count(std::string_view text) {
  std::uint32_t result = 0;
  const auto* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, result);
  return error == std::errc{} && rest == end ? std::optional{result} : std::nullopt;
}

/// A problem that settings have in common is told once.
class setting_problems {
public:
  void add(const setting& of, const std::vector<problem>& problems) {
    for (const auto& x : problems) {
      auto text = to_string(x);
      const auto [known, fresh] = places_.try_emplace(text, tallies_.size());
      if (fresh)
        tallies_.push_back({std::move(text), to_string(of), 0});
      ++tallies_[known->second].count;
    }
  }

  [[nodiscard]] std::vector<std::string> take(std::size_t settings) const {
    std::vector<std::string> result;
    for (const auto& x : tallies_) {
      auto& text = result.emplace_back(x.text);
      if (x.count == settings)
        continue;
      text.append(" (with ").append(x.first);
      if (x.count > 1)
        text.append(" and in ").append(std::to_string(x.count - 1)).append(" more");
      text += ')';
    }
    return result;
  }

private:
  struct tally {
    std::string text;
    std::string first;
    std::size_t count = 0;
  };
  std::map<std::string, std::size_t> places_;
  std::vector<tally> tallies_;
};

std::vector<value_change> changes_of(const setting& x) {
  std::vector<value_change> result;
  for (const auto& value : x)
    result.push_back({value.path, value.text});
  return result;
}

/// @returns the path that the other one leads through, or null when neither does.
const std::string* outer_of(const std::string& x, const std::string& y) {
  const auto begins = [](const std::string& outer, const std::string& inner) {
    return inner.size() > outer.size() && inner.compare(0, outer.size(), outer) == 0
           && inner[outer.size()] == '.';
  };
  return begins(x, y) ? &x : begins(y, x) ? &y : nullptr;
}

/// @returns what is wrong with settings of which two are the same, else nothing.
std::optional<std::string> find_twins(const sweep_plan& x) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < x.scenarios.size(); ++i) {
    const auto [first, fresh] = known.try_emplace(to_yaml(x.scenarios[i]), i);
    if (!fresh)
      return to_string(x.settings[first->second]) + " and " + to_string(x.settings[i])
             + ": are two ways to write the same scenario; name one of them";
  }
  return std::nullopt;
}

/// The grid is kept with paths in one spelling, so that another spelling is no other sweep.
std::vector<variation> normalised(std::span<const variation> all,
                                  std::vector<std::string>& problems) {
  std::vector<variation> result;
  for (const auto& x : all) {
    const auto path = parse_value_path(x.path);
    if (const auto* why = std::get_if<std::string>(&path)) {
      problems.push_back(*why);
      continue;
    }
    auto text = to_string(std::get<value_path>(path));
    if (text == "seed")
      problems.emplace_back(
        "seed: a sweep's seeds are not varied by their path; name them as seeds");
    if (std::any_of(result.begin(), result.end(), [&](const auto& y) { return y.path == text; }))
      problems.push_back(text + ": is varied twice");
    for (const auto& y : result) {
      if (const auto* outer = outer_of(y.path, text))
        problems.push_back(*outer + ": is varied as a whole, and a part of it too: "
                           + (outer == &text ? y.path : text));
    }
    result.push_back({std::move(text), x.values});
  }
  return result;
}

} // namespace

std::variant<shard, std::string> parse_shard(std::string_view text) {
  const auto slash = text.find('/');
  const auto number = parse_count(text.substr(0, slash));
  const auto of =
    slash == std::string_view::npos ? std::nullopt : parse_count(text.substr(slash + 1));
  if (!number || !of || *number == 0 || *number > *of || *of > max_shards)
    return "must be I/N as in 3/8, with I from 1 to N and N at most " + std::to_string(max_shards)
           + "; got " + std::string{text};
  return shard{*number, *of};
}

std::variant<sweep_plan, std::vector<std::string>>
plan_sweep(std::string_view text, const std::string& name, const scenario_folder& folder,
           std::span<const variation> variations) {
  std::vector<std::string> problems;
  const auto all = normalised(variations, problems);
  if (!problems.empty())
    return problems;
  auto base = parse_scenario(text, name, folder);
  if (const auto* wrong = std::get_if<std::vector<problem>>(&base)) {
    for (const auto& x : *wrong)
      problems.push_back(to_string(x));
    return problems;
  }
  sweep_plan result;
  result.name = std::get<scenario>(base).name;
  result.base = to_yaml(std::get<scenario>(base));
  result.settings = full_factorial(all);
  setting_problems found;
  for (const auto& x : result.settings) {
    auto varied = parse_changed_scenario(text, name, folder, changes_of(x));
    if (const auto* wrong = std::get_if<std::vector<problem>>(&varied))
      found.add(x, *wrong);
    else
      result.scenarios.push_back(std::get<scenario>(std::move(varied)));
  }
  problems = found.take(result.settings.size());
  if (problems.empty()) {
    if (auto twins = find_twins(result))
      problems.push_back(std::move(*twins));
  }
  if (!problems.empty())
    return problems;
  return result;
}

std::vector<run_key> runs_of(std::uint32_t settings, std::span<const std::uint64_t> seeds,
                             shard which) {
  std::vector<run_key> result;
  result.reserve(settings * seeds.size() / which.of + 1);
  for (std::size_t i = 0; i < seeds.size(); ++i)
    for (std::uint32_t k = 0; k < settings; ++k)
      // One seed in N of every setting. Dealing the runs out in turn would give a shard the same settings always.
      if ((i + k) % which.of == which.number - 1)
        result.push_back({k, seeds[i]});
  return result;
}

run_outcome run_once(const scenario& x, run_key key) {
  const auto begin = std::chrono::steady_clock::now();
  auto seeded = x;
  seeded.seed = key.seed;
  world w{seeded};
  w.run_until(run_start + seeded.lasts);
  w.finish();
  std::vector<std::string> flaws;
  for (const auto& casualty : w.casualties())
    flaws.push_back("an actor ended by itself: " + casualty);
  const auto judged = judge(w.log(), seeded.expectations, seeded.recovery);
  const event_index index{w.log()};
  auto result = summarise(key, {index, judged}, flaws);
  result.took = std::chrono::steady_clock::now() - begin;
  return result;
}

} // namespace spillover
