#include "actors/pacer.hpp"

#include "model/check.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace spillover {

namespace {

using real = wall_clock::real;

// So long timers are handled before others' records are looked at again; real time.
constexpr std::chrono::microseconds slice{500};

// Timers between two looks at the clock, which costs as much as a tenth of one of them.
constexpr int timers_per_look = 16;

} // namespace

pacer::pacer(virtual_coordinator& world, const wall_clock& clock, std::function<void()> take_in)
  : world_(world),
    clock_(clock),
    take_in_(std::move(take_in)),
    wake_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wake_fd_ < 0)
    throw std::system_error{errno, std::generic_category(), "eventfd"};
}

pacer::~pacer() {
  ::close(wake_fd_);
}

void pacer::wake() const noexcept {
  const std::uint64_t one = 1;
  // It fails only when it was called 2^64 times since the last wait: then it is awake.
  static_cast<void>(!::write(wake_fd_, &one, sizeof one));
}

void pacer::run_until(instant to) {
  // Of this thread: by default the kernel may let each wait last 50 us longer.
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  stopped_ = false;
  world_.settle();
  while (!stopped_ && !world_.halted()) {
    catch_up(to);
    const auto now = std::min(clock_.now(), to);
    const auto behind = world_.events().next_due() <= now;
    if (!behind && now > world_.events().now())
      world_.run_until(now);
    if (take_in_) {
      take_in_();
      world_.settle();
    }
    if (behind)
      continue;
    if (now >= to || stopped_ || world_.halted())
      return;
    wait(std::min(world_.events().next_due(), to));
  }
}

void pacer::catch_up(instant to) {
  auto look = real::now();
  const auto enough = look + slice;
  for (auto handled = 1; look < enough && !stopped_ && !world_.halted(); ++handled) {
    const auto due = world_.events().next_due();
    if (due > to || due > clock_.at(look))
      return;
    late_.add(look - clock_.real_of(due));
    world_.run_until(due);
    if (handled % timers_per_look == 0)
      look = real::now();
  }
}

void pacer::wait(instant due) {
  const auto left = std::min<duration>(clock_.real_of(due) - real::now(), std::chrono::seconds{1});
  if (left <= duration::zero())
    return;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  const timespec span{seconds.count(), (left - seconds).count()};
  pollfd awaited{wake_fd_, POLLIN, 0};
  if (::ppoll(&awaited, 1, &span, nullptr) <= 0)
    return;
  std::uint64_t calls = 0;
  static_cast<void>(!::read(wake_fd_, &calls, sizeof calls));
}

} // namespace spillover
