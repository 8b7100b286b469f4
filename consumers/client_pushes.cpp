#include "consumers/client.hpp"
#include "model/check.hpp"

namespace spillover {

namespace {

// The key of a push holds its subscription's place and, below it, the subscription's own key; the
// highest bit tells it from the key of any other request.
constexpr std::uint32_t push_bit = 0x80000000;
constexpr unsigned slot_bits = 24;
constexpr std::uint32_t slot_mask = (std::uint32_t{1} << slot_bits) - 1;
constexpr std::uint32_t most_subscriptions = 128;

} // namespace

class clients::push_port final : public push_effects {
public:
  push_port(clients& all, instant now, std::uint32_t place, client_effects& out)
    : all_(all), now_(now), place_(place), out_(out) {}

  std::uint64_t push(std::uint32_t key) override {
    SPILLOVER_CHECK(key <= slot_mask);
    all_.books_.take();
    ++all_.second_.started;
    const auto number = ++all_.last_number_;
    out_.send(number, push_bit | place_ << slot_bits | key, 0, now_);
    return number;
  }

  void ended(std::uint64_t request, instant sent, outcome how) override {
    all_.books_.end(how);
    ++all_.second_.ended[static_cast<std::size_t>(how)];
    if (how == outcome::ok)
      all_.second_.latency.add(now_ - sent);
    out_.ended({request, sent, how, 1});
  }

  void wake(instant due) override {
    out_.wake(due, static_cast<std::uint8_t>(timer::push), place_);
  }

private:
  clients& all_;
  instant now_;
  std::uint32_t place_;
  client_effects& out_;
};

void clients::start_pushes(client_effects& out) {
  SPILLOVER_CHECK(subscriptions_.size() <= most_subscriptions);
  for (std::uint32_t place = 0; place < subscriptions_.size(); ++place) {
    push_port port{*this, run_start, place, out};
    subscriptions_[place].is.start(port);
  }
}

void clients::on_push_timer(instant now, std::uint32_t place, client_effects& out) {
  push_port port{*this, now, place, out};
  subscriptions_[place].is.on_wake(now, port);
}

// Returns false when nobody waits for this answer any more.
bool clients::on_push_response(instant now, std::uint32_t key, std::uint64_t request, outcome how,
                               client_effects& out) {
  const auto place = (key & ~push_bit) >> slot_bits;
  // The key comes from outside.
  if ((key & push_bit) == 0 || place >= subscriptions_.size())
    return false;
  push_port port{*this, now, place, out};
  return subscriptions_[place].is.on_response(now, key & slot_mask, request, how, port);
}

} // namespace spillover
