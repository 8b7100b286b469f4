#include "report/subscriptions.hpp"

#include "report/findings.hpp"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

namespace spillover {

namespace {

/// Entity of the clients, and place among their loads.
using subscription_key = std::pair<std::string_view, std::uint32_t>;

/// What the seconds of a subscription add up to.
struct seconds_total {
  std::uint64_t published = 0;
  std::uint64_t pushes = 0;
  std::uint64_t acked = 0;
  std::uint64_t redelivered = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t dead_lettered = 0;
  std::uint64_t expired = 0;

  void add(const subscription_sample& x) {
    published += x.published;
    pushes += x.pushes;
    acked += x.acked;
    redelivered += x.redelivered;
    duplicates += x.duplicates;
    dead_lettered += x.dead_lettered;
    expired += x.expired;
  }
};

std::string named(const subscription_key& x) {
  return "subscription " + std::string{x.first} + " (load " + std::to_string(x.second) + ")";
}

/// A subscription in itself: each message is in one place, and was pushed before it got there.
void check_balance(const std::string& about, const subscription_closed& x, findings& to) {
  to.equal(about, {x.published, "published"},
           {x.acked + x.dead_lettered + x.expired + x.backlog + x.outstanding,
            "acknowledged, dead-lettered, expired, waiting or under way"});
  to.at_most(about, {x.redelivered, "redelivered"}, {x.pushes, "pushes"});
  to.at_most(about, {x.pushes - std::min(x.pushes, x.redelivered), "first pushes"},
             {x.published, "published"});
  to.at_most(
    about,
    {x.acked + x.outstanding + x.duplicates, "pushes acknowledged, under way or answered too late"},
    {x.pushes, "pushes"});
}

void check_seconds(const std::string& about, const seconds_total& sum, const subscription_closed& x,
                   findings& to) {
  to.at_most(about, {sum.published, "published by its samples"}, {x.published, "published"});
  to.at_most(about, {sum.pushes, "pushes by its samples"}, {x.pushes, "pushes"});
  to.at_most(about, {sum.acked, "acknowledged by its samples"}, {x.acked, "acknowledged"});
  to.at_most(about, {sum.redelivered, "redelivered by its samples"},
             {x.redelivered, "redelivered"});
  to.at_most(about, {sum.duplicates, "duplicates by its samples"}, {x.duplicates, "duplicates"});
  to.at_most(about, {sum.dead_lettered, "dead-lettered by its samples"},
             {x.dead_lettered, "dead-lettered"});
  to.at_most(about, {sum.expired, "expired by its samples"}, {x.expired, "expired"});
}

/// All subscriptions of a consumer against its clients, of whose requests each push is one.
void check_clients(std::string_view entity, const std::vector<const subscription_closed*>& all,
                   const books_closed& clients, findings& to) {
  subscription_closed sum;
  for (const auto* x : all) {
    sum.pushes += x->pushes;
    sum.acked += x->acked;
    sum.outstanding += x->outstanding;
    sum.duplicates += x->duplicates;
  }
  const auto ok = clients.ended[static_cast<std::size_t>(outcome::ok)];
  to.at_most(entity, {sum.pushes, "pushes"}, {clients.taken, "requests of clients"});
  to.at_most(entity, {sum.acked, "messages acknowledged"}, {ok, "requests of clients ended ok"});
  to.at_most(entity, {sum.outstanding, "pushes under way"},
             {clients.in_flight, "requests of clients in flight"});
  to.at_most(entity, {sum.duplicates, "duplicates"}, {clients.late, "late answers"});
}

/// @returns e.g. "8m10s", for instants at whole seconds.
std::string minutes_text(instant x) {
  const auto all = second_of(x);
  std::string result;
  if (all >= 3600)
    result += std::to_string(all / 3600) + "h";
  if (all / 60 % 60 > 0)
    result += std::to_string(all / 60 % 60) + "m";
  if (all % 60 > 0 || result.empty())
    result += std::to_string(all % 60) + "s";
  return result;
}

} // namespace

std::vector<subscription_summary> summarise_subscriptions(const event_index& index) {
  std::map<subscription_key, subscription_summary> known;
  const auto of = [&known](const event* x, std::uint32_t load) -> subscription_summary& {
    auto& result = known[{x->entity, load}];
    result.consumer = first_part(x->entity);
    result.load = load;
    return result;
  };
  for (const auto* x : index.all<subscription_sample>()) {
    const auto& second = payload_of<subscription_sample>(x);
    auto& to = of(x, second.load);
    if (x->at - std::chrono::seconds{1} < index.warm_up_end())
      continue;
    if (second.backlog > to.peak) {
      to.peak = second.backlog;
      to.peak_at = x->at;
      to.drained_at = std::nullopt;
    } else if (second.backlog == 0 && to.peak > 0 && !to.drained_at) {
      to.drained_at = x->at;
    }
  }
  for (const auto* x : index.all<subscription_closed>()) {
    const auto& books = payload_of<subscription_closed>(x);
    of(x, books.load).books = books;
  }
  std::vector<subscription_summary> result;
  result.reserve(known.size());
  for (auto& [key, x] : known)
    result.push_back(std::move(x));
  return result;
}

std::vector<std::string> audit_subscriptions(const event_index& index,
                                             const std::set<std::string_view>& incomplete) {
  findings result;
  std::map<subscription_key, seconds_total> seconds;
  for (const auto* x : index.all<subscription_sample>()) {
    const auto& second = payload_of<subscription_sample>(x);
    if (!incomplete.contains(first_part(x->entity)))
      seconds[{x->entity, second.load}].add(second);
  }
  std::map<std::string_view, std::vector<const subscription_closed*>> by_clients;
  for (const auto* x : index.all<subscription_closed>()) {
    const auto& books = payload_of<subscription_closed>(x);
    const subscription_key key{x->entity, books.load};
    if (incomplete.contains(first_part(x->entity)))
      continue;
    check_balance(named(key), books, result);
    check_seconds(named(key), seconds[key], books, result);
    seconds.erase(key);
    by_clients[x->entity].push_back(&books);
  }
  for (const auto* x : index.all<books_closed>()) {
    const auto& books = payload_of<books_closed>(x);
    const auto found = by_clients.find(x->entity);
    if (books.account == "consumer" && found != by_clients.end())
      check_clients(first_part(x->entity), found->second, books, result);
  }
  auto sentences = result.take();
  for (const auto& [key, sum] : seconds)
    sentences.push_back(named(key) + ": sampled, but its books were not closed");
  return sentences;
}

std::string to_string(const subscription_summary& x) {
  auto result = x.consumer;
  if (x.load > 0)
    result += " (load " + std::to_string(x.load) + ")";
  if (x.peak == 0)
    result += ": none";
  else
    result += ": peak " + counted(x.peak, "message") + " at " + minutes_text(*x.peak_at)
              + (x.drained_at ? ", drained at " + minutes_text(*x.drained_at) : ", not drained");
  const auto& books = x.books;
  result += "; " + thousands(books.published) + " published, " + thousands(books.acked)
            + " acknowledged, " + thousands(books.redelivered) + " redelivered, "
            + counted(books.duplicates, "duplicate");
  if (books.dead_lettered > 0)
    result += ", " + thousands(books.dead_lettered) + " dead-lettered";
  if (books.expired > 0)
    result += ", " + thousands(books.expired) + " expired";
  return result;
}

} // namespace spillover
