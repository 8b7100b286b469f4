#include "report/why_request.hpp"

#include "report/cause_chain.hpp"
#include "report/format.hpp"
#include "report/why_words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace spillover {

namespace {

/// A CPU part of this length is worth a word about who shared the CPU.
constexpr std::chrono::milliseconds long_cpu_part{100};

/// Goes through the hops of one request and says each.
class story {
public:
  story(const event_index& index, const traced_request& x) : index_(index), request_(x) {}

  std::vector<request_line> tell() {
    for (const auto& x : request_.hops)
      say(x);
    return std::move(lines_);
  }

private:
  void say(const request_hop& x) {
    switch (x.what) {
      case request_step::intended: line(x, "due at " + request_.consumer); break;
      case request_step::client_sent: say_client_sent(x); break;
      case request_step::balancer_sent: say_balancer_sent(x); break;
      case request_step::try_queued:
        line(x, "its try for " + x.who + " waits for a connection there");
        break;
      case request_step::try_timed_out:
        line(x, "the load balancer gives its try in " + x.who + " up: its own time is over");
        break;
      case request_step::try_overdue:
        line(x, "the time of its try in " + x.who + " is over; it goes on beside what comes next");
        break;
      case request_step::try_cut:
        line(x,
             "the load balancer cuts its try in " + x.who + " off: draining has lasted its time");
        break;
      case request_step::service_took: say_service_took(x); break;
      // Within the region records take no time: these are part of the lines beside them.
      case request_step::revision_took: revision_ = x.who; break;
      case request_step::dispatched: say_dispatched(x); break;
      case request_step::cpu_done:
        if (x.attempt != attempt_)
          break;
        line(x, x.who + " is through with the CPU part, and waits for "
                  + latency_text(x.until - x.at));
        because_of_cpu(x);
        break;
      case request_step::instance_answered:
        if (x.attempt != attempt_)
          break;
        line(x, x.who + " answers " + name_of(x.how));
        if (x.how != outcome::ok)
          because_of_instance(x.who);
        instance_.clear();
        break;
      case request_step::service_answered: say_service_answered(x); break;
      case request_step::balancer_got: say_balancer_got(x); break;
      case request_step::balancer_late:
        line(x, "the load balancer gets a late answer from " + x.who + " and ignores it");
        break;
      case request_step::balancer_answered: say_balancer_answered(x); break;
      case request_step::client_waits: say_client_waits(x); break;
      case request_step::ended: say_ended(x); break;
    }
  }

  void say_client_sent(const request_hop& x) {
    ++client_tries_;
    gave_up_ = false;
    line(x, client_tries_ == 1 ? "its client sends it"
                               : "its client sends it again, try " + std::to_string(client_tries_));
  }

  void say_balancer_sent(const request_hop& x) {
    ++balancer_tries_;
    attempt_ = x.attempt;
    region_ = x.who;
    service_.clear();
    revision_.clear();
    instance_.clear();
    got_answer_ = false;
    answered_ = false;
    const auto who = x.proxy == 0 ? "the load balancer"
                                  : "proxy " + std::to_string(x.proxy) + " of the load balancer";
    line(x, who + " sends it to " + x.who
              + (balancer_tries_ == 1 ? "" : ", its try " + std::to_string(balancer_tries_)));
    because(last<routing_changed>(request_.consumer + "/lb", x.at));
  }

  void say_service_took(const request_hop& x) {
    if (x.attempt != attempt_) {
      line(x, x.who + " takes an earlier try, which nobody waits for any more");
      return;
    }
    service_ = x.who;
    line(x, x.who + " takes it");
    because_of_link(request_.consumer, region_);
  }

  void say_dispatched(const request_hop& x) {
    if (x.attempt != attempt_)
      return;
    const auto waited = lines_.empty() ? duration::zero() : x.at - lines_.back().at;
    instance_ = x.who;
    line(x, x.who + (waited > duration::zero() ? " gets it out of the pending queue" : " gets it"));
    if (waited > duration::zero())
      because_of_queue(x);
    if (lines_.back().because.empty())
      because_of_instance(x.who);
  }

  void say_service_answered(const request_hop& x) {
    if (x.attempt != attempt_)
      return;
    answered_ = x.how != outcome::lost;
    // The line of the instance has said it, but for what the revision decides by itself.
    const auto said = !lines_.empty() && lines_.back().at == x.at
                      && lines_.back().text.find(" answers ") != std::string::npos;
    if (said && x.how != outcome::lost)
      return;
    if (x.how == outcome::lost) {
      line(x, x.who + " drops it: no answer goes back");
      because_of_instance(instance_);
      return;
    }
    line(x, x.who + " answers " + name_of(x.how));
    if (!instance_.empty())
      because_of_instance(instance_);
    else if (!revision_.empty())
      because(last<scaling_decided>(revision_, x.at));
  }

