#include "producers/start_quota.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::chrono::seconds window{60};

} // namespace

void start_quota::take_off(std::uint32_t fault) {
  std::erase_if(quotas_, [fault](const laid& x) { return x.fault == fault; });
}

start_quota::answer start_quota::ask(instant now, std::uint32_t wanted, std::uint32_t members) {
  answer result{wanted};
  if (quotas_.empty())
    return result;
  forget_before(now);
  const auto recent = static_cast<std::uint32_t>(starts_.size());
  std::uint32_t fault = 0;
  const auto limit = [&](std::uint32_t most, std::uint32_t used, std::string words) {
    const auto left = most > used ? most - used : 0;
    if (left < result.granted)
      result = {left, std::move(words), fault};
  };
  for (const auto& x : quotas_) {
    fault = x.fault;
    if (const auto rate = x.what.starts_per_minute)
      limit(*rate, recent, "quota of " + std::to_string(*rate) + " starts a minute");
    if (const auto most = x.what.instances)
      limit(*most, members, "quota of " + std::to_string(*most) + " instances");
  }
  return result;
}

void start_quota::started(instant now) {
  forget_before(now);
  starts_.push_back(now);
}

void start_quota::forget_before(instant now) {
  while (!starts_.empty() && starts_.front() <= now - window)
    starts_.pop_front();
}

} // namespace spillover
