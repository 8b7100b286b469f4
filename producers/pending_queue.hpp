#pragma once

#include "model/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spillover {

/// Requests that wait for a slot, first come first served, each with the time it came and
/// the starting instance it counts on, if any.
///
/// Every request meets the pending limit twice: first it asks for a new instance (or fails, at the
/// maximum); a request that asked may stay for one limit more, then fails. The caller says
/// what the limit is at each look, because predicted cold starts change; the oldest request is
/// always the first to meet it.
class pending_queue {
public:
  static constexpr std::uint32_t no_instance = 0xffffffff;

  /// One waiting request.
  struct entry {
    std::uint32_t request = 0;
    instant since{};
    std::uint32_t reserved = no_instance;
    bool extended = false;
  };

  /// @param request a key of the caller that does not wait yet; small, because memory follows the
  ///        largest one
  /// @param since not earlier than that of any entry before
  /// @param reserved the starting instance it counts on, or `no_instance`
  void push(std::uint32_t request, instant since, std::uint32_t reserved);

  /// Takes the oldest.
  std::optional<entry> pop();

  /// Takes out one request wherever it waits, e.g. because its request timeout ended.
  /// @returns it, or nothing when it does not wait here
  std::optional<entry> remove(std::uint32_t request);

  /// @returns when the first request meets the limit (of an extended one, twice the limit), or
  ///          `never`.
  [[nodiscard]] instant next_due(duration limit) const noexcept;

  /// @returns the oldest request that met the limit for the first time by `now` and was not
  ///          extended yet.
  [[nodiscard]] std::optional<entry> first_overdue(instant now, duration limit) const noexcept;

  /// Lets that request, the oldest that was not extended yet, stay for another limit, counting on `reserved`.
  void extend_first(std::uint32_t reserved);

  /// Takes the oldest extended request if it met twice the limit by `now`.
  std::optional<entry> pop_expired(instant now, duration limit);

  /// Requests that count on no starting instance.
  [[nodiscard]] std::size_t unreserved() const noexcept { return size() - reserved_; }

  /// Requests that count on starting instance `index`.
  [[nodiscard]] std::uint32_t reserved_on(std::uint32_t index) const noexcept;

  /// Nobody counts on starting instance `index` any more: it serves now, or failed.
  void release(std::uint32_t index);

  [[nodiscard]] std::size_t size() const noexcept { return waiting_; }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }

private:
  /// A place in the ring; one whose request was removed stays until those before it are gone.
  struct place {
    entry what;
    std::uint32_t round = 0; // of the instance counted on
    bool waits = false;
  };

  /// Who counts on one instance; a release begins another round, so that it need not look for them.
  struct promise {
    std::uint32_t count = 0;
    std::uint32_t round = 0;
  };

  place& at(std::uint64_t number) noexcept;
  [[nodiscard]] const place& at(std::uint64_t number) const noexcept;
  [[nodiscard]] entry shown(const place& x) const noexcept;
  void reserve(place& x, std::uint32_t instance);
  void unreserve(place& x) noexcept;
  entry take(std::uint64_t number);
  void tidy() noexcept;
  void make_room();
  void close_gaps() noexcept;

  std::vector<place> ring_;            // its size is a power of 2, or 0
  std::uint64_t head_ = 0;             // number of the oldest that waits
  std::uint64_t fresh_ = 0;            // number of the oldest that was not extended
  std::uint64_t tail_ = 0;             // number of the next to come
  std::vector<std::uint64_t> numbers_; // by request: its number plus 1, or 0 when it does not wait
  std::vector<promise> promises_;      // by instance
  std::size_t waiting_ = 0;
  std::size_t reserved_ = 0;
};

} // namespace spillover
