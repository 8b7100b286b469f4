#include "net/command_desk.hpp"

#include <algorithm>
#include <utility>

namespace spillover::net {

void command_sender::add(command x, moment now) {
  const auto id = x.id;
  waiting_.insert_or_assign(id, entry{std::move(x), now});
}

std::vector<const command*> command_sender::due(moment now) {
  std::vector<const command*> result;
  for (auto& [id, x] : waiting_)
    if (!x.sent || now - *x.sent >= retry_) {
      x.sent = now;
      result.push_back(&x.what);
    }
  return result;
}

void command_sender::hurry() noexcept {
  for (auto& [id, x] : waiting_)
    x.sent.reset();
}

bool command_sender::answered(std::uint64_t id) {
  return waiting_.erase(id) != 0;
}

std::vector<std::uint64_t> command_sender::given_up(moment now) {
  std::vector<std::uint64_t> result;
  if (give_up_ == span_of_time::zero())
    return result;
  for (auto i = waiting_.begin(); i != waiting_.end();) {
    if (now - i->second.since < give_up_) {
      ++i;
      continue;
    }
    result.push_back(i->first);
    i = waiting_.erase(i);
  }
  return result;
}

command_receiver::verdict command_receiver::judge(std::uint64_t id) const {
  if (seen_.knows(id))
    return seen_.find(id) != nullptr ? verdict::answered : verdict::pending;
  return id <= floor_ ? verdict::forgotten : verdict::fresh;
}

void command_receiver::take(std::uint64_t id) {
  forget(seen_.take(id));
}

bool command_receiver::answer(const command_ack& x) {
  const auto result = seen_.answer(x.id, x);
  forget(seen_.shrink());
  return result;
}

void command_receiver::forget(const std::vector<std::uint64_t>& ids) {
  for (const auto id : ids)
    floor_ = std::max(floor_, id);
}

} // namespace spillover::net
