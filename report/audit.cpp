#include "report/billing.hpp"
#include "report/deployment_check.hpp"
#include "report/event_index.hpp"
#include "report/findings.hpp"
#include "report/format.hpp"
#include "report/subscriptions.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

namespace spillover {

namespace {

using counts = std::array<std::uint64_t, outcome_count>;

template <class Counts>
std::uint64_t sum(const Counts& x) {
  return std::accumulate(x.begin(), x.end(), std::uint64_t{0});
}

std::uint64_t of(const counts& x, outcome how) {
  return x[static_cast<std::size_t>(how)];
}

/// What several accounts hold together.
struct totals {
  std::uint64_t taken = 0;
  counts ended{};
  std::uint64_t in_flight = 0;
  std::uint64_t late = 0;
  std::uint64_t duplicated = 0;

  /// @param x an account, or several
  template <class Account>
  void add(const Account& x) {
    taken += x.taken;
    in_flight += x.in_flight;
    late += x.late;
    duplicated += x.duplicated;
    for (std::size_t i = 0; i < outcome_count; ++i)
      ended[i] += x.ended[i];
  }

  /// Of links: what was sent into them.
  [[nodiscard]] std::uint64_t sent() const { return taken - std::min(taken, duplicated); }

  /// Of tries: those that an answer ended. All that ends a try without one is its balancer's timeout.
  [[nodiscard]] std::uint64_t answered() const {
    return sum(ended) - of(ended, outcome::lb_timeout);
  }
};

/// The accounts of a run, added up by whom they are about.
class ledger {
public:
  explicit ledger(const event_index& index) {
    for (const auto* x : index.all<books_closed>()) {
      const auto& books = payload_of<books_closed>(x);
      entries_.push_back({x->entity, &books});
      if (books.account == "service") {
        regions_.insert(first_part(x->entity));
        services_.insert(x->entity);
      }
      if (books.account == "consumer" || books.account == "balancer" || books.account == "attempts")
        consumers_.insert(first_part(x->entity));
    }
  }

  struct entry {
    std::string_view entity;
    const books_closed* books;
  };
  [[nodiscard]] const std::vector<entry>& entries() const noexcept { return entries_; }

  [[nodiscard]] const auto& regions() const noexcept { return regions_; }
  [[nodiscard]] const auto& consumers() const noexcept { return consumers_; }
  [[nodiscard]] const auto& services() const noexcept { return services_; }

  /// @returns the sum of the accounts of this name at or below a path.
  /// @param path "" for all
  /// @param counterpart "" for any
  [[nodiscard]] totals total(std::string_view account, std::string_view path = {},
                             std::string_view counterpart = {}) const {
    totals result;
    for (const auto& [entity, books] : entries_) {
      if (books->account == account && (path.empty() || is_within(entity, path))
          && (counterpart.empty() || books->counterpart == counterpart))
        result.add(*books);
    }
    return result;
  }

  /// @returns the sum of the tries that were sent anywhere: without those that a load balancer refused
  ///          itself, whose account has no counterpart.
  [[nodiscard]] totals tries_sent() const {
    totals result;
    for (const auto& [entity, books] : entries_)
      if (books->account == "attempts" && !books->counterpart.empty())
        result.add(*books);
    return result;
  }

  /// @returns whether there is an account of this name at or below a path.
  [[nodiscard]] bool has(std::string_view account, std::string_view path) const {
    return std::any_of(entries_.begin(), entries_.end(), [&](const entry& x) {
      return x.books->account == account && is_within(x.entity, path);
    });
  }

