#pragma once

#include "model/event.hpp"
#include "sites/journal.hpp"
#include "sites/plan_messages.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillover {

/// One thing that the director has to do because of who came, went or answered.
struct roster_effect {
  enum class kind : std::uint8_t {
    /// Give a site its plan, tell it where the others are, or have it close its books.
    plan,
    peers,
    finish,
    /// Keep in the journal which process speaks for a site.
    remember,
    /// Answer the command by which a site joined.
    accept,
    /// Record that a site was lost, and why, or that it returned.
    lost,
    returned,
    /// There will be no run, and why.
    fail,
  };
  kind what = kind::plan;
  /// By its number in the plan.
  std::size_t site = 0;
  std::string why = {};
  friend bool operator==(const roster_effect&, const roster_effect&) = default;
};
using roster_effects = std::vector<roster_effect>;

/// Which processes take part in a deployment, and how far each is: the director's decisions about its sites.
///
/// Pure: takes what came, and returns what is to be done, in order. Site 0 is the director itself, which always
/// takes part. Messages may come twice, late, or from a process that was replaced since.
class roster {
public:
  enum class phase : std::uint8_t { gathering, planning, running, finishing };

  struct member {
    std::string name;
    known_process process = {};
    bool joined = false;
    /// It knows the others, and is connected to them.
    bool met = false;
    bool lost = false;
    /// The director before had lost it, and it did not come to this one yet.
    bool lost_before = false;
    bool told_to_finish = false;
    bool finished = false;
    finished_message done = {};
    /// Lines of its event log that came from its process.
    std::uint64_t lines = 0;
    /// Lines that came of the processes before it, by their start.
    std::map<std::uint64_t, std::uint64_t> earlier = {};
    std::uint64_t last_event = 0;

    /// @returns whether nothing more is to be waited for.
    [[nodiscard]] bool settled() const noexcept {
      return lost || (finished && lines >= done.lines);
    }
  };

  /// Events of a site's next process are numbered from the next multiple of this, so that none of them has the
  /// number of one that was lost with the process before.
  static constexpr std::uint64_t numbers_of_a_process = 1'000'000;

  /// @param sites of the plan, the director first
  explicit roster(const std::vector<std::string>& sites);

  /// What an earlier director knew of a site; before anything else.
  void restore(const std::string& site, const known_process& x, std::uint64_t lines,
               std::map<std::uint64_t, std::uint64_t> earlier = {});

  [[nodiscard]] const std::vector<member>& members() const noexcept { return members_; }
  [[nodiscard]] phase now() const noexcept { return phase_; }

  /// The deployment is at its next step; finishing, everybody is told so.
  roster_effects enter(phase next);

  /// The run ends before its time: everybody is told, now or when it can be.
  roster_effects stop();

  /// A process joins, which may be known already.
  /// @param start tells processes of a site apart
  roster_effects join(std::size_t site, std::uint64_t start, const net::endpoints& at);

  /// No sign of life of a site came for too long, or one of this process came again.
  roster_effects silent(std::size_t site, std::string why);
  roster_effects heard(std::size_t site, std::uint64_t start);

  /// The process of a site ended, as whoever started it knows.
  roster_effects ended(std::string_view site, const std::string& how);

  /// Sites that an earlier director had, and that did not come to this one.
  roster_effects give_up_absent();

  /// The order to finish was not answered in time.
  roster_effects unanswered_finish(std::size_t site);
  void met(std::size_t site) { members_[site].met = true; }
  void finished(std::size_t site, finished_message x);

  /// A line of this process's event log came.
  void told(std::size_t site, std::uint64_t line);
  /// One of a process before it came.
  void told_of(std::size_t site, std::uint64_t process, std::uint64_t line);
  /// @returns the last line that came of a process which took part before the one that does now; nothing when there
  ///          was no such process
  [[nodiscard]] std::optional<std::uint64_t> known_of(std::size_t site,
                                                      std::uint64_t process) const;
  /// An event of any site is known, of this or of an earlier director.
  void knows(const event& x, bool earlier);

  [[nodiscard]] bool all(bool member::*what) const;
  [[nodiscard]] bool all_settled() const;
  /// @returns their names, separated by commas.
  [[nodiscard]] std::string names_without(bool member::*what) const;

  /// @returns whether orders can reach a site.
  [[nodiscard]] bool takes_part(std::size_t site) const {
    return site != 0 && members_[site].joined && !members_[site].lost;
  }

private:
  /// There is a world: what happens to sites is part of the run.
  [[nodiscard]] bool lives() const noexcept { return phase_ >= phase::running; }
  void come_back(std::size_t site, roster_effects& to);
  void finish(std::size_t site, roster_effects& to);
  void finish_all(roster_effects& to);

  std::vector<member> members_;
  phase phase_ = phase::gathering;
  bool stopping_ = false;
};

/// @returns it in words, e.g. "plan us-east1" or "lost us-east1: its process ended".
std::string to_string(const roster_effect& x, const std::vector<std::string>& sites);

} // namespace spillover
