#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The payloads that tell of a deployment's processes, and of its operators. See model/event.hpp.

namespace spillover {

/// The process of a site takes part in the run from now on; the entity is the site. Only in deployments.
struct site_joined {
  static constexpr std::string_view kind = "site_joined";
  /// Counts the processes of the site, from 1.
  std::uint32_t incarnation = 1;
  /// The run went on already; everything at the site starts anew.
  bool late = false;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("incarnation", x.incarnation);
    f("late", x.late);
  }
};

/// The director has not heard of a site's process for too long, or it is gone. The site's books then have
/// no end, nor has what it had not told.
struct site_lost {
  static constexpr std::string_view kind = "site_lost";
  std::string site;
  std::string reason;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("site", x.site);
    f("reason", x.reason);
  }
};

/// A site that was lost is heard of again: the same process was only silent.
struct site_returned {
  static constexpr std::string_view kind = "site_returned";
  std::string site;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("site", x.site);
  }
};

/// An operator had something done to a deployment while it ran.
struct operator_acted {
  static constexpr std::string_view kind = "operator_acted";
  /// Who, as far as known, e.g. "operator at 127.0.0.1:40112".
  std::string who;
  /// E.g. "fault add {...}".
  std::string what;

  template <class F, class Self>
  static void fields(F&& f, Self& x) {
    f("who", x.who);
    f("what", x.what);
  }
};

} // namespace spillover
