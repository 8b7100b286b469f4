#include "actors/pacer.hpp"

#include "model/check.hpp"

#include <poll.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
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
// After so many, waiting is no longer left to others, who would hold up what is to leave meanwhile, and no
// processor is held on to.
constexpr int brisk = 4;
constexpr std::chrono::microseconds short_wait{500};
constexpr std::chrono::microseconds rest_span{200};

// The system's timers end some tens of microseconds late. The last bit of a wait, as long as the last timers
// were late and no longer than this, is waited for without letting go of the processor.
constexpr std::chrono::microseconds most_lead{100};
constexpr int lead_memory = 8; // timers

// To leave the waiting to others, who have to step in first, takes about as long as shorter waits.
constexpr std::chrono::microseconds worth_handing_over{200};

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
    if (behind) {
      leave();
      continue;
    }
    if (now >= to || stopped_ || world_.halted())
      break;
    wait(std::min(world_.events().next_due(), to));
  }
  leave();
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
  leave();
  const timespec span{0, std::chrono::nanoseconds{rest_span}.count()};
  ::ppoll(nullptr, 0, &span, nullptr);
  // The next wait tells whether it is still so.
  --short_waits_;
  return true;
}

void pacer::leave() {
  if (std::exchange(left_waiting_, false))
    hooks_.leave();
}

bool pacer::wait_for(duration left, bool calm) {
  if (hooks_.wait && calm && (left_waiting_ || left >= worth_handing_over)) {
    left_waiting_ = true;
    return hooks_.wait(left, wake_.file());
  }
  timer_.set(real::now() + left);
  std::array<pollfd, 2> awaited{{{wake_.file(), POLLIN, 0}, {timer_.file(), POLLIN, 0}}};
  return ::poll(awaited.data(), awaited.size(), -1) > 0 && awaited[0].revents != 0;
}

void pacer::learn(duration late) {
  // What is later than that is a busy machine's doing, on which others need the processor.
  lead_ += ((late > most_lead ? duration::zero() : late) - lead_) / lead_memory;
}

void pacer::wait(instant due) {
  const auto begin = real::now();
  const auto until =
    std::min<real::time_point>(clock_.real_of(due), begin + std::chrono::seconds{1});
  if (until > begin && rest())
    return;
  const auto calm = short_waits_ < brisk;
  if (!calm)
    leave();
  const auto lead = calm ? lead_ : duration::zero();
  const auto sleep = std::max<duration>(until - lead - begin, duration::zero());
  const auto left_before = left_waiting_;
  auto woken = false;
  // Also for no time at all, so that what was given out leaves.
  if (sleep > duration::zero() || left_before)
    woken = wait_for(sleep, calm);
  if (woken)
    wake_.clear();
  auto now = real::now();
  short_waits_ = now - begin < short_wait ? std::min(short_waits_ + 1, busy) : 0;
  if (sleep > duration::zero() && !woken && now >= begin + sleep && left_before == left_waiting_)
    learn(now - (begin + sleep));
  while (!woken && now < until && until - now <= lead)
    now = real::now();
}

} // namespace spillover
