#include "sweeps/merge.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace spillover {

namespace {

/// @returns whether there is nothing to compare: the process ended before the run did.
bool was_lost(const run_outcome& x) {
  return x.end == run_end::failed && !x.value("events");
}

std::string text_of(const std::optional<std::int64_t>& x) {
  return x ? std::to_string(*x) : "nothing";
}

/// @returns what two outcomes of one run differ in.
std::string difference(const run_outcome& x, const run_outcome& y) {
  if (x.end != y.end)
    return std::string{to_string(x.end)} + " and " + std::string{to_string(y.end)};
  for (std::size_t i = 0; i < measure_count; ++i)
    if (x.values[i] != y.values[i])
      return std::string{measures()[i].name} + " " + text_of(x.values[i]) + " and "
             + text_of(y.values[i]);
  return x.trouble != y.trouble ? "\"" + x.trouble + "\" and \"" + y.trouble + "\""
                                : "what became of their expectations";
}

class joiner {
public:
  explicit joiner(const sweep_store& out) : out_(out) {}

  void take(const run_outcome& x, const std::string& from, const sweep_identity& of);

  [[nodiscard]] std::vector<run_outcome> fresh() const {
    std::vector<run_outcome> result;
    result.reserve(fresh_.size());
    for (const auto& [key, known] : fresh_)
      result.push_back(known.first);
    return result;
  }
  [[nodiscard]] std::uint64_t known() const noexcept { return known_; }

private:
  const sweep_store& out_;
  // With the file that each came from.
  std::map<run_key, std::pair<run_outcome, std::string>> fresh_;
  std::uint64_t known_ = 0;
};

void joiner::take(const run_outcome& x, const std::string& from, const sweep_identity& of) {
  const auto found = fresh_.find(x.key);
  std::optional<run_outcome> other;
  std::string where;
  if (found != fresh_.end()) {
    other = found->second.first;
    where = found->second.second;
  } else if (other = out_.find(x.key); other) {
    where = "the joined file";
  }
  if (!other || (was_lost(*other) && !was_lost(x))) {
    fresh_.insert_or_assign(x.key, std::pair{x, from});
    return;
  }
  if (!was_lost(x) && !same_outcome(x, *other))
    throw store_error{"the run with seed " + std::to_string(x.key.seed) + " and "
                      + to_string(of.settings.at(x.key.setting)) + " came out differently in "
                      + where + " and " + from + ": " + difference(*other, x)};
  ++known_;
}

} // namespace

merge_result merge_sweeps(const std::filesystem::path& out,
                          std::span<const std::filesystem::path> in) {
  // All are looked at before the joined file is made.
  std::optional<sweep_identity> identity;
  std::vector<stored_expectation> expectations;
  std::vector<std::uint64_t> seeds;
  for (const auto& file : in) {
    const sweep_store part{file, sweep_store::mode::read};
    const auto own = part.identity();
    for (const auto seed : part.seeds())
      seeds.push_back(seed);
    if (!identity) {
      identity = own;
      expectations = part.expectations();
    } else if (const auto what = difference(*identity, own); !what.empty()) {
      throw store_error{"what is there in " + in.front().string() + " and here in " + file.string()
                        + " are two sweeps: " + what};
    }
  }
  if (!identity)
    throw store_error{"there is nothing to join"};
  sweep_store whole{out, sweep_store::mode::write};
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  whole.begin(*identity, expectations, seeds);
  joiner runs{whole};
  for (const auto& file : in) {
    const sweep_store part{file, sweep_store::mode::read};
    for (std::uint32_t i = 0; i < identity->settings.size(); ++i)
      for (const auto& x : part.runs_of(i))
        runs.take(x, file.string(), *identity);
  }
  const auto fresh = runs.fresh();
  whole.add_all(fresh);
  return {fresh.size(), runs.known()};
}

} // namespace spillover
