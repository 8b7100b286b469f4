#pragma once

#include "report/event_log.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace spillover {

/// Finds events of a log by kind and by cause.
///
/// Keeps pointers into the log, which must neither grow nor go away meanwhile.
class event_index {
public:
  explicit event_index(const event_log& log);

  [[nodiscard]] const event_log& log() const noexcept { return log_; }

  /// @returns the events with payload `T`, in the order of the log.
  template <class T>
  [[nodiscard]] std::span<const event* const> all() const noexcept {
    return kinds_[place_of<T>()];
  }

  /// @returns the events that name `cause` as their cause, in the order of the log.
  [[nodiscard]] std::span<const event* const> effects_of(event_id cause) const;

  /// @returns the event's cause, or nullptr.
  [[nodiscard]] const event* cause_of(const event& x) const { return log_.find(x.cause); }

  /// @returns the end of the warm-up; the run's start when the log does not begin with it.
  [[nodiscard]] instant warm_up_end() const noexcept;

  /// @returns when the run ended; for a log that breaks off, its last event.
  [[nodiscard]] instant run_end() const noexcept;

  /// @returns whether the log tells less than a whole run would: a condition of `stop_if` ended it, or
  ///          the log breaks off, as that of a program that was killed does.
  [[nodiscard]] bool ends_early() const noexcept;

  /// @returns what is to be said of something that did not happen: "not within the run", "stopped
  ///          before" or "the log ends before".
  [[nodiscard]] std::string_view unreached() const noexcept;

private:
  template <class T, std::size_t I = 0>
  static constexpr std::size_t place_of() noexcept {
    if constexpr (std::is_same_v<T, std::variant_alternative_t<I, payload>>)
      return I;
    else
      return place_of<T, I + 1>();
  }

  const event_log& log_;
  std::array<std::vector<const event*>, std::variant_size_v<payload>> kinds_;
  std::vector<const event*> caused_; // by cause, then in the order of the log
};

/// @returns the payload of an event that is known to hold a `T`.
template <class T>
const T& payload_of(const event* x) {
  return std::get<T>(x->what);
}

/// @returns the first part of a path, e.g. "us-east1" of "us-east1/checkout/web".
constexpr std::string_view first_part(std::string_view path) noexcept {
  return path.substr(0, path.find('/'));
}

/// @returns the last part of a path, e.g. "web" of "us-east1/checkout/web".
constexpr std::string_view last_part(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

/// @returns the path without its last part; "" when it has only one.
constexpr std::string_view parent_of(std::string_view path) noexcept {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
}

/// @returns the path of a revision, e.g. "us-east1/checkout/web/v2"; that of its backend service when no
///          revision is named.
inline std::string path_of(const std::string& backend, const std::string& revision) {
  return revision.empty() ? backend : backend + "/" + revision;
}

/// @returns whether `path` is `parent` or lies below it.
constexpr bool is_within(std::string_view path, std::string_view parent) noexcept {
  return path.starts_with(parent) && (path.size() == parent.size() || path[parent.size()] == '/');
}

/// @returns the regions that a route names, e.g. two for "us-east1+us-west1".
std::vector<std::string_view> regions_of(std::string_view route);

/// @returns whether a route names the region.
bool route_uses(std::string_view route, std::string_view region);

} // namespace spillover
