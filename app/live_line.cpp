#include "app/live_line.hpp"

#include "app/stderr_text.hpp"
#include "report/progress_text.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <variant>

namespace spillover::app {

namespace {

constexpr std::chrono::milliseconds terminal_period{100};
/// Of plain lines, which a log keeps; the first one comes earlier.
constexpr std::chrono::seconds plain_period{10};
constexpr std::chrono::seconds first_plain{2};

std::size_t terminal_columns() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return 80;
  return size.ws_col;
}

bool is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && kind != nullptr && std::string_view{kind} != "dumb";
}

std::string clock_text(duration x) {
  const auto s = std::chrono::duration_cast<std::chrono::seconds>(x).count();
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

} // namespace

live_line::live_line(duration lasts, bool enabled)
  : lasts_(lasts),
    enabled_(enabled),
    terminal_(is_terminal()),
    started_(wall::now()),
    next_(started_ + (terminal_ ? terminal_period : first_plain)) {}

live_line::~live_line() {
  if (shown_ && terminal_)
    try_to_tell("\r\x1b[K");
}

void live_line::see(const event& x) {
  if (!enabled_)
    return;
  if (const auto* clients = std::get_if<client_sample>(&x.what))
    requests_ += clients->started;
  else if (const auto* revision = std::get_if<revision_sample>(&x.what))
    instances_[x.entity] = revision->ready + revision->deprioritised;
  else if (const auto* composite = std::get_if<composite_changed>(&x.what))
    services_[x.entity] = composite->after;
}

std::string live_line::text(instant now) const {
  const auto at = now.time_since_epoch();
  const auto seconds = std::chrono::duration<double>(wall::now() - started_).count();
  auto result = fmt::format("{} of {}  {} requests  {:.0f}/s", clock_text(at), clock_text(lasts_),
                            requests_, static_cast<double>(requests_) / seconds);
  if (const auto more = progress_text(instances_, services_); !more.empty())
    result.append("  ").append(more);
  return result;
}

void live_line::update(instant now) {
  if (!enabled_ || wall::now() < next_)
    return;
  next_ = wall::now() + (terminal_ ? terminal_period : plain_period);
  shown_ = true;
  if (terminal_)
    try_to_tell(fmt::format("\r\x1b[K{}", text(now).substr(0, terminal_columns() - 1)));
  else
    try_to_tell(fmt::format("{}\n", text(now)));
}

} // namespace spillover::app
