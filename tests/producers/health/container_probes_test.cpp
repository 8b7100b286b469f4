#include "producers/health/container_probes.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace spillover {
namespace {

using namespace std::chrono_literals;
using lines = std::vector<std::string>;

/// Lets the probes run over answers that are given by time, and notes what they find, with the second.
class probing {
public:
  probing(const std::optional<liveness_probe_config>& liveness,
          const std::optional<readiness_probe_config>& readiness)
    : subject_(liveness, readiness) {}

  lines start_at(duration at) {
    subject_.startup_passed(run_start + at);
    return {};
  }

  /// @param answers `+`, `-` or `?` (silence) for each second
  lines run(const std::string& answers) {
    lines result;
    const auto end = run_start + std::chrono::seconds{answers.size()};
    while (subject_.next() < end) {
      const auto now = subject_.next();
      const auto second = static_cast<std::size_t>((now - run_start) / 1s);
      const auto x = subject_.on_time(now, [&] {
        ++asked;
        const auto c = answers[second];
        return c == '+'   ? probe_result::answered
               : c == '-' ? probe_result::refused
                          : probe_result::silent;
      });
      EXPECT_GT(subject_.next(), now) << "work is left";
      const auto at = std::to_string(second);
      if (x.counts)
        counts.push_back(std::string{to_string(*x.counts)} + " " + at);
      if (x.takes_requests)
        result.push_back((*x.takes_requests ? "on " : "off ") + at);
      if (x.restart)
        result.push_back("restart " + at);
    }
    return result;
  }

  int asked = 0;
  lines counts = {}; // what it counts as for service health, and since when
  [[nodiscard]] instant next() const { return subject_.next(); }

private:
  container_probes subject_;
};

TEST(ContainerProbes, FindOutWhenTheirTimeComes) {
  const liveness_probe_config alive{.period = 2s, .timeout = 1s, .failure_threshold = 2};
  const readiness_probe_config ready{
    .period = 3s, .timeout = 1s, .failure_threshold = 2, .success_threshold = 2};
  auto late = alive;
  late.initial_delay = 5s;
  auto patient = alive;
  patient.timeout = 2s;
  struct {
    const char* why = "";
    std::optional<liveness_probe_config> liveness = std::nullopt;
    std::optional<readiness_probe_config> readiness = std::nullopt;
    std::string answers = {};
    lines expected = {};
  } const cases[] = {
    {"all is well", alive, ready, "++++++++++", {}},
    {"errors count at once: at 0 and 2", alive, {}, "-----", {"restart 2"}},
    {"silence counts when the timeout is over: of the probes at 0 and 2",
     alive,
     {},
     "?????",
     {"restart 3"}},
    {"a timeout as long as the period: of 0 at 2, of 2 at 4", patient, {}, "??????", {"restart 4"}},
    {"what speaks again too late was silent", alive, {}, "?+?+++", {"restart 3"}},
    {"a success in between", alive, {}, "--+-+-+-+", {}},
    {"after the initial delay: at 5 and 7", late, {}, "---------", {"restart 7"}},
    {"readiness: off at 3, on at the second success, of 9",
     {},
     ready,
     "----++++++++++",
     {"off 3", "on 9"}},
    {"silence at 0 and 3, of which the second ends at 4", {}, ready, "???????", {"off 4"}},
    {"both, liveness first; then no probes at all", alive, ready, "-----------", {"restart 2"}},
    {"neither", {}, {}, "-------", {}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    probing subject{x.liveness, x.readiness};
    subject.start_at(0s);
    EXPECT_EQ(subject.run(x.answers), x.expected);
  }
}

TEST(ContainerProbes, A_64_AreOffUntilTheStartIsOver) {
  probing subject{liveness_probe_config{}, readiness_probe_config{}};
  EXPECT_EQ(subject.next(), never);
  EXPECT_EQ(subject.run("------------------------------"), lines{});
  EXPECT_EQ(subject.asked, 0);
  subject.start_at(7s);
  EXPECT_EQ(subject.next(), run_start + 7s);
}

TEST(ContainerProbes, B_68_TellWhatTheFirstResultOfReadinessSaysAndWhatChangesIt) {
  const readiness_probe_config ready{
    .period = 3s, .timeout = 2s, .failure_threshold = 3, .success_threshold = 2};
  const struct {
    const char* why = "";
    const char* answers = "";
    lines expected = {};
    lines taking = {};
  } cases[] = {
    {"a success at once", "++++++++", {"HEALTHY 0"}, {}},
    {"an error decides alone, although requests come", "-++", {"UNHEALTHY 0"}, {}},
    {"silence does at its timeout", "??+", {"UNHEALTHY 2"}, {}},
    {"what begins ill needs its successes", "-++++++", {"UNHEALTHY 0", "HEALTHY 6"}, {}},
    {"which a failure begins anew", "-+++++-++++++++++", {"UNHEALTHY 0", "HEALTHY 12"}, {}},
    {"and the third failure is nothing new", "-------", {"UNHEALTHY 0"}, {"off 6"}},
    {"what begins well needs its failures", "++-------", {"HEALTHY 0"}, {}},
    {"three of them", "++----------", {"HEALTHY 0", "UNHEALTHY 9"}, {"off 9"}},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    probing subject{std::nullopt, ready};
    subject.start_at(0s);
    EXPECT_EQ(subject.run(x.answers), x.taking);
    EXPECT_EQ(subject.counts, x.expected);
  }
}

TEST(ContainerProbes, AskOnceForEachProbeThatBegins) {
  probing subject{liveness_probe_config{.period = 5s}, readiness_probe_config{.period = 10s}};
  subject.start_at(0s);
  subject.run(std::string(60, '+'));
  EXPECT_EQ(subject.asked, 12 + 6);
}

} // namespace
} // namespace spillover
