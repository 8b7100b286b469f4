#include "exports/hop_spans.hpp"

#include <algorithm>
#include <optional>

namespace spillover {

namespace {

/// A try of the load balancer while its request is gone through.
struct open_try {
  std::size_t span = 0;
  /// What it is doing now, as far as anybody knows; goes on when nobody waits for it any more.
  hop_kind now = hop_kind::link_there;
  instant since{};
  std::string entity;
  instant cpu_until{};
  std::uint16_t attempt = 0;
  bool closed = false;
  /// Its answer came in time.
  bool answered = false;
};

class builder {
public:
  builder(const traced_request& x, const instance_starts& starts) : request_(x), starts_(starts) {
    result_.consumer = x.consumer;
    result_.number = x.number;
    balancer_ = x.consumer + "/lb";
  }

  request_spans build() {
    const auto& first = request_.hops.front();
    const auto& last = request_.hops.back();
    add({hop_kind::request, first.at, last.at, 0, first.who, {}, 0, last.how});
    idle_since_ = first.at;
    for (const auto& x : request_.hops)
      take(x);
    return std::move(result_);
  }

private:
  void take(const request_hop& x) {
    switch (x.what) {
      case request_step::intended: break;
      case request_step::client_sent: begin_client_try(x); break;
      case request_step::try_queued: begin_try(x, hop_kind::connection_wait); break;
      case request_step::balancer_sent: send(x); break;
      case request_step::try_timed_out:
      case request_step::try_cut: give_up(x); break;
      // It goes on.
      case request_step::try_overdue: break;
      case request_step::service_took: arrive(x); break;
      case request_step::revision_took:
        if (auto* t = find(x, hop_kind::queue))
          t->entity = x.who;
        break;
      case request_step::dispatched: dispatch(x); break;
      case request_step::cpu_done:
        if (auto* t = find(x, hop_kind::service))
          t->cpu_until = x.at;
        break;
      case request_step::instance_answered: leave_instance(x); break;
      case request_step::service_answered: leave_region(x); break;
      case request_step::balancer_got: get(x); break;
      case request_step::balancer_late:
        if (auto* t = find(x, hop_kind::link_back))
          t->now = hop_kind::no_answer;
        break;
      case request_step::balancer_answered: break;
      case request_step::client_waits:
      case request_step::ended: end_client_try(x); break;
    }
  }

  std::size_t add(hop_span x) {
    result_.spans.push_back(std::move(x));
    return result_.spans.size() - 1;
  }

  void begin_client_try(const request_hop& x) {
    end_client_try(x);
    if (x.at > idle_since_)
      step(client_tries_ == 0 ? hop_kind::client_wait : hop_kind::client_backoff, idle_since_, x.at,
           0, x.who, client_tries_);
    client_try_ = add({hop_kind::client_try, x.at, x.at, 0, x.who, {}, client_tries_, outcome::ok});
    first_try_ = tries_.size();
    ++client_tries_;
  }

  void end_client_try(const request_hop& x) {
    if (!client_try_)
      return;
    auto& span = result_.spans[*client_try_];
    span.to = x.at;
    span.how = x.what == request_step::client_sent ? outcome::lost : x.how;
    const auto how = span.how;
    for (auto i = first_try_; i < tries_.size(); ++i)
      if (!tries_[i].closed)
        close(tries_[i], x.at, how, true);
    count(*client_try_);
    client_try_.reset();
    idle_since_ = x.at;
  }

  void begin_try(const request_hop& x, hop_kind first) {
    if (!client_try_)
      return;
    const auto span =
      add({hop_kind::balancer_try, x.at, x.at, *client_try_, balancer_, x.who, x.attempt});
    tries_.push_back({span, first, x.at, balancer_, {}, x.attempt});
  }

  void send(const request_hop& x) {
    if (auto* t = find(x, hop_kind::connection_wait)) {
      move_on(*t, x.at, hop_kind::link_there, balancer_);
      return;
    }
    begin_try(x, hop_kind::link_there);
  }

  void arrive(const request_hop& x) {
    // An earlier try that went lost must not take what arrives now for itself.
    if (auto* t = find(x, hop_kind::link_there, true))
      move_on(*t, x.at, hop_kind::queue, x.who);
  }

  void dispatch(const request_hop& x) {
    auto* t = find(x, hop_kind::queue);
    if (t == nullptr)
      return;
    const auto [began, ready] = starts_.last_before(x.who, x.at);
    if (ready != never && ready > t->since) {
      if (began > t->since)
        move_on(*t, began, hop_kind::cold_start_wait, t->entity);
      t->now = hop_kind::cold_start_wait;
      if (ready < x.at)
        move_on(*t, ready, hop_kind::queue, t->entity);
    }
    move_on(*t, x.at, hop_kind::service, x.who);
  }

