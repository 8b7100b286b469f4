#pragma once

#include "model/random.hpp"
#include "model/time.hpp"
#include "producers/autoscaling/kpa/request_stats.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace spillover::kpa {

/// The queue-proxies of a revision's ready pods, and who scrapes them (C-7, C-9).
class pod_reports {
public:
  /// @param sample scrape `sample_size` pods instead of all of them
  /// @param stable_window pods at least as old as this are scraped first
  pod_reports(bool sample, duration stable_window, random_stream random);

  /// A pod becomes ready, and is scraped from now on, or no longer.
  void add(instant now, std::uint32_t index);
  void remove(std::uint32_t index);

  /// A request comes to a pod, or leaves it; one of a pod that is not ready counts nowhere.
  void begin(instant now, std::uint32_t index, bool proxied) noexcept;
  void end(instant now, std::uint32_t index, bool proxied) noexcept;

  /// Every queue-proxy reports, then they are scraped.
  /// @returns what all pods together do, as far as the sample tells; nothing without pods
  std::optional<request_report> scrape(instant now);

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(pods_.size());
  }

private:
  static constexpr std::uint32_t none = 0xffffffff;

  struct pod {
    std::uint32_t index = 0;
    instant since{};
    request_stats stats;
    request_report last = {};
  };

  [[nodiscard]] pod* find(std::uint32_t index) noexcept;
  void draw(instant now, std::uint32_t count);

  bool sample_;
  duration stable_window_;
  random_stream random_;
  std::vector<pod> pods_;             // in the order in which they became ready
  std::vector<std::uint32_t> places_; // in `pods_`, by index
  std::vector<std::uint32_t> drawn_;  // places; those of the sample come first
};

} // namespace spillover::kpa
