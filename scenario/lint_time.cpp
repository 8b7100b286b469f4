#include "scenario/lint_checks.hpp"

#include <algorithm>
#include <variant>

namespace spillover {

namespace {

std::string time_text(instant x) {
  return to_string(x.time_since_epoch());
}

std::string place_in(const scenario& x, const fault& y) {
  return std::to_string(&y - x.faults.data());
}

// Calls `visit(place in the list, expectation)` for each one of a kind.
template <class Kind, class Visit>
void for_each_expected(const scenario& x, Visit visit) {
  for (std::size_t i = 0; i < x.expectations.size(); ++i)
    if (const auto* y = std::get_if<Kind>(&x.expectations[i].what))
      visit(std::to_string(i), *y);
}

// Whether something that may take `within` from `at` can be over after the end of the run.
bool beyond_end(const scenario& x, instant at, duration within) {
  return within > run_start + x.lasts - at;
}

void add_beyond_end(const lint_path& place, const std::string& what, const scenario& x, instant at,
                    const std::string& since, duration within, lint_list& out) {
  if (beyond_end(x, at, within))
    out.add(place, what + " within " + to_string(within) + ": counts from " + since + " at "
                     + time_text(at) + " at the earliest, and the run ends at " + to_string(x.lasts)
                     + ", which may be too early to tell; make the run longer");
}

// When the first of the faults ends that probes can meet and that hit a region after the warm-up; the
// run's end when none does before.
instant first_end(const scenario& x, std::string_view region) {
  auto result = run_start + x.lasts;
  for (const auto& y : x.faults)
    if (y.at >= run_start + x.warm_up && hits(y, region) && probes_can_meet(y))
      result = std::min(result, end_of(y, x));
  return result;
}

// The consumer that waits longest for an answer; of one name, when that is not empty.
const consumer_spec* slowest_of(const scenario& x, std::string_view name) {
  const consumer_spec* result = nullptr;
  for (const auto& y : x.consumers)
    if ((name.empty() || y.name == name)
        && (result == nullptr || y.load_balancer.timeout > result->load_balancer.timeout))
      result = &y;
  return result;
}

} // namespace

/// Requests that a silent or cut-off region took are known to have failed only when the load balancer's
/// timeout ends (B-58); a window shorter than that may count none of them. Way out: a longer window, or a
/// shorter timeout.
void lint_short_errors_window(const scenario& x, lint_list& out) {
  for_each_expected<expect_errors>(x, [&](const std::string& i, const expect_errors& y) {
    const auto* const slowest = slowest_of(x, y.consumer);
    if (slowest == nullptr || y.to - y.from >= slowest->load_balancer.timeout)
      return;
    const auto timeout = slowest->load_balancer.timeout;
    out.add(lint_path{"expect", i, "errors", "to"},
            "errors from " + time_text(y.from) + " to " + time_text(y.to) + ": " + slowest->name
              + " waits up to " + to_string(timeout)
              + " for an answer, so that failures of this time are counted after it; end it at "
              + time_text(y.from + timeout) + " or later, or lower load_balancer.timeout");
  });
}

/// The warm-up is left out of error shares, so that only the rest of the window counts. Way out: begin
/// at the end of the warm-up.
void lint_window_in_warm_up(const scenario& x, lint_list& out) {
  for_each_expected<expect_errors>(x, [&](const std::string& i, const expect_errors& y) {
    if (y.from < run_start + x.warm_up)
      out.add(lint_path{"expect", i, "errors", "from"},
              "errors from " + time_text(y.from) + ": the warm-up ends at " + to_string(x.warm_up)
                + ", and nothing before counts; begin there");
  });
}

/// A closed loop whose clients begin after the run's end sends nothing, and neither does a trace. Way out: an
/// earlier beginning, or a longer run.
void lint_load_beyond_end(const scenario& x, lint_list& out) {
  const auto end = run_start + x.lasts;
  for (const auto& consumer : x.consumers)
    for (std::size_t i = 0; i < consumer.traffic.size(); ++i) {
      const auto path = [&](const char* load, const char* key) {
        return lint_path{"consumers", consumer.name, "traffic", std::to_string(i), load, key};
      };
      const auto ends = ", and the run ends at " + to_string(x.lasts) + ": ";
      const auto* const loop = std::get_if<closed_loop_config>(&consumer.traffic[i]);
      if (loop != nullptr && loop->from >= end)
        out.add(path("closed_loop", "from"), consumer.name + ": the clients begin at "
                                               + time_text(loop->from) + ends
                                               + "they send nothing; let them begin earlier");
      const auto* const trace = std::get_if<trace_config>(&consumer.traffic[i]);
      if (trace != nullptr && trace->at >= end)
        out.add(path("trace", "at"), consumer.name + ": the trace begins at " + time_text(trace->at)
                                       + ends + "nothing of it is played; let it begin earlier");
    }
}

/// The time that an expectation allows is not over when the run ends, counted from a fault that probes
/// can meet. Way out: a longer run.
void lint_expectation_beyond_end(const scenario& x, lint_list& out) {
  for_each_expected<expect_failover>(x, [&](const std::string& i, const expect_failover& y) {
    if (const auto* cause = first_fault(x, y.from, probes_can_meet))
      add_beyond_end({"expect", i, "failover", "within"}, "failover from " + y.from, x, cause->at,
                     "the fault", y.within, out);
  });
  for_each_expected<expect_failback>(x, [&](const std::string& i, const expect_failback& y) {
    // Those that never end have a lint of their own.
    const auto first = first_end(x, y.to);
    if (first < run_start + x.lasts)
      add_beyond_end({"expect", i, "failback", "within"}, "failback to " + y.to, x, first,
                     "the fault's end", y.within, out);
  });
  for_each_expected<expect_capacity_recovered>(x, [&](const std::string& i,
                                                      const expect_capacity_recovered& y) {
    if (const auto* cause = first_fault(x, {}, probes_can_meet))
      add_beyond_end({"expect", i, "capacity_recovered", "within"}, "capacity recovered in " + y.in,
                     x, cause->at, "the end of routing, which follows the fault", y.within, out);
  });
}

/// The clocks of a failover whose fault begins in the warm-up are left out, as if there had been none.
/// Said of what probes can meet. Way out: a later fault, or a shorter warm-up.
void lint_fault_in_warm_up(const scenario& x, lint_list& out) {
  for (const auto& y : x.faults)
    if (y.at < run_start + x.warm_up && probes_can_meet(y))
      out.add(lint_path{"faults", place_in(x, y), "at"},
              to_string(y) + ": begins at " + time_text(y.at) + ", in the warm-up, which ends at "
                + to_string(x.warm_up)
                + "; a failover that it causes is not judged; let it begin later");
}

/// A fault that should end after the run never ends in it. Way out: a longer run, or no `for`.
void lint_fault_outlasts_run(const scenario& x, lint_list& out) {
  const auto end = run_start + x.lasts;
  for (const auto& y : x.faults)
    if (y.lasts && *y.lasts > end - y.at)
      out.add(lint_path{"faults", place_in(x, y), "for"},
              to_string(y) + ": lasts " + to_string(*y.lasts) + " from " + time_text(y.at)
                + ", and the run ends at " + to_string(x.lasts)
                + ", before the fault does; leave out for, or make the run longer");
}

/// A failback counts from the end of the fault (B-29), which does not come: no fault that probes can meet
/// ends in the run. Way out: one that does.
void lint_failback_without_end(const scenario& x, lint_list& out) {
  for_each_expected<expect_failback>(x, [&](const std::string& i, const expect_failback& y) {
    const auto* cause = first_fault(x, y.to, probes_can_meet);
    if (cause != nullptr && first_end(x, y.to) >= run_start + x.lasts)
      out.add(lint_path{"expect", i, "failback", "to"},
              "failback to " + y.to + ": counts from the end of " + to_string(*cause)
                + ", which does not end in the run; give it a for that does");
  });
}

} // namespace spillover
