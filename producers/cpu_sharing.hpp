#pragma once

#include "model/time.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace spillover {

/// Shares an instance's CPU among the requests that want it (processor sharing).
///
/// Each request runs on one vCPU at most, so n of them on C vCPUs each get min(1, C / n). A job
/// that needs w of CPU alone therefore ends when the *virtual work* of the instance, which grows by
/// min(1, C / n) a second, has grown by w since the job came.
///
/// Ends are whole nanoseconds, rounded up; what is left of a nanosecond after an end is not used. Jobs
/// whose work is whole nanoseconds end exactly when no more than C of them run. Calls may come later
/// than `next_end()`: jobs end when they do, whenever they are taken out.
class cpu_sharing {
public:
  /// @param cpu vCPUs, above 0
  explicit cpu_sharing(double cpu) noexcept;

  /// Adds a job.
  /// @param now never earlier than in any earlier call
  /// @param job the caller's key
  /// @param work CPU time that the job needs, at least 0
  void add(instant now, std::uint32_t job, duration work);

  /// @returns when the next job ends if none comes before, rounded up to a nanosecond, or `never`.
  [[nodiscard]] instant next_end() const noexcept;

  /// Takes out one job that has ended by `now`: the one with the least work left, and of equal
  /// ones the first that came.
  std::optional<std::uint32_t> take_ended(instant now);

  /// Drops all jobs.
  void clear(instant now);

  /// Lets something that is no job burn CPU all the time; jobs share what it leaves.
  /// @param vcpus at least 0, less than what there is; 0 makes everything as it was before
  void set_background(instant now, double vcpus);

  /// Changes how many vCPUs there are. What jobs had done by then stays done.
  /// @param cpu vCPUs, above what the background burns
  void set_cpu(instant now, double cpu);

  /// @returns the CPU time used from the start up to `now`, by jobs and in the background, never
  ///          decreasing.
  duration used(instant now) noexcept;

  /// Jobs that run, or ended and were not taken out yet.
  [[nodiscard]] std::size_t size() const noexcept { return jobs_.size() + ended_.size() - taken_; }

private:
  struct job_end {
    double work = 0;
    std::uint64_t order = 0;
    std::uint32_t job = 0;
  };
  struct later {
    bool operator()(const job_end& x, const job_end& y) const noexcept {
      return x.work != y.work ? x.work > y.work : x.order > y.order;
    }
  };
  struct ended_job {
    instant at;
    std::uint32_t job = 0;
  };

  [[nodiscard]] instant running_end() const noexcept;
  void advance(instant now);
  std::uint32_t finish_first(instant end) noexcept;
  void do_work(double until) noexcept;
  void rebase() noexcept;
  void adjust_speed() noexcept;
  void count_background(instant now) noexcept;

  double cpu_;           // vCPUs that jobs share
  double speed_ = 1;     // min(1, cpu / jobs)
  double work_ = 0;      // virtual work done since it was last set back, ns
  duration used_{};      // CPU time used so far,
  double used_part_ = 0; // and what is less than a nanosecond of it
  instant at_{};         // up to when all three are counted
  std::uint64_t order_ = 0;
  std::vector<job_end> jobs_;    // a binary heap, least work first
  std::vector<ended_job> ended_; // ended before `at_` without being taken out, in order
  std::size_t taken_ = 0;        // how many of those were taken out
  double whole_cpu_;             // vCPUs, of which the background burns some
  double background_ = 0;
  instant background_at_{}; // up to when the background's use is counted,
  duration background_used_{};
  double background_part_ = 0; // and what is less than a nanosecond of it
};

} // namespace spillover
