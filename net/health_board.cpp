#include "net/health_board.hpp"

namespace spillover::net {

const health_state* health_outbox::put(std::size_t peer, health_state x) {
  auto [at, added] = states_.try_emplace({peer, x.kind, x.resource});
  if (!added
      && std::pair{x.incarnation, x.generation}
           < std::pair{at->second.incarnation, at->second.generation})
    return nullptr;
  at->second = std::move(x);
  return &at->second;
}

std::vector<const health_state*> health_outbox::of(std::size_t peer) const {
  std::vector<const health_state*> result;
  for (auto i = states_.lower_bound({peer, resource_kind{}, ""});
       i != states_.end() && std::get<0>(i->first) == peer; ++i)
    result.push_back(&i->second);
  return result;
}

health_inbox::verdict health_inbox::judge(std::size_t peer, const health_state& x) const {
  const auto resources = known_.find(peer);
  if (resources == known_.end())
    return verdict::newer;
  const auto at = resources->second.find({x.kind, x.resource});
  if (at == resources->second.end())
    return resources->second.size() < most_resources ? verdict::newer : verdict::too_many;
  const pair now{x.incarnation, x.generation};
  return now > at->second ? verdict::newer : now == at->second ? verdict::repeated : verdict::stale;
}

void health_inbox::take(std::size_t peer, const health_state& x) {
  known_[peer][{x.kind, x.resource}] = {x.incarnation, x.generation};
}

void health_inbox::forget(std::size_t peer) {
  known_.erase(peer);
}

} // namespace spillover::net