  void say_balancer_got(const request_hop& x) {
    got_answer_ = got_answer_ || x.attempt == attempt_;
    line(x, "the load balancer gets the answer " + name_of(x.how) + " from " + x.who
              + (x.attempt == attempt_ ? "" : ", to an earlier try"));
    because_of_link(x.who, request_.consumer);
  }

  void say_balancer_answered(const request_hop& x) {
    if (x.how != outcome::lb_timeout)
      return;
    got_answer_ = true;
    say_giving_up(x, "the load balancer gives up waiting");
  }

  void say_client_waits(const request_hop& x) {
    if (x.how == outcome::client_timeout)
      say_giving_up(x, "its client gives up waiting");
    line(x, "its client waits for " + latency_text(x.until - x.at) + " after " + name_of(x.how));
  }

  void say_ended(const request_hop& x) {
    if (x.how == outcome::client_timeout && !gave_up_)
      say_giving_up(x, "its client gives up waiting");
    line(x, "its client has " + std::string{x.how == outcome::ok ? "the answer" : name_of(x.how)});
  }

  /// Says that somebody waited in vain, and for whom.
  void say_giving_up(const request_hop& x, const std::string& who) {
    gave_up_ = true;
    if (answered_) {
      line(x, who + " for the answer of " + service_ + ", which is on its way");
      because_of_link(region_, request_.consumer);
    } else if (!instance_.empty()) {
      line(x, who + " for " + instance_);
      because_of_instance(instance_);
    } else if (!revision_.empty()) {
      line(x, who + ": it waits in the pending queue of " + revision_);
      because(last<scaling_decided>(revision_, x.at));
    } else if (service_.empty()) {
      line(x, who + ": " + region_ + " has not got it");
      because_of_link(request_.consumer, region_);
    } else {
      line(x, who + " for " + service_);
    }
  }

  void line(const request_hop& x, std::string text) {
    const auto span = lines_.empty() ? duration::zero() : x.at - lines_.back().at;
    lines_.push_back({x.at, span, std::move(text), {}, {}});
  }

  void because(const event* x, const std::string& more = {}) {
    if (x == nullptr || lines_.empty())
      return;
    auto& to = lines_.back();
    to.because_of = x->id;
    to.because = words_of(*x).sentence + " (" + instant_text(x->at) + ", "
                 + to_string(x->id, index_.log().sites()) + ")" + more;
  }

  /// Names the fault that lies on an instance at the last line, if one does.
  void because_of_instance(const std::string& path) { because(standing<instance_afflicted>(path)); }

  /// Names the fault that lies on a link at the last line, if one does.
  void because_of_link(const std::string& from, const std::string& to) {
    because(standing<fault_applied>(from + "/link/" + to));
  }

  /// A CPU part takes longer than alone when the instance's CPU is shared.
  void because_of_cpu(const request_hop& x) {
    because_of_instance(x.who);
    if (!lines_.back().because.empty())
      return;
    const auto* sample = next_sample(parent_of(x.who), x.at);
    if (sample == nullptr || lines_.back().span < long_cpu_part)
      return;
    const auto& second = payload_of<revision_sample>(sample);
    const auto cpus = static_cast<double>(second.cpu_milli) * 1e-3;
    lines_.back().because = "in that second "
                            + std::to_string(second.ready + second.deprioritised + second.draining)
                            + " instances used " + clock_text(from_seconds(cpus)) + " of CPU";
    lines_.back().because_of = sample->id;
  }

  void because_of_queue(const request_hop& x) {
    const auto* ready = last<instance_changed>(x.who, x.at);
    if (ready != nullptr && payload_of<instance_changed>(ready).after == instance_state::ready
        && ready->at == x.at) {
      because(ready);
      return;
    }
    std::string more;
    const auto since = lines_.back().at - lines_.back().span;
    std::optional<std::uint32_t> peak;
    if (const auto* share = next<share_sample>(revision_, since))
      peak = payload_of<share_sample>(share).queue_peak;
    else if (const auto* sample = next_sample(revision_, since))
      peak = payload_of<revision_sample>(sample).queue_peak;
    if (peak)
      more = "; " + std::to_string(*peak) + " waited at most in the second when it came";
    because(last<scaling_decided>(revision_, x.at), more);
    if (lines_.back().because.empty() && !more.empty())
      lines_.back().because = more.substr(2);
  }

  /// @returns the last event of a kind of an entity, up to `at`.
  template <class T>
  [[nodiscard]] const event* last(std::string_view entity, instant at) const {
    const event* result = nullptr;
    for (const auto* x : index_.all<T>()) {
      if (x->at > at)
        break;
      if (x->entity == entity)
        result = x;
    }
    return result;
  }

