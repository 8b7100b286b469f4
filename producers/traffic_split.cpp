#include "producers/traffic_split.hpp"

#include "model/check.hpp"

#include <algorithm>
#include <numeric>

namespace spillover {

namespace {

constexpr std::uint32_t whole = 100;

bool adds_up(std::span<const std::uint32_t> percents) noexcept {
  return std::accumulate(percents.begin(), percents.end(), std::uint64_t{0}) == whole;
}

/// @returns whether an entry before `x[i]` is there for the same: the same share or the same tag.
bool is_repeated(std::span<const traffic_target> x, std::size_t i) noexcept {
  return std::any_of(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i), [&](const auto& y) {
    return y.tag == x[i].tag && (!y.tag.empty() || y.revision == x[i].revision);
  });
}

/// Gives each turn to the share that is most behind, of equal ones to the first: nginx's smooth
/// weighted round robin, whose turns repeat after as many as the weights add up to.
void fill_turns(std::span<std::uint32_t> turns, std::span<const std::uint32_t> percents) {
  std::vector<std::int64_t> credit(percents.size());
  for (auto& turn : turns) {
    for (std::size_t i = 0; i < percents.size(); ++i)
      credit[i] += percents[i];
    const auto best = std::max_element(credit.begin(), credit.end());
    *best -= whole;
    turn = static_cast<std::uint32_t>(best - credit.begin());
  }
}

void fill_in_order(std::span<std::uint32_t> hundredths, std::span<const std::uint32_t> percents) {
  auto next = hundredths.begin();
  for (std::uint32_t i = 0; i < percents.size(); ++i)
    next = std::fill_n(next, percents[i], i);
}

} // namespace

std::vector<std::string> validate(std::span<const traffic_target> x) {
  std::vector<std::string> problems;
  const auto fail = [&problems](std::size_t i, const char* reason) {
    problems.emplace_back("[").append(std::to_string(i)).append("].").append(reason);
  };
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].percent > whole)
      fail(i, "percent: must be within 0..100");
    else if (!x[i].tag.empty() && x[i].percent != 0)
      fail(i, "percent: must be 0 with a tag; give the share to an entry without one");
    if (x[i].tag.empty())
      sum += x[i].percent;
    if (is_repeated(x, i))
      fail(i, x[i].tag.empty() ? "revision: has a share already" : "tag: is taken already");
  }
  if (!x.empty() && sum != whole)
    problems.push_back("percents of the entries without a tag must add up to 100, not to "
                       + std::to_string(sum));
  return problems;
}

std::optional<std::size_t> find_tag(std::span<const traffic_target> x,
                                    std::string_view tag) noexcept {
  SPILLOVER_CHECK(!tag.empty());
  const auto it = std::find_if(x.begin(), x.end(), [=](const auto& y) { return y.tag == tag; });
  if (it == x.end())
    return std::nullopt;
  return static_cast<std::size_t>(it - x.begin());
}

bool keeps_minimum_warm(std::span<const traffic_target> x, std::string_view revision) noexcept {
  if (x.empty())
    return revision.empty();
  return std::any_of(x.begin(), x.end(), [=](const auto& y) {
    return y.revision == revision && (y.percent > 0 || !y.tag.empty());
  });
}

std::vector<std::uint32_t> percents_of(std::span<const traffic_target> x) {
  std::vector<std::uint32_t> result;
  result.reserve(x.size());
  for (const auto& target : x)
    result.push_back(target.percent);
  return result;
}

std::vector<std::uint32_t> divide_by_traffic(std::uint32_t count,
                                             std::span<const std::uint32_t> percents) {
  SPILLOVER_CHECK(adds_up(percents));
  return divide_by_weights(count, percents);
}

std::vector<std::uint32_t> divide_by_weights(std::uint32_t count,
                                             std::span<const std::uint32_t> weights) {
  const auto sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  SPILLOVER_CHECK(sum > 0);
  std::vector<std::uint32_t> result(weights.size());
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto left = count;
  const auto share = [&](std::size_t i) { return std::uint64_t{count} * weights[i]; };
  for (const auto i : order) {
    result[i] = static_cast<std::uint32_t>(share(i) / sum);
    left -= result[i];
  }
  // Of n remainders below 1 that add up to `left` more than `left` are above 0: nobody without a
  // share gets anything.
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return share(a) % sum > share(b) % sum; });
  for (std::size_t i = 0; i < left; ++i)
    ++result[order[i]];
  return result;
}

traffic_splitter::traffic_splitter(std::span<const std::uint32_t> percents, traffic_choice choice)
  : choice_(choice) {
  SPILLOVER_CHECK(adds_up(percents));
  if (choice == traffic_choice::turns)
    fill_turns(shares_, percents);
  else
    fill_in_order(shares_, percents);
}

std::size_t traffic_splitter::choose(random_stream& random) noexcept {
  const auto drawn = random.below(whole);
  if (choice_ == traffic_choice::random)
    return shares_[drawn];
  const auto result = shares_[turn_];
  turn_ = (turn_ + 1) % whole;
  return result;
}

} // namespace spillover