  [[nodiscard]] totals link(std::string_view from, std::string_view to) const {
    return total("link", std::string{from} + "/link/" + std::string{to}, "data");
  }

private:
  std::vector<entry> entries_;
  std::set<std::string_view> regions_;
  std::set<std::string_view> consumers_;
  std::set<std::string_view> services_;
};

/// Every account in itself: taken = sum of ended + in flight.
void check_balance(const ledger& books, findings& to) {
  for (const auto& [entity, x] : books.entries()) {
    auto about = x->account + " " + std::string{entity};
    if (!x->counterpart.empty())
      about += " (" + x->counterpart + ")";
    to.equal(about, {x->taken, "taken"}, {sum(x->ended) + x->in_flight, "ended or in flight"});
    // A duplicate arrives, and so does what it is a duplicate of.
    to.at_most(about, {2 * x->duplicated, "duplicates and what they duplicate"},
               {x->in_flight, "passed"});
  }
}

bool has_single_tries(const event_index& index, std::string_view consumer) {
  const auto& samples = index.all<try_sample>();
  return std::any_of(samples.begin(), samples.end(),
                     [consumer](const event* x) { return first_part(x->entity) == consumer; });
}

/// What the seconds of one consumer's load balancer tell of its tries in one region.
struct told_tries {
  std::uint64_t timed_out = 0;
  std::uint64_t hedged = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t cut = 0;
  std::uint64_t queued = 0;
};

/// @param region "" for all
told_tries told_of(const event_index& index, std::string_view consumer, std::string_view region) {
  told_tries result;
  for (const auto* x : index.all<try_sample>()) {
    const auto& second = payload_of<try_sample>(x);
    if (first_part(x->entity) != consumer || (!region.empty() && second.region != region))
      continue;
    result.timed_out += second.timed_out;
    result.hedged += second.hedged;
    result.cancelled += second.cancelled;
    result.cut += second.cut;
    result.queued += second.queued;
  }
  return result;
}

/// Requests of one consumer's clients, of its load balancer, and their tries.
///
/// Each request, and each further try of a client, is a request of the balancer. Each of these is
/// tried at once, has one try under way while it is under way itself, and ends well with a try that
/// does, or with the try that times out. What ended well for clients ended well for the balancer; the
/// other way round, the answer may have come after the client gave up.
///
/// Where single tries have fates of their own (`try_sample`), a request may have none under way, or several,
/// and any of them may be given up without its request: `check_courses` says what holds then.
void check_consumer(const ledger& books, std::string_view consumer, std::uint64_t retried,
                    bool single_tries, findings& to) {
  const auto clients = books.total("consumer", consumer);
  const auto balancer = books.total("balancer", consumer);
  const auto tries = books.total("attempts", consumer);
  const auto ok = outcome::ok;
  to.at_most(consumer, {clients.taken + retried, "tries of clients"},
             {balancer.taken, "requests of the load balancer"});
  to.at_most(consumer, {of(clients.ended, ok), "requests of clients ended ok"},
             {of(balancer.ended, ok), "requests of the load balancer ended ok"});
  to.at_most(consumer, {of(balancer.ended, ok), "requests of the load balancer ended ok"},
             {of(clients.ended, ok) + clients.late, "requests of clients ended ok or late"});
  to.equal(consumer, {of(balancer.ended, ok), "requests of the load balancer ended ok"},
           {of(tries.ended, ok), "tries ended ok"});
  if (single_tries)
    return;
  to.at_most(consumer, {balancer.taken, "requests of the load balancer"}, {tries.taken, "tries"});
  to.equal(consumer, {balancer.in_flight, "requests of the load balancer in flight"},
           {tries.in_flight, "tries in flight"});
  to.equal(consumer,
           {of(balancer.ended, outcome::lb_timeout), "requests of the load balancer timed out"},
           {of(tries.ended, outcome::lb_timeout), "tries timed out"});
}

/// Requests of one consumer's load balancer whose single tries have fates of their own.
///
/// A request has one course of tries one after the other, from its beginning to its end, and hedging begins
/// more beside it. Whatever goes on in a course is a try under way, one that waits for a connection, or a pause
/// after one. So each request has been tried, or waits for a connection, or gave up waiting for one.
void check_courses(const event_index& index, const ledger& books, std::string_view consumer,
                   findings& to) {
  const auto balancer = books.total("balancer", consumer);
  const auto courses = books.total("courses", consumer);
  const auto tries = books.total("attempts", consumer);
  const auto queue = books.total("queue", consumer);
  to.at_most(consumer, {balancer.taken, "requests of the load balancer"},
             {courses.taken, "courses of requests"});
  to.at_most(consumer, {balancer.in_flight, "requests of the load balancer in flight"},
             {courses.in_flight, "courses in flight"});
  to.at_most(consumer, {tries.in_flight + queue.in_flight, "tries in flight or in a queue"},
             {courses.in_flight, "courses in flight"});
  to.at_most(consumer, {balancer.taken, "requests of the load balancer"},
             {tries.taken + queue.in_flight + of(queue.ended, outcome::unavailable),
              "tries, in a queue, or gone from one"});
  // Another course begins when the time of a try is over that goes on.
  const auto by_time = of(books.total("unanswered", consumer).ended, outcome::gateway_timeout);
  const auto over = told_of(index, consumer, {}).timed_out;
  to.at_most(consumer, {courses.taken - std::min(courses.taken, balancer.taken), "courses beside"},
             {over - std::min(over, by_time), "tries that went on after their time"});
  for (std::size_t i = 0; i < outcome_count; ++i) {
    const auto ended = "ended " + std::string{to_string(static_cast<outcome>(i))};
    to.at_most(consumer, {balancer.ended[i], "requests of the load balancer " + ended},
               {courses.ended[i], "courses " + ended});
  }
  to.equal(consumer, {of(balancer.ended, outcome::ok), "requests of the load balancer ended ok"},
           {of(courses.ended, outcome::ok), "courses ended ok"});
}

/// Tries of one consumer in one region that have fates of their own.
///
/// Each try that ends without an answer has a reason, and those in the queue for connections go from it, or
/// are still there; the seconds tell the same numbers.
void check_fates(const event_index& index, const ledger& books, std::string_view consumer,
                 std::string_view region, findings& to) {
  const auto tries = books.total("attempts", consumer, region);
  const auto unanswered = books.total("unanswered", consumer, region);
  const auto queue = books.total("queue", consumer, region);
  const auto told = told_of(index, consumer, region);
  const auto where = std::string{consumer} + " -> " + std::string{region};
  to.equal(where, {of(tries.ended, outcome::lb_timeout), "tries given up"},
           {unanswered.taken, "tries without an answer"});
  to.at_most(where,
             {of(unanswered.ended, outcome::gateway_timeout), "tries ended by their own time"},
             {told.timed_out, "whose time was over by the samples"});
  to.equal(where, {of(unanswered.ended, outcome::client_timeout), "tries that nobody needed"},
           {told.cancelled, "cancelled by the samples"});
  to.equal(where, {of(unanswered.ended, outcome::bad_gateway), "tries cut off"},
           {told.cut, "cut off by the samples"});
  to.equal(where, {queue.taken, "tries that waited for a connection"},
           {told.queued, "queued by the samples"});
  to.at_most(where, {told.hedged, "tries beside others by the samples"},
             {tries.taken + queue.in_flight + of(queue.ended, outcome::unavailable),
              "tries, in a queue, or gone from one"});
}

/// The way from one consumer to one region, and back.
///
/// Each try is sent into the link, which loses some and duplicates others; no more than it passes
/// arrives, each duplicate as a try of its own. Each try that a service ends is answered, unless a
/// silent instance dropped it; a duplicated answer arrives too late for a try that is settled.
///
/// @param refused tries that the consumer's process answered itself, because that of the region was gone
void check_way(const ledger& books, std::string_view consumer, std::string_view region,
               std::uint64_t refused, findings& to) {
  // Calls for connections go the same way (B-87), and so do the ends of these back.
  auto tries = books.total("attempts", consumer, region);
  tries.add(books.total("connections", consumer, region));
  auto arrived = books.total("service", region, consumer);
  arrived.add(books.total("calls", region, consumer));
  const auto there = books.link(consumer, region);
  const auto back = books.link(region, consumer);
  const auto forth = std::string{consumer} + " -> " + std::string{region};
  to.equal(forth, {tries.taken, "tries"}, {there.sent(), "sent into the link"});
  to.at_most(forth, {arrived.taken, "tries arrived"}, {there.in_flight, "passed by the link"});
  const auto home = std::string{region} + " -> " + std::string{consumer};
  const auto ends = books.total("ends", region, consumer);
  to.equal(
    home,
    {sum(arrived.ended) - of(arrived.ended, outcome::lost) + ends.taken, "tries to be answered"},
    {back.sent(), "sent into the link"});
  to.at_most(home, {tries.answered() + tries.late, "answers arrived"},
             {back.in_flight + refused,
              refused == 0 ? "passed by the link" : "passed by the link or refused"});
}

/// A service and its revisions: what they take, and how it ends.
void check_service(const ledger& books, std::string_view path, findings& to) {
  const auto service = books.total("service", path);
  const auto revisions = books.total("revision", path);
  to.equal(path, {service.taken, "taken"}, {revisions.taken, "taken by its revisions"});
  to.equal(path, {service.in_flight, "in flight"},
           {revisions.in_flight, "in flight in its revisions"});
  for (std::size_t i = 0; i < outcome_count; ++i) {
    const auto ended = "ended " + std::string{to_string(static_cast<outcome>(i))};
    to.equal(path, {service.ended[i], ended}, {revisions.ended[i], ended + " by its revisions"});
  }
}

/// All links together: what they passed has arrived, or is on the way.
/// @param lost between the processes of a deployment. What was refused there had an answer instead.
void check_links(const ledger& books, std::uint64_t on_the_way, std::uint64_t lost, findings& to) {
  auto tries = books.tries_sent();
  tries.add(books.total("connections"));
  const auto arrived =
    books.total("service").taken + books.total("calls").taken + tries.answered() + tries.late;
  to.equal("links", {books.total("link", {}, "data").in_flight, "passed"},
           {arrived + on_the_way + lost,
            lost == 0 ? "arrived or on the way" : "arrived, lost or on the way"});
}

/// The seconds of an entity never add up to more than its account. They may add up to less: the
/// books close a little after the last sample.
void check_samples(const event_index& index, const ledger& books,
                   const std::set<std::string_view>& incomplete, findings& to) {
  using key = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<key, std::pair<std::uint64_t, std::uint64_t>> sampled;
  const auto add = [&sampled](const key& whose, std::uint64_t taken, std::uint64_t ended) {
    auto& known = sampled[whose];
    known.first += taken;
    known.second += ended;
  };
  for (const auto* x : index.all<client_sample>()) {
    const auto& sample = payload_of<client_sample>(x);
    add({"consumer", x->entity, ""}, sample.started, sum(sample.ended));
  }
  for (const auto* x : index.all<attempt_sample>()) {
    const auto& sample = payload_of<attempt_sample>(x);
    add({"attempts", x->entity, sample.region}, sample.sent, sum(sample.ended));
  }
  for (const auto* x : index.all<revision_sample>()) {
    const auto& sample = payload_of<revision_sample>(x);
    add({"revision", x->entity, ""}, sample.arrivals, sample.completions);
  }
  std::map<key, const books_closed*> closed;
  for (const auto& [entity, x] : books.entries())
    closed.emplace(key{x->account, entity, x->counterpart}, x);
  for (const auto& [whose, seconds] : sampled) {
    const auto& [account, entity, counterpart] = whose;
    auto about = std::string{account} + " " + std::string{entity};
    if (!counterpart.empty())
      about += " (" + std::string{counterpart} + ")";
    if (incomplete.contains(first_part(entity)))
      continue;
    const auto found = closed.find(whose);
    if (found == closed.end()) {
      to.add(about + ": sampled, but its books were not closed");
      continue;
    }
    to.at_most(about, {seconds.first, "taken by its samples"}, {found->second->taken, "taken"});
    to.at_most(about, {seconds.second, "ended by its samples"},
               {sum(found->second->ended), "ended"});
  }
}

/// The seconds of a backend service never add up to more than its revisions' bills, which close a
/// little after the last sample. Logs of older runs have no bills.
void check_bills(const event_index& index, const std::set<std::string_view>& incomplete,
                 findings& to) {
  const auto bills = index.all<bill_closed>();
  if (bills.empty())
    return;
  std::map<std::string_view, std::uint64_t> sampled;
  for (const auto* x : index.all<revision_sample>()) {
    const auto& sample = payload_of<revision_sample>(x);
    sampled[x->entity] += sample.billed_milli + sample.billed_idle_milli;
  }
  for (const auto& [backend, milli] : sampled) {
    if (incomplete.contains(first_part(backend)))
      continue;
    billed_time sum;
    for (const auto* x : bills)
      if (is_within(x->entity, backend))
        sum += charged(payload_of<bill_closed>(x));
    to.at_most("bill " + std::string{backend},
               {milli, "thousandths of vCPU seconds in its samples"},
               {static_cast<std::uint64_t>(sum.cost.total()), "in its bills"});
  }
}

std::uint64_t retried_by(const event_index& index, std::string_view consumer) {
  std::uint64_t result = 0;
  for (const auto* x : index.all<client_sample>()) {
    if (first_part(x->entity) == consumer)
      result += payload_of<client_sample>(x).retried;
  }
  return result;
}

} // namespace

std::vector<std::string> audit(const event_log& log) {
  const event_index index{log};
  const ledger books{index};
  findings result;
  const auto* end =
    log.events().empty() ? nullptr : std::get_if<run_ended>(&log.events().back().what);
  if (end == nullptr)
    result.add("events are missing: the log does not end with run_ended");
  check_balance(books, result);
  const auto incomplete = incomplete_sites(index);
  const auto whole = [&incomplete](std::string_view site) { return !incomplete.contains(site); };
  for (const auto consumer : books.consumers()) {
    if (!whole(consumer))
      continue;
    const auto single_tries = has_single_tries(index, consumer);
    check_consumer(books, consumer, retried_by(index, consumer), single_tries, result);
    // Logs of older runs have no courses.
    const auto courses = single_tries && books.has("courses", consumer);
    if (courses)
      check_courses(index, books, consumer, result);
    for (const auto region : books.regions()) {
      if (courses)
        check_fates(index, books, consumer, region, result);
      if (whole(region))
        check_way(books, consumer, region, refused_by_wire(index, consumer, region), result);
    }
  }
  for (const auto service : books.services())
    if (whole(first_part(service)))
      check_service(books, service, result);
  if (end != nullptr && incomplete.empty()) {
    const auto wire = total_wire(index);
    check_links(books, end->on_the_way, wire.lost + wire.dropped, result);
  }
  check_samples(index, books, incomplete, result);
  check_bills(index, incomplete, result);
  for (auto& sentence : audit_subscriptions(index, incomplete))
    result.add(std::move(sentence));
  return result.take();
}

} // namespace spillover
