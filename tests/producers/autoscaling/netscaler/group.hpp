#pragma once

#include "producers/autoscaling/netscaler/decider.hpp"
#include "tests/producers/autoscaling/netscaler/collected.hpp"

#include <functional>
#include <string>
#include <vector>

namespace spillover::netscaler::test {

/// A group whose nodes all tell the same, once a minute from the run's start; nodes come and go as
/// the decider says, at the very instant.
class group {
public:
  /// The percentages of a minute.
  struct load {
    double cpu = 0;
    double memory = 0;
    double throughput = 0;
  };

  group(const settings& x, std::uint32_t nodes) : subject(x) {
    for (; next_ < nodes; ++next_)
      members.push_back(next_);
  }

  /// Lets minutes pass.
  /// @param last the last one that is collected
  void run(int last, const std::function<load(int)>& of_minute) {
    for (; minute_ <= last; ++minute_) {
      const auto at = run_start + minute_ * std::chrono::minutes{1};
      while (subject.next_due() < at)
        take(subject.advance(subject.next_due()));
      take(subject.advance(at));
      collect(at, of_minute(minute_));
    }
  }

  void collect(instant at, const load& x) {
    nodes_.clear();
    for (const auto member : members)
      nodes_.push_back({member, x.cpu, x.memory, x.throughput, 7});
    take(subject.observe(at, {static_cast<std::uint32_t>(members.size()), collected(nodes_)}));
    reasons.emplace_back(subject.last().reason);
  }

  void take(std::span<const step> steps) {
    for (const auto& x : steps) {
      if (!history.empty())
        history.append(", ");
      history.append(spillover::to_string(x.at.time_since_epoch()))
        .append(" ")
        .append(to_string(x.kind));
      told.push_back(x);
      follow(x);
    }
  }

  decider subject;
  std::vector<std::uint32_t> members;
  /// Every step, e.g. "5m provision, 10m join".
  std::string history;
  std::vector<step> told;
  /// Of the verdicts, by minute.
  std::vector<std::string> reasons;

private:
  void follow(const step& x) {
    if (x.kind == step_kind::provision)
      subject.assign(next_++);
    if (x.kind == step_kind::join)
      members.push_back(x.node);
    if (x.kind == step_kind::drain)
      std::erase(members, x.node);
  }

  std::vector<node_statistics> nodes_;
  std::uint32_t next_ = 0;
  int minute_ = 0;
};

/// @returns a load of memory alone.
inline group::load memory(double percent) {
  return {.memory = percent};
}

} // namespace spillover::netscaler::test
