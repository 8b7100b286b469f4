#pragma once

#include "producers/autoscaling/netscaler/settings.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover::netscaler {

/// No limit of a percentage, or of throughput, is above these.
inline constexpr double most_percent = 100;
inline constexpr double most_throughput = 1e9;

/// What one node told about the last interval (D-1).
struct node_statistics {
  /// Identifies the node; of two nodes the younger one has the larger number.
  std::uint32_t node = 0;

  /// Percent, at least 0.
  double cpu = 0;
  double memory = 0;

  /// At least 0, e.g. requests a second.
  double throughput = 0;

  /// Open at the end of the interval; read by `node_choice::fewest_connections` only.
  std::uint32_t connections = 0;
};

/// @returns `x` in thousandths, rounded; at most 1e12, what is above counts as that.
/// @param x at least 0
std::int64_t in_thousandths(double x) noexcept;

/// What nodes told about one interval, added up as it is told.
class collection {
public:
  /// CPU, memory, throughput.
  static constexpr std::size_t statistics = 3;

  /// Takes in a node. Allocates while there are more than ever before.
  void add(const node_statistics& x);

  /// Forgets all nodes.
  void clear() noexcept;

  /// @returns the nodes in the order in which they told.
  [[nodiscard]] std::span<const node_statistics> nodes() const noexcept { return nodes_; }

  /// @returns a statistic of their cluster, rounded to thousandths (D-1).
  /// @param statistic its place, below `statistics`; there must be a node
  [[nodiscard]] std::int64_t of_cluster(std::size_t statistic,
                                        cluster_statistic how) const noexcept;

private:
  /// Whole thousandths, so that the order of the nodes cannot show.
  struct total {
    std::int64_t sum = 0;
    std::int64_t highest = 0;
  };

  std::vector<node_statistics> nodes_;
  std::array<total, statistics> totals_{};
};

/// Numbers by name, in a fixed order; like `recommendation::inputs`, but without allocating. Names
/// are literals.
class input_list {
public:
  using value_type = std::pair<std::string_view, std::int64_t>;

  void add(std::string_view name, std::int64_t value) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] const value_type* begin() const noexcept { return values_.data(); }
  [[nodiscard]] const value_type* end() const noexcept { return values_.data() + size_; }

  /// @returns the number of that name, if there is one.
  [[nodiscard]] std::optional<std::int64_t> find(std::string_view name) const noexcept;

  friend bool operator==(const input_list& x, const input_list& y) noexcept;

private:
  std::array<value_type, 24> values_{};
  std::size_t size_ = 0;
};

/// Watches the statistics of a cluster for breaches of their limits (D-2, D-4, D-5).
class breach_watch {
public:
  /// @param x valid
  explicit breach_watch(const settings& x) noexcept;

  /// Takes one collection into account. One without any node says nothing, and so ends every breach.
  /// @param at later than last time
  void observe(instant at, const collection& told) noexcept;

  /// Forgets all breaches.
  void restart() noexcept;

  /// @returns the name of the first statistic that has been above its maximum for the watch time:
  ///          "CPU", "MEMORY", "THROUGHPUT", or "" while there is none. Any one is enough.
  [[nodiscard]] std::string_view too_high() const noexcept;

  /// @returns who has been below the minimum for the watch time: the name of the only statistic that
  ///          is selected, "ALL" when several are, or "". Each must be below.
  [[nodiscard]] std::string_view too_low() const noexcept;

  /// @returns whether the last collection breached anything.
  [[nodiscard]] bool breached() const noexcept;

  /// Adds every number that `too_high` and `too_low` read; spans of breaches that there are not
  /// are -1.
  void list(input_list& to) const noexcept;

private:
  struct watched {
    bool selected = false;
    std::int64_t min = 0; // in thousandths, as are the others
    std::int64_t max = 0;
    std::int64_t value = 0;
    std::optional<instant> above_since = std::nullopt;
  };

  [[nodiscard]] bool long_enough(const std::optional<instant>& since) const noexcept;
  [[nodiscard]] std::int64_t lasted(const std::optional<instant>& since) const noexcept;

  duration watch_time_;
  watch_rule rule_;
  cluster_statistic statistic_;
  std::array<watched, collection::statistics> watched_;
  std::optional<instant> below_since_;
  instant at_{};
  std::size_t reporting_ = 0;
};

} // namespace spillover::netscaler
