#pragma once

#include "lb/outlier_detection.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace spillover::test {

/// The detector of one proxy, driven by a line of text.
///
/// Words are "@31.5", which lets time pass to 31.5 s with the sweeps on the way, and outcomes of a
/// host, e.g. "a5*3 b.2*10" for three 500 of host a, then ten times 200 and 502 of host b. Outcomes:
/// `.` 200, `4` 429, `5` 500, `2` 502, `3` 503, `g` 504, `t` no answer in time, `l` lost, `c` the
/// client gave up.
class detector_script {
public:
  detector_script(const outlier_detection_config& config, std::uint32_t hosts,
                  std::uint64_t seed = 1)
    : detector_(config, hosts, random_stream{seed, "proxy"}, config.interval) {}

  /// @returns what happened, e.g. "1s -a consecutive_5xx until 31s\n40s +a\n"; `~` for spared.
  std::string run(std::string_view words) {
    std::istringstream in{std::string{words}};
    for (std::string word; in >> word;) {
      if (word.front() == '@')
        pass_to(run_start
                + std::chrono::milliseconds{std::lround(std::stod(word.substr(1)) * 1000)});
      else
        answer(word);
    }
    return std::move(log_);
  }

  [[nodiscard]] const outlier_detector& detector() const { return detector_; }
  /// The last change.
  [[nodiscard]] const outlier_change& last() const { return last_; }

private:
  void pass_to(instant until) {
    while (detector_.next_sweep() <= until) {
      now_ = detector_.next_sweep();
      tell(detector_.sweep(now_));
    }
    now_ = until;
  }

  void answer(const std::string& word) {
    static const std::map<char, outcome> outcomes{{'.', outcome::ok},
                                                  {'4', outcome::too_many_requests},
                                                  {'5', outcome::internal_error},
                                                  {'2', outcome::bad_gateway},
                                                  {'3', outcome::unavailable},
                                                  {'g', outcome::gateway_timeout},
                                                  {'t', outcome::lb_timeout},
                                                  {'l', outcome::lost},
                                                  {'c', outcome::client_timeout}};
    const auto star = word.find('*');
    const auto times = star == std::string::npos ? 1 : std::atoi(word.c_str() + star + 1);
    const auto host = static_cast<std::uint32_t>(word.front() - 'a');
    for (int i = 0; i < times; ++i)
      for (const auto x : word.substr(1, star == std::string::npos ? star : star - 1))
        tell(detector_.observe(now_, host, outcomes.at(x)));
  }

  void tell(std::span<const outlier_change> changes) {
    for (const auto& x : changes) {
      last_ = x;
      const auto name = std::string(1, static_cast<char>('a' + x.host));
      log_ += to_string(now_.time_since_epoch());
      if (x.action == outlier_action::returned)
        log_ += " +" + name;
      else if (x.action == outlier_action::spared)
        log_ += " ~" + name + " " + x.reason;
      else
        log_ += " -" + name + " " + std::string{to_string(x.detector)} + " until "
                + to_string(x.until.time_since_epoch());
      log_ += '\n';
    }
  }

  outlier_detector detector_;
  instant now_ = run_start;
  outlier_change last_;
  std::string log_;
};

} // namespace spillover::test
