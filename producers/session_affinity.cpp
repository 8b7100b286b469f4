#include "producers/session_affinity.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::uint32_t most_sessions = 1'000'000;

} // namespace

std::vector<std::string> validate(const routing_config& x) {
  std::vector<std::string> problems;
  if (x.affinity && (x.affinity->sessions < 1 || x.affinity->sessions > most_sessions))
    problems.emplace_back("session_affinity.sessions: must be within 1..1000000");
  if (x.affinity && x.affinity->ttl <= duration::zero())
    problems.emplace_back("session_affinity.ttl: must be above 0s");
  return problems;
}

std::optional<std::uint32_t> session_table::find(instant now,
                                                 const record& request) const noexcept {
  const auto known = std::find_if(consumers_.begin(), consumers_.end(),
                                  [&](const auto& x) { return x.first == request.reply_to; });
  if (known == consumers_.end())
    return std::nullopt;
  const auto& x = known->second[session_of(request)];
  if (x.instance == nobody_yet || now - x.set >= config_.ttl)
    return std::nullopt;
  return x.instance;
}

void session_table::remember(instant now, const record& request, std::uint32_t instance) {
  auto known = std::find_if(consumers_.begin(), consumers_.end(),
                            [&](const auto& x) { return x.first == request.reply_to; });
  if (known == consumers_.end())
    known = consumers_.insert(known, {request.reply_to, std::vector<cookie>(config_.sessions)});
  auto& x = known->second[session_of(request)];
  if (x.instance != instance || now - x.set >= config_.ttl)
    x = {instance, now};
}

} // namespace spillover