  void leave_instance(const request_hop& x) {
    if (auto* t = find(x, hop_kind::service)) {
      fail(*t, x.how);
      move_on(*t, x.at, hop_kind::link_back, balancer_);
    }
  }

  void leave_region(const request_hop& x) {
    auto* t = find(x, hop_kind::link_back);
    // One whose answer went lost stays on its way back for ever.
    if (t != nullptr && t->since != x.at)
      t = nullptr;
    for (const auto kind : {hop_kind::service, hop_kind::cold_start_wait, hop_kind::queue})
      t = t == nullptr ? find(x, kind) : t;
    if (t == nullptr)
      return;
    const auto after = x.how == outcome::lost ? hop_kind::no_answer : hop_kind::link_back;
    if (t->now == hop_kind::link_back)
      t->now = after;
    else
      move_on(*t, x.at, after, balancer_);
  }

  void get(const request_hop& x) {
    auto* t = find(x, hop_kind::link_back);
    if (t == nullptr || t->closed)
      return;
    t->answered = true;
    close(*t, x.at, x.how, false);
  }

  void give_up(const request_hop& x) {
    for (auto i = first_try_; i < tries_.size(); ++i)
      if (auto& t = tries_[i]; !t.closed && t.attempt == x.attempt && region_of(t) == x.who)
        close(t, x.at, outcome::lb_timeout, true);
  }

  [[nodiscard]] std::string_view region_of(const open_try& x) const {
    return result_.spans[x.span].region;
  }

  /// @returns a try that a hop can belong to, because it is doing just that; tries of several tries of the
  ///          client may have the same number.
  open_try* find(const request_hop& x, hop_kind doing, bool latest = false) {
    open_try* found = nullptr;
    for (auto& t : tries_)
      if (t.now == doing && t.attempt == x.attempt && region_of(t) == first_part(x.who)
          && (found == nullptr || latest))
        found = &t;
    return found;
  }

  /// Marks the try's latest step as failed by its instance.
  void fail(open_try& t, outcome how) {
    if (!t.closed)
      failed_ = how;
  }

  /// Ends what a try is doing, and lets it do something else.
  void move_on(open_try& t, instant at, hop_kind next, const std::string& entity) {
    if (!t.closed)
      end_step(t, at, false);
    t.now = next;
    t.since = at;
    t.entity = entity;
    t.cpu_until = instant{};
  }

  void end_step(open_try& t, instant at, bool abandoned) {
    const auto passing = t.now == hop_kind::queue || t.now == hop_kind::no_answer
                         || t.now == hop_kind::connection_wait;
    const auto how = std::exchange(failed_, outcome::ok);
    if (at == t.since && passing)
      return;
    const auto region = std::string{region_of(t)};
    const auto place = step(t.now, t.since, at, t.span, t.entity, t.attempt, region);
    result_.spans[place].abandoned = abandoned;
    result_.spans[place].how = how;
    if (t.now != hop_kind::service)
      return;
    const auto cpu_end = t.cpu_until == instant{} ? at : std::min(t.cpu_until, at);
    add({hop_kind::cpu, t.since, cpu_end, place, t.entity, region, t.attempt, outcome::ok,
         abandoned && cpu_end == at});
    if (cpu_end < at)
      add({hop_kind::service_wait, cpu_end, at, place, t.entity, region, t.attempt, outcome::ok,
           abandoned});
  }

  void close(open_try& t, instant at, outcome how, bool abandoned) {
    end_step(t, at, abandoned);
    auto& span = result_.spans[t.span];
    span.to = at;
    span.how = how;
    span.abandoned = abandoned;
    t.closed = true;
    t.since = at;
  }

  std::size_t step(hop_kind kind, instant from, instant to, std::size_t parent,
                   const std::string& entity, std::uint16_t attempt,
                   const std::string& region = {}) {
    // Where tries overlap it is counted when all of them are known.
    const auto counted = kind == hop_kind::client_wait || kind == hop_kind::client_backoff
                             || kind == hop_kind::balancer_wait
                           ? to - from
                           : duration::zero();
    return add({kind, from, to, parent, entity, region, attempt, outcome::ok, false, counted});
  }

  /// @returns the try that decided how a try of the client ended: the last one that was under way, of
  ///          several the one that was answered.
  [[nodiscard]] const open_try* decisive() const {
    const open_try* result = nullptr;
    for (auto i = first_try_; i < tries_.size(); ++i) {
      const auto& t = tries_[i];
      const auto better = result == nullptr || end_of(t) > end_of(*result)
                          || (end_of(t) == end_of(*result) && t.answered >= result->answered);
      result = better ? &t : result;
    }
    return result;
  }

