#include "app/sweep_line.hpp"

#include "app/stderr_text.hpp"
#include "report/format.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <string_view>

namespace spillover::app {

namespace {

constexpr std::chrono::milliseconds terminal_period{200};
constexpr std::chrono::seconds plain_period{10};

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string_view{kind} != "dumb";
}

} // namespace

std::string span_text(double seconds) {
  const auto s = static_cast<std::uint64_t>(std::llround(seconds));
  if (s < 60)
    return fmt::format("{} s", s);
  if (s < 3600)
    return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", thousands(s / 3600), s / 60 % 60);
}

std::string sweep_progress(std::uint64_t before, std::uint64_t done, std::uint64_t all,
                           double seconds) {
  const auto there = before + done;
  auto result = fmt::format("{} of {} runs  {} %", thousands(there), thousands(all),
                            all == 0 ? 100 : there * 100 / all);
  if (done == 0 || seconds <= 0)
    return result;
  // What was there before took no time.
  const auto rate = static_cast<double>(done) / seconds;
  result += fmt::format("  {:.3g} runs/s", rate);
  if (there < all)
    result += "  " + span_text(static_cast<double>(all - there) / rate) + " left";
  return result;
}

sweep_line::sweep_line(std::uint64_t before, std::uint64_t all, bool enabled)
  : before_(before),
    all_(all),
    enabled_(enabled),
    terminal_(is_terminal()),
    started_(wall::now()),
    next_(started_ + (terminal_ ? terminal_period : plain_period)) {}

sweep_line::~sweep_line() {
  wipe();
}

void sweep_line::wipe() {
  if (shown_ && terminal_)
    try_to_tell("\r\x1b[K");
  shown_ = false;
}

void sweep_line::see(const run_outcome& x) {
  ++done_;
  ++ended_[static_cast<std::size_t>(x.end)];
}

double sweep_line::seconds() const {
  return std::chrono::duration<double>(wall::now() - started_).count();
}

std::string sweep_line::text() const {
  auto result = round_ > 0 ? fmt::format("round {}: ", round_) : std::string{};
  result += sweep_progress(before_, done_, all_, seconds());
  for (const auto x : {run_end::missed, run_end::failed})
    if (const auto count = ended_[static_cast<std::size_t>(x)]; count > 0)
      result += fmt::format("  {} {}", thousands(count), to_string(x));
  return result;
}

void sweep_line::update() {
  if (!enabled_ || wall::now() < next_)
    return;
  next_ = wall::now() + (terminal_ ? terminal_period : plain_period);
  shown_ = true;
  if (terminal_)
    try_to_tell(fmt::format("\r\x1b[K{}", text()));
  else
    try_to_tell(fmt::format("{}\n", text()));
}

void sweep_line::say(const std::string& text) {
  wipe();
  try_to_tell(fmt::format("{}\n", text));
}

} // namespace spillover::app
