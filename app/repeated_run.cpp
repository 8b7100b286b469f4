#include "app/repeated_run.hpp"

#include "app/commands.hpp"
#include "app/live_line.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <optional>

namespace spillover::app {

namespace {

/// Compares a run with its record, event by event.
class comparison {
public:
  explicit comparison(const event_log& record) : record_(record) {}

  void see(const event& x) {
    const auto place = seen_++;
    // What was killed had no time to write the rest.
    if (!difference_.empty() || place >= record_.events().size())
      return;
    const auto now = to_json(x, record_.sites());
    const auto then = to_json(record_.events()[place], record_.sites());
    if (now != then)
      difference_ = "recorded: " + then + "\nrepeated: " + now;
  }

  /// Both events where they differ at first; "" while they do not.
  [[nodiscard]] const std::string& difference() const noexcept { return difference_; }

private:
  const event_log& record_;
  std::size_t seen_ = 0;
  std::string difference_;
};

/// Lets the world live until every followed request has ended, or it is time.
void repeat(world& w, instant end, live_line& line, const comparison& compared) {
  for (auto at = run_start;
       at < end && !w.stopped() && w.traced().open() > 0 && compared.difference().empty();) {
    at = std::min<instant>(at + std::chrono::seconds{1}, end);
    w.run_until(at);
    line.update(at);
  }
}

} // namespace

int repeat_run(const recorded_run& run, const std::vector<request_name>& followed, instant until,
               bool shown, const std::function<int(const world&)>& then) {
  comparison compared{run.log};
  std::optional<live_line> line{std::in_place, run.spec.lasts, shown};
  world w{run.spec, [&](const event& x) {
            compared.see(x);
            if (line)
              line->see(x);
          }};
  for (const auto& x : followed)
    w.trace(x.consumer, x.number);
  repeat(w, std::min<instant>(until, run_start + run.spec.lasts), *line, compared);
  line.reset();
  if (compared.difference().empty())
    return then(w);
  fmt::print(stderr,
             "spillover: this program does not repeat the run; ask the version that ran it\n{}\n",
             compared.difference());
  return run_failed;
}

} // namespace spillover::app
