#include "producers/instance_router.hpp"

#include "model/check.hpp"

#include <bit>

namespace spillover {

namespace {

constexpr std::uint32_t leaf_bits = 12;

std::uint32_t first(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(std::countr_zero(word));
}

constexpr std::uint64_t bit(std::uint32_t x) noexcept {
  return std::uint64_t{1} << (x & 63);
}

} // namespace

instance_router::instance_router(std::uint32_t limit) : limit_(limit) {
  // One word tells which words of `used` are not 0.
  SPILLOVER_CHECK(limit >= 1 && limit <= 4096);
  for (auto& x : tiers_) {
    x.roots.assign(limit, none);
    x.used.assign((limit + 63) / 64, 0);
  }
}

void instance_router::add(std::uint32_t index, tier where) {
  grow(index);
  auto& x = instances_[index];
  SPILLOVER_CHECK(x.tier == not_eligible);
  x.tier = static_cast<std::uint8_t>(where);
  x.limit = static_cast<std::uint16_t>(limit_);
  if (x.in_flight < x.limit)
    insert(tiers_[x.tier], x.in_flight, index);
}

void instance_router::set_limit(std::uint32_t index, std::uint32_t limit) {
  SPILLOVER_CHECK(limit >= 1 && limit <= limit_);
  auto& x = eligible(index);
  const auto had_room = x.in_flight < x.limit;
  const auto has_room = x.in_flight < limit;
  x.limit = static_cast<std::uint16_t>(limit);
  if (had_room && !has_room)
    erase(tiers_[x.tier], x.in_flight, index);
  else if (!had_room && has_room)
    insert(tiers_[x.tier], x.in_flight, index);
}

void instance_router::move(std::uint32_t index, tier where) {
  auto& x = eligible(index);
  if (x.tier == static_cast<std::uint8_t>(where))
    return;
  if (x.in_flight < x.limit)
    erase(tiers_[x.tier], x.in_flight, index);
  x.tier = static_cast<std::uint8_t>(where);
  if (x.in_flight < x.limit)
    insert(tiers_[x.tier], x.in_flight, index);
}

void instance_router::remove(std::uint32_t index) {
  auto& x = eligible(index);
  if (x.in_flight < x.limit)
    erase(tiers_[x.tier], x.in_flight, index);
  x.tier = not_eligible;
}

std::optional<std::uint32_t> instance_router::dispatch() {
  for (auto& where : tiers_) {
    if (where.used_words == 0)
      continue;
    const auto word = first(where.used_words);
    const auto level = word * 64 + first(where.used[word]);
    const auto index = lowest(where.roots[level]);
    erase(where, level, index);
    auto& x = instances_[index];
    x.in_flight = level + 1;
    if (x.in_flight < x.limit)
      insert(where, x.in_flight, index);
    ++total_;
    return index;
  }
  return std::nullopt;
}

bool instance_router::dispatch_to(std::uint32_t index) {
  if (index >= instances_.size())
    return false;
  auto& x = instances_[index];
  if (x.tier == not_eligible || x.in_flight >= x.limit)
    return false;
  auto& where = tiers_[x.tier];
  erase(where, x.in_flight, index);
  if (++x.in_flight < x.limit)
    insert(where, x.in_flight, index);
  ++total_;
  return true;
}

void instance_router::finish(std::uint32_t index) {
  SPILLOVER_CHECK(in_flight(index) > 0);
  auto& x = instances_[index];
  --total_;
  if (x.tier == not_eligible) {
    --x.in_flight;
    return;
  }
  auto& where = tiers_[x.tier];
  if (x.in_flight < x.limit)
    erase(where, x.in_flight, index);
  // After its limit fell it may have too many still.
  if (--x.in_flight < x.limit)
    insert(where, x.in_flight, index);
}

void instance_router::forget(std::uint32_t index) {
  if (index >= instances_.size())
    return;
  auto& x = instances_[index];
  SPILLOVER_CHECK(x.tier == not_eligible);
  total_ -= x.in_flight;
  x.in_flight = 0;
}

std::uint32_t instance_router::in_flight(std::uint32_t index) const noexcept {
  return index < instances_.size() ? instances_[index].in_flight : 0;
}

void instance_router::insert(levels& where, std::uint32_t level, std::uint32_t index) {
  if (depth_ != 0) {
    insert_deep(where, level, index);
    return;
  }
  if (where.roots[level] == none)
    occupy(where, level, new_leaf());
  auto& x = leaves_[where.roots[level]];
  x.words[index >> 6] |= bit(index);
  x.used |= bit(index >> 6);
}

void instance_router::erase(levels& where, std::uint32_t level, std::uint32_t index) {
  if (depth_ != 0) {
    erase_deep(where, level, index);
    return;
  }
  const auto root = where.roots[level];
  auto& x = leaves_[root];
  if ((x.words[index >> 6] &= ~bit(index)) != 0)
    return;
  if ((x.used &= ~bit(index >> 6)) != 0)
    return;
  free_leaves_.push_back(root);
  vacate(where, level);
}

void instance_router::insert_deep(levels& where, std::uint32_t level, std::uint32_t index) {
  if (where.roots[level] == none)
    occupy(where, level, new_branch());
  auto node = where.roots[level];
  for (auto depth = depth_; depth > 0; --depth) {
    const auto place = (index >> (leaf_bits + 6 * (depth - 1))) & 63;
    if ((branches_[node].used & bit(place)) == 0) {
      const auto below = depth > 1 ? new_branch() : new_leaf();
      branches_[node].used |= bit(place);
      branches_[node].below[place] = below;
    }
    node = branches_[node].below[place];
  }
  auto& x = leaves_[node];
  const auto word = (index >> 6) & 63;
  x.words[word] |= bit(index);
  x.used |= bit(word);
}

void instance_router::erase_deep(levels& where, std::uint32_t level, std::uint32_t index) {
  std::array<std::uint32_t, 4> path{};
  auto node = where.roots[level];
  for (auto depth = depth_; depth > 0; --depth) {
    path[depth - 1] = node;
    node = branches_[node].below[(index >> (leaf_bits + 6 * (depth - 1))) & 63];
  }
  auto& x = leaves_[node];
  const auto word = (index >> 6) & 63;
  if ((x.words[word] &= ~bit(index)) != 0)
    return;
  if ((x.used &= ~bit(word)) != 0)
    return;
  free_leaves_.push_back(node);
  for (std::uint32_t depth = 1; depth <= depth_; ++depth) {
    auto& above = branches_[path[depth - 1]];
    if ((above.used &= ~bit((index >> (leaf_bits + 6 * (depth - 1))) & 63)) != 0)
      return;
    free_branches_.push_back(path[depth - 1]);
  }
  vacate(where, level);
}

void instance_router::occupy(levels& where, std::uint32_t level, std::uint32_t root) {
  where.roots[level] = root;
  where.used[level >> 6] |= bit(level);
  where.used_words |= bit(level >> 6);
}

void instance_router::vacate(levels& where, std::uint32_t level) noexcept {
  where.roots[level] = none;
  if ((where.used[level >> 6] &= ~bit(level)) == 0)
    where.used_words &= ~bit(level >> 6);
}

std::uint32_t instance_router::lowest(std::uint32_t root) const noexcept {
  std::uint32_t index = 0;
  for (auto depth = depth_; depth > 0; --depth) {
    const auto place = first(branches_[root].used);
    index = (index << 6) | place;
    root = branches_[root].below[place];
  }
  const auto& x = leaves_[root];
  const auto word = first(x.used);
  return (index << leaf_bits) | (word << 6) | first(x.words[word]);
}

void instance_router::grow(std::uint32_t index) {
  if (index >= instances_.size())
    instances_.resize(std::size_t{index} + 1);
  // In 64 bits, because four branches above a leaf reach beyond 32.
  while ((std::uint64_t{index} >> (leaf_bits + 6 * depth_)) != 0) {
    for (auto& where : tiers_)
      for (auto& root : where.roots)
        if (root != none) {
          const auto above = new_branch();
          branches_[above].used = 1;
          branches_[above].below[0] = root;
          root = above;
        }
    ++depth_;
  }
}

std::uint32_t instance_router::new_leaf() {
  if (free_leaves_.empty()) {
    leaves_.emplace_back();
    return static_cast<std::uint32_t>(leaves_.size() - 1);
  }
  const auto result = free_leaves_.back();
  free_leaves_.pop_back();
  return result;
}

std::uint32_t instance_router::new_branch() {
  if (free_branches_.empty()) {
    branches_.emplace_back();
    return static_cast<std::uint32_t>(branches_.size() - 1);
  }
  const auto result = free_branches_.back();
  free_branches_.pop_back();
  return result;
}

instance_router::instance& instance_router::eligible(std::uint32_t index) noexcept {
  SPILLOVER_CHECK(index < instances_.size() && instances_[index].tier != not_eligible);
  return instances_[index];
}

} // namespace spillover
