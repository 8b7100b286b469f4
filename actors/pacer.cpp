#include "actors/pacer.hpp"

#include "model/check.hpp"

#include <poll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

using real = wall_clock::real;

// So long timers are handled before others' records are looked at again; real time.
constexpr std::chrono::microseconds slice{500};

// After so many short waits in a row a site that speaks with others rests instead of waiting: what is due
// meanwhile, and what comes, is handled together. Each exchange wakes half a dozen threads on its way, which
// from some thousand requests a second on would take more time than the requests.
constexpr int busy = 8;
constexpr std::chrono::microseconds short_wait{500};
constexpr std::chrono::microseconds rest_span{200};

} // namespace

pacer::pacer(virtual_coordinator& world, const wall_clock& clock, pacer_hooks with)
  : world_(world), clock_(clock), hooks_(std::move(with)) {}

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
    if (hooks_.take_in) {
      hooks_.take_in();
      world_.settle();
    }
    if (hooks_.give_out)
      hooks_.give_out();
    if (behind)
      continue;
    if (now >= to || stopped_ || world_.halted())
      return;
    wait(std::min(world_.events().next_due(), to));
  }
}

void pacer::catch_up(instant to) {
  const auto enough = real::now() + slice;
  while (!stopped_ && !world_.halted()) {
    const auto due = world_.events().next_due();
    const auto look = real::now();
    if (due > to || due > clock_.at(look) || look >= enough)
      return;
    late_.add(look - clock_.real_of(due));
    world_.run_until(due);
  }
}

bool pacer::rest() {
  if (!hooks_.give_out || short_waits_ < busy)
    return false;
  const timespec span{0, std::chrono::nanoseconds{rest_span}.count()};
  ::ppoll(nullptr, 0, &span, nullptr);
  // The next wait tells whether it is still so.
  --short_waits_;
  return true;
}

void pacer::wait(instant due) {
  const auto left = std::min<duration>(clock_.real_of(due) - real::now(), std::chrono::seconds{1});
  if (left <= duration::zero())
    return;
  const auto begin = real::now();
  if (rest())
    return;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
  const timespec span{seconds.count(), (left - seconds).count()};
  pollfd awaited{wake_.file(), POLLIN, 0};
  const auto ready = ::ppoll(&awaited, 1, &span, nullptr);
  short_waits_ = real::now() - begin < short_wait ? short_waits_ + 1 : 0;
  if (ready > 0)
    wake_.clear();
}

} // namespace spillover