  [[nodiscard]] instant end_of(const open_try& x) const { return result_.spans[x.span].to; }
  [[nodiscard]] instant start_of(const open_try& x) const { return result_.spans[x.span].from; }

  /// @returns the try that the time from `from` to `to` is put down to.
  [[nodiscard]] const open_try* owner(const open_try* last, instant from, instant to) const {
    const open_try* result = nullptr;
    for (auto i = first_try_; i < tries_.size(); ++i) {
      const auto& t = tries_[i];
      if (start_of(t) > from || end_of(t) < to)
        continue;
      if (&t == last)
        return &t;
      // What was begun after the decisive one did not lead to it.
      if (start_of(t) <= start_of(*last))
        result = &t;
    }
    return result;
  }

  /// Divides a try of the client among the steps in it, so that each instant counts once.
  void count(std::size_t client_try) {
    const auto [from, to] = std::pair{result_.spans[client_try].from, result_.spans[client_try].to};
    std::vector<instant> bounds{from, to};
    for (auto i = first_try_; i < tries_.size(); ++i) {
      bounds.push_back(start_of(tries_[i]));
      bounds.push_back(end_of(tries_[i]));
    }
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    const auto* last = decisive();
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const auto* whose = last == nullptr ? nullptr : owner(last, bounds[i], bounds[i + 1]);
      if (whose == nullptr)
        step(hop_kind::balancer_wait, bounds[i], bounds[i + 1], client_try, balancer_, 0);
      else
        count_steps(whose->span, bounds[i], bounds[i + 1]);
    }
  }

  void count_steps(std::size_t balancer_try, instant from, instant to) {
    for (auto& x : result_.spans)
      if (x.parent == balancer_try && is_step(x.kind))
        x.counted += std::max(std::min(x.to, to) - std::max(x.from, from), duration::zero());
  }

  const traced_request& request_;
  const instance_starts& starts_;
  request_spans result_;
  std::string balancer_;
  std::vector<open_try> tries_;
  /// Place of the client's try that goes on, and of its first one of the load balancer.
  std::optional<std::size_t> client_try_;
  std::size_t first_try_ = 0;
  std::uint16_t client_tries_ = 0;
  /// Nobody but the client has it since then.
  instant idle_since_{};
  /// How the step that ends next ended.
  outcome failed_ = outcome::ok;
};

} // namespace

std::string_view to_string(hop_kind x) noexcept {
  switch (x) {
    case hop_kind::request: return "request";
    case hop_kind::client_wait: return "client_wait";
    case hop_kind::client_try: return "client_try";
    case hop_kind::client_backoff: return "client_backoff";
    case hop_kind::balancer_wait: return "balancer_wait";
    case hop_kind::balancer_try: return "balancer_try";
    case hop_kind::connection_wait: return "connection_wait";
    case hop_kind::link_there: return "link_there";
    case hop_kind::queue: return "queue";
    case hop_kind::cold_start_wait: return "cold_start_wait";
    case hop_kind::service: return "service";
    case hop_kind::cpu: return "cpu";
    case hop_kind::service_wait: return "service_wait";
    case hop_kind::link_back: return "link_back";
    case hop_kind::no_answer: return "no_answer";
  }
  return "?";
}

bool is_step(hop_kind x) noexcept {
  return x != hop_kind::request && x != hop_kind::client_try && x != hop_kind::balancer_try
         && x != hop_kind::cpu && x != hop_kind::service_wait;
}

instance_starts::instance_starts(const event_index& index) {
  std::map<std::string_view, instant> begun;
  for (const auto* x : index.all<instance_changed>()) {
    const auto& change = payload_of<instance_changed>(x);
    if (change.after == instance_state::starting) {
      begun[x->entity] = x->at;
    } else if (change.before == instance_state::starting) {
      const auto since = begun.find(x->entity);
      if (change.after == instance_state::ready && since != begun.end())
        starts_[x->entity].emplace_back(since->second, x->at);
    }
  }
}

std::pair<instant, instant> instance_starts::last_before(std::string_view instance,
                                                         instant at) const {
  const auto found = starts_.find(instance);
  if (found == starts_.end())
    return {never, never};
  std::pair result{never, never};
  for (const auto& x : found->second)
    if (x.second <= at)
      result = x;
  return result;
}

request_spans spans_of(const traced_request& x, const instance_starts& starts) {
  return builder{x, starts}.build();
}

request_spans span_of(const std::string& consumer, std::uint64_t number, instant from, instant to,
                      outcome how) {
  request_spans result{consumer, number, {}};
  result.spans.push_back(
    {hop_kind::request, from, to, 0, consumer + "/clients", {}, 0, how, false, {}});
  return result;
}

} // namespace spillover