  /// @returns the first fault on an entity that lay on it at some time of the last line's span.
  template <class T>
  [[nodiscard]] const event* standing(std::string_view entity) const {
    if (lines_.empty() || entity.empty())
      return nullptr;
    const auto until = lines_.back().at;
    const auto since = until - lines_.back().span;
    for (const auto* x : index_.all<T>()) {
      const auto& fault = payload_of<T>(x);
      if (!fault.active || x->entity != entity || x->at > until)
        continue;
      const auto all = index_.all<T>();
      const auto over = std::any_of(all.begin(), all.end(), [&](const event* y) {
        const auto& end = payload_of<T>(y);
        return !end.active && y->entity == entity && end.index == fault.index && y->at >= x->at
               && y->at < since;
      });
      if (!over)
        return x;
    }
    return nullptr;
  }

  /// @returns the first event of a kind of an entity, from `at` on.
  template <class T>
  [[nodiscard]] const event* next(std::string_view entity, instant at) const {
    const auto all = index_.all<T>();
    const auto found = std::find_if(
      all.begin(), all.end(), [&](const event* x) { return x->at >= at && x->entity == entity; });
    return found == all.end() ? nullptr : *found;
  }

  /// @returns the second of a revision; when it has a name, that of all revisions of its backend service.
  [[nodiscard]] const event* next_sample(std::string_view revision, instant at) const {
    const auto* own = next<revision_sample>(revision, at);
    return own != nullptr ? own : next<revision_sample>(parent_of(revision), at);
  }

  static std::string name_of(outcome x) {
    std::string result{to_string(x)};
    std::replace(result.begin(), result.end(), '_', ' ');
    return result;
  }

  const event_index& index_;
  const traced_request& request_;
  std::vector<request_line> lines_;
  std::uint32_t client_tries_ = 0;
  std::uint32_t balancer_tries_ = 0;
  std::uint16_t attempt_ = 0; // the balancer's last try
  bool got_answer_ = false;   // to that try
  bool answered_ = false;     // that try, by its region
  bool gave_up_ = false;
  std::string region_;
  std::string service_;  // "" while the try has not arrived
  std::string revision_; // "" while no backend service has it
  std::string instance_; // "" while no instance has it
};

duration latency_of(const traced_request& x) {
  return x.hops.back().at - x.hops.front().at;
}

std::string title_of(const traced_request& x) {
  std::string how{to_string(x.hops.back().how)};
  std::replace(how.begin(), how.end(), '_', ' ');
  return "request " + thousands(x.number) + " of " + x.consumer + ": " + how + " after "
         + latency_text(latency_of(x));
}

} // namespace

std::vector<request_line> explain(const event_index& index, const traced_request& x) {
  return story{index, x}.tell();
}

std::string to_text(const event_index& index, const traced_request& x, std::string_view kept_as) {
  constexpr std::size_t text_column = 30;
  auto result = title_of(x);
  if (!kept_as.empty())
    result.append("   (kept as ").append(kept_as).append(")");
  result += "\n";
  for (const auto& line : explain(index, x)) {
    const auto at = instant_text(line.at);
    std::string row = "  ";
    row.append(12 - std::min<std::size_t>(12, at.size()), ' ').append(at);
    if (line.span > duration::zero())
      row += "  +" + (line.span < std::chrono::milliseconds{1} ? "<1 ms" : latency_text(line.span));
    row.append(std::max(text_column, row.size() + 2) - row.size(), ' ');
    result += row + line.text + "\n";
    if (!line.because.empty())
      result.append(text_column + 2, ' ').append(line.because).append("\n");
  }
  return result;
}

std::string to_json(const event_index& index, const std::vector<traced_request>& all) {
  using json = nlohmann::ordered_json;
  auto requests = json::array();
  for (const auto& x : all) {
    auto lines = json::array();
    for (const auto& line : explain(index, x)) {
      json y = {{"at_ns", line.at.time_since_epoch().count()},
                {"span_ns", line.span.count()},
                {"text", line.text}};
      if (!line.because.empty())
        y["because"] = line.because;
      if (line.because_of)
        y["event"] = to_string(line.because_of, index.log().sites());
      lines.push_back(std::move(y));
    }
    requests.push_back({{"consumer", x.consumer},
                        {"request", x.number},
                        {"outcome", to_string(x.hops.back().how)},
                        {"latency_ns", latency_of(x).count()},
                        {"hops", std::move(lines)}});
  }
  const json result = {{"version", 1}, {"requests", std::move(requests)}};
  return result.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace spillover
