#pragma once

#include "model/random.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// One entry of a service's traffic.
struct traffic_target {
  /// Name of the revision; empty for the latest one that is ready.
  std::string revision = {};

  /// Share of the service's requests, 0..100. The entries without a tag add up to 100.
  std::uint32_t percent = 0;

  /// Name of a URL of its own, which reaches this revision only. An entry with a tag has 0 percent: a
  /// revision that takes part in the split as well has two entries.
  std::string tag = {};

  friend bool operator==(const traffic_target&, const traffic_target&) = default;
};

/// Lists every reason why `x` cannot be used, each as `[index].field: reason`, or `reason` alone for
/// what is about all of them; empty when valid. No entry at all is valid: all traffic goes to the
/// latest revision that is ready.
std::vector<std::string> validate(std::span<const traffic_target> x);

/// @param x valid
/// @param tag not empty
/// @returns the entry that a request to the URL of `tag` goes to, if there is one.
std::optional<std::size_t> find_tag(std::span<const traffic_target> x,
                                    std::string_view tag) noexcept;

/// @param x valid
/// @param revision a name as the entries have it
/// @returns whether a revision keeps minimum instances of its own warm: when it has a share above 0, or
///          a tag. Without any entry, when it is the latest.
bool keeps_minimum_warm(std::span<const traffic_target> x, std::string_view revision) noexcept;

/// Divides what is set for a whole service, a minimum or a fixed number of instances,
/// over its revisions: each gets its share rounded down, and what is left goes one by one to the
/// largest remainders, of equal ones to the first.
///
/// @param percents shares that add up to 100
/// @returns as many numbers as there are shares; they add up to `count`
std::vector<std::uint32_t> divide_by_traffic(std::uint32_t count,
                                             std::span<const std::uint32_t> percents);

/// As above, for weights that add up to anything above 0.
std::vector<std::uint32_t> divide_by_weights(std::uint32_t count,
                                             std::span<const std::uint32_t> weights);

/// How a request's revision is chosen.
enum class traffic_choice : std::uint8_t {
  /// Each request by a number of its own.
  random,
  /// In turns: of 100 requests in a row each revision gets exactly its percents, spread evenly.
  turns,
};

/// Splits requests over the revisions of a service.
class traffic_splitter {
public:
  /// @param percents shares that add up to 100, e.g. those of the entries of a split
  /// @param choice by which of the two requests are split
  explicit traffic_splitter(std::span<const std::uint32_t> percents,
                            traffic_choice choice = traffic_choice::random);

  /// Chooses for the next request. Takes one number from the stream whatever the split is, so that
  /// a changed split does not shift later draws; in a random split a request whose number lies in the
  /// same part of both, as most do, keeps its revision then.
  /// @returns the index of a share above 0
  std::size_t choose(random_stream& random) noexcept;

private:
  traffic_choice choice_;
  std::array<std::uint32_t, 100> shares_{}; // by hundredths, or in the order of turns
  std::uint32_t turn_ = 0;
};

/// @returns the shares of the entries, in their order.
std::vector<std::uint32_t> percents_of(std::span<const traffic_target> x);

} // namespace spillover
