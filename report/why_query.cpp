#include "report/why_query.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>
#include <tuple>

namespace spillover {

namespace {

template <class T>
const T* as(const event& x) noexcept {
  return std::get_if<T>(&x.what);
}

/// @returns 1 for what says most about a change to such a health, more for lesser events, else 0.
int rank_of_health(const event& x, health after) noexcept {
  if (const auto* y = as<composite_changed>(x))
    return y->after == after ? 1 : 0;
  if (const auto* y = as<source_changed>(x))
    return y->after == after ? 2 : 0;
  if (const auto* y = as<endpoint_changed>(x))
    return y->after == after ? 3 : 0;
  if (const auto* y = as<neg_changed>(x))
    return y->after == after ? 4 : 0;
  return 0;
}

/// @returns 1 for an order to make an instance anew, 2 for what auto-healing found.
int rank_of_healing(const event& x) noexcept {
  const auto* y = as<auto_healing_judged>(x);
  return y == nullptr ? 0 : y->recreates ? 1 : 2;
}

/// @returns whether an operator's action of a load balancer begins so, e.g. "fail over us-east1".
bool is_action(const event& x, std::string_view words) noexcept {
  const auto* y = as<action_taken>(x);
  return y != nullptr && y->what.starts_with(words);
}

int rank_of_instance(const event& x, instance_state after) noexcept {
  const auto* y = as<instance_changed>(x);
  return y != nullptr && y->after == after ? 1 : 0;
}

int rank_of_scaling(const event& x, bool up, bool down) noexcept {
  const auto* y = as<scaling_decided>(x);
  return y != nullptr && ((up && y->after > y->before) || (down && y->after < y->before)) ? 1 : 0;
}

int rank_of_rollout(const event& x, std::string_view step) noexcept {
  const auto* y = as<rollout_stepped>(x);
  return y != nullptr && y->step == step ? 1 : 0;
}

int rank_of_fault(const event& x, bool active) noexcept {
  if (active ? as<fault_started>(x) != nullptr : as<fault_ended>(x) != nullptr)
    return 1;
  if (const auto* y = as<fault_applied>(x))
    return y->active == active ? 2 : 0;
  if (const auto* y = as<instance_afflicted>(x))
    return y->active == active ? 3 : 0;
  return 0;
}

int rank_of_queue(const event& x, bool waits) noexcept {
  const auto* y = as<queue_changed>(x);
  return y != nullptr && (y->length > 0) == waits ? 1 : 0;
}

int rank_of_outlier(const event& x, outlier_action action) noexcept {
  const auto* y = as<outlier_changed>(x);
  return y != nullptr && y->action == action ? 1 : 0;
}

template <class T>
int rank_of(const event& x) noexcept {
  return as<T>(x) != nullptr ? 1 : 0;
}

struct verb_rule {
  why_verb words;
  /// @returns 1 for the kind that says most, more for lesser ones, 0 for what the verb does not mean.
  int (*rank)(const event&) = nullptr;
};

constexpr std::array verbs{
  verb_rule{{"scaled", "an autoscaler wants another number of instances"},
            [](const event& x) { return rank_of_scaling(x, true, true); }},
  verb_rule{{"grew", "an autoscaler wants more instances"},
            [](const event& x) { return rank_of_scaling(x, true, false); }},
  verb_rule{{"shrank", "an autoscaler wants fewer instances"},
            [](const event& x) { return rank_of_scaling(x, false, true); }},
  verb_rule{{"unhealthy", "a composite, source, endpoint or PSC NEG turned UNHEALTHY"},
            [](const event& x) { return rank_of_health(x, health::unhealthy); }},
  verb_rule{{"healthy", "a composite, source, endpoint or PSC NEG turned HEALTHY"},
            [](const event& x) { return rank_of_health(x, health::healthy); }},
  verb_rule{{"routed", "a load balancer prefers another region"}, rank_of<routing_changed>},
  verb_rule{{"learned", "a consumer learned the state of a region"}, rank_of<neg_changed>},
  verb_rule{{"ejected", "outlier detection ejected a region"},
            [](const event& x) { return rank_of_outlier(x, outlier_action::ejected); }},
  verb_rule{{"returned", "an ejection of a region ended"},
            [](const event& x) { return rank_of_outlier(x, outlier_action::returned); }},
  verb_rule{{"requested", "the first request went to a region"}, rank_of<first_request>},
  verb_rule{{"started", "an instance began to start"},
            [](const event& x) { return rank_of_instance(x, instance_state::starting); }},
  verb_rule{{"ready", "an instance can serve"},
            [](const event& x) { return rank_of_instance(x, instance_state::ready); }},
  verb_rule{{"deprioritised", "an instance is no longer needed"},
            [](const event& x) { return rank_of_instance(x, instance_state::deprioritised); }},
  verb_rule{
    {"drained", "an instance takes no more requests, or an operator took a region out of use"},
    [](const event& x) {
      return rank_of_instance(x, instance_state::draining) + (is_action(x, "fail over ") ? 1 : 0);
    }},
  verb_rule{{"healed", "auto-healing makes an instance anew, or found another state of it"},
            rank_of_healing},
  verb_rule{{"stopped", "an instance stopped, or the run ended early"},
            [](const event& x) {
              return rank_of<run_stopped>(x) + rank_of_instance(x, instance_state::stopped);
            }},
  verb_rule{{"crashed", "the process of an instance ended against its will"},
            [](const event& x) { return rank_of_instance(x, instance_state::crashed); }},
  verb_rule{{"failed", "a fault set in, or took hold, or a deployment failed"},
            [](const event& x) { return rank_of_fault(x, true) + rank_of_rollout(x, "failed"); }},
  verb_rule{{"recovered", "a fault ended, or let go"},
            [](const event& x) { return rank_of_fault(x, false); }},
  verb_rule{{"queued", "requests began to wait for an instance"},
            [](const event& x) { return rank_of_queue(x, true); }},
  verb_rule{{"unqueued", "no request waits any more"},
            [](const event& x) { return rank_of_queue(x, false); }},
  verb_rule{{"denied", "a quota kept instances from starting"}, rank_of<start_denied>},
  verb_rule{{"deployed", "a revision has enough instances, or its deployment began"},
            [](const event& x) {
              return rank_of_rollout(x, "ready") + 2 * rank_of_rollout(x, "deploying");
            }},
  verb_rule{{"split", "requests are split over revisions in another way"},
            rank_of<traffic_changed>},
  verb_rule{{"acted", "an operator's action was carried out"}, rank_of<action_taken>},
  verb_rule{{"changed", "anything but a second's numbers; what is asked without a verb"},
            [](const event& x) { return is_sample_or_books(x.what) ? 0 : 1; }},
};

constexpr auto verb_list = [] {
  std::array<why_verb, verbs.size()> result{};
  for (std::size_t i = 0; i < verbs.size(); ++i)
    result[i] = verbs[i].words;
  return result;
}();

const verb_rule* rule_of(std::string_view verb) noexcept {
  const auto* const found = std::find_if(
    verbs.begin(), verbs.end(), [verb](const verb_rule& x) { return x.words.name == verb; });
  return found == verbs.end() ? nullptr : &*found;
}

/// Words that people put before a verb and that change nothing.
bool is_filler(std::string_view x) noexcept {
  constexpr std::array<std::string_view, 8> words{"was",    "is",  "are", "became",
                                                  "turned", "got", "did", "has"};
  return std::find(words.begin(), words.end(), x) != words.end();
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> result;
  while (true) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos)
      return result;
    text.remove_prefix(begin);
    const auto end = std::min(text.find_first_of(" \t"), text.size());
    result.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// Reads a span such as "5m20s" or "317.8s".
std::optional<duration> read_span(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 6> units{
    {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 6e10}, {"h", 3.6e12}}};
  if (text.empty())
    return std::nullopt;
  double sum = 0;
  while (!text.empty()) {
    double value = 0;
    const auto [rest, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (error != std::errc{} || value < 0)
      return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    const auto end = std::min(text.find_first_not_of("nmush"), text.size());
    const auto* const unit = std::find_if(
      units.begin(), units.end(), [&](const auto& x) { return x.first == text.substr(0, end); });
    if (unit == units.end())
      return std::nullopt;
    sum += value * unit->second;
    text.remove_prefix(end);
  }
  // A century is more than any run lasts, and within what an instant can hold.
  if (!(sum < 3.2e18))
    return std::nullopt;
  return duration{static_cast<duration::rep>(sum + 0.5)};
}

bool is_side_of(std::string_view target, std::string_view entity) {
  constexpr std::string_view arrow = " -> ";
  const auto at = target.find(arrow);
  if (at == std::string_view::npos)
    return is_within(target, entity) || is_within(entity, target);
  return target == entity || target.substr(0, at) == entity
         || target.substr(at + arrow.size()) == entity;
}

/// @returns whether an event of somebody else is about the entity: a consumer's about a region, or
///          the director's about whom a fault hits.
bool is_about(const event& x, std::string_view entity) {
  if (const auto* y = as<routing_changed>(x))
    return route_uses(y->after, entity);
  if (const auto* y = as<neg_changed>(x))
    return y->region == entity;
  if (const auto* y = as<outlier_changed>(x))
    return y->region == entity;
  if (const auto* y = as<connection_changed>(x))
    return y->region == entity;
  if (const auto* y = as<first_request>(x))
    return y->region == entity;
  if (const auto* y = as<action_taken>(x))
    return y->what == std::string{"fail over "}.append(entity)
           || y->what == std::string{"fail back "}.append(entity);
  if (const auto* y = as<fault_started>(x))
    return is_side_of(y->target, entity) || (!y->name.empty() && y->name == entity);
  if (const auto* y = as<fault_ended>(x))
    return is_side_of(y->target, entity);
  return false;
}

enum class closeness { own, about, none };

/// Tells how close events are to what a question calls somebody.
class subject {
public:
  subject(const event_index& index, std::string_view name) : name_(name) {
    const auto& all = index.log().events();
    whole_ = std::any_of(all.begin(), all.end(), [this](const event& x) {
      return is_within(x.entity, name_) || is_about(x, name_);
    });
    known_ = whole_ || std::any_of(all.begin(), all.end(), [this](const event& x) {
               return x.entity.starts_with(name_);
             });
  }

  [[nodiscard]] closeness to(const event& x) const {
    if (is_within(x.entity, name_) || (!whole_ && x.entity.starts_with(name_)))
      return closeness::own;
    return is_about(x, name_) ? closeness::about : closeness::none;
  }

  [[nodiscard]] bool known() const noexcept { return known_; }

private:
  std::string_view name_;
  bool whole_ = false; // the name is one of a site or path, and not the beginning of one
  bool known_ = false;
};

/// One event that matches, and how well; the least is the best.
struct match {
  int rank;
  closeness how;
  bool too_late;
  duration distance;
  const event* what;

  [[nodiscard]] auto order() const noexcept { return std::tuple{rank, how, too_late, distance}; }
};

std::string listed(const std::vector<std::string>& names) {
  std::string result;
  for (const auto& x : names)
    result.append(result.empty() ? "" : ", ").append(x);
  return result;
}

const event* event_of(const event_index& index, std::string_view id) {
  const auto hash = id.rfind('#');
  const auto& sites = index.log().sites();
  const auto site = std::find(sites.begin(), sites.end(), id.substr(0, hash));
  event_id result;
  const auto* const end = id.data() + id.size();
  const auto [rest, error] = std::from_chars(id.data() + hash + 1, end, result.number);
  if (site == sites.end() || error != std::errc{} || rest != end)
    return nullptr;
  result.site = static_cast<std::uint16_t>(site - sites.begin());
  return index.log().find(result);
}

} // namespace

std::span<const why_verb> why_verbs() noexcept {
  return verb_list;
}

std::optional<why_query> parse_why_query(std::string_view text, std::string& problem) {
  auto words = words_of(text);
  why_query result;
  if (words.empty()) {
    problem = "a question is an event's id, or: ENTITY [VERB] [at TIME]";
    return std::nullopt;
  }
  if (words.size() == 1 && words[0].find('#') != std::string_view::npos) {
    result.id = words[0];
    return result;
  }
  result.entity = words[0];
  while (result.entity.size() > 1 && result.entity.back() == '/')
    result.entity.pop_back();
  const auto at = std::find(words.begin() + 1, words.end(), "at");
  if (at != words.end()) {
    std::string time;
    for (auto x = at + 1; x != words.end(); ++x)
      time += *x;
    const auto span = read_span(time);
    if (!span) {
      problem = "at " + time + ": not a time; write it like 318s, 5m18s or 317.8s";
      return std::nullopt;
    }
    result.at = run_start + *span;
    words.erase(at, words.end());
  }
  words.erase(words.begin());
  std::erase_if(words, is_filler);
  if (words.empty())
    return result;
  if (words.size() > 1 || rule_of(words[0]) == nullptr) {
    problem = "'" + std::string{words[words.size() > 1 ? 1 : 0]} + "' is no verb; there are:";
    for (const auto& x : verb_list)
      problem.append(&x == verb_list.data() ? " " : ", ").append(x.name);
    return std::nullopt;
  }
  result.verb = words[0];
  return result;
}

why_matches find_events(const event_index& index, const why_query& x) {
  why_matches result;
  if (!x.id.empty()) {
    result.best = event_of(index, x.id);
    return result;
  }
  const auto* const rule = rule_of(x.verb);
  const subject who{index, x.entity};
  std::vector<match> all;
  for (const auto& y : index.log().events()) {
    const auto rank = rule == nullptr ? 0 : rule->rank(y);
    const auto how = rank == 0 ? closeness::none : who.to(y);
    if (how == closeness::none)
      continue;
    const auto too_late = x.at && y.at > *x.at;
    const auto since = x.at.value_or(never) - y.at;
    all.push_back({rank, how, too_late, too_late ? -since : since, &y});
  }
  if (all.empty())
    return result;
  // Of events of one instant the later one stands for what came of the earlier.
  std::reverse(all.begin(), all.end());
  const auto best = std::min_element(
    all.begin(), all.end(), [](const match& a, const match& b) { return a.order() < b.order(); });
  result.best = best->what;
  all.erase(best);
  std::stable_sort(all.begin(), all.end(),
                   [](const match& a, const match& b) { return a.distance < b.distance; });
  for (const auto& y : all)
    result.others.push_back(y.what);
  return result;
}

std::string suggest(const event_index& index, const why_query& x) {
  const auto& log = index.log();
  if (!x.id.empty()) {
    const auto site = x.id.substr(0, x.id.rfind('#'));
    const auto known = std::count_if(log.events().begin(), log.events().end(), [&](const event& y) {
      return log.sites()[y.id.site] == site;
    });
    if (known == 0)
      return "there is no event " + x.id + "; sites are " + listed(log.sites());
    return "there is no event " + x.id + "; " + site + " has 1 to " + std::to_string(known);
  }
  const subject who{index, x.entity};
  if (!who.known()) {
    std::set<std::string> services;
    for (const auto* y : index.all<revision_sample>())
      services.insert(y->entity);
    auto names = log.sites();
    names.insert(names.end(), services.begin(), services.end());
    return "nothing in the log is called " + x.entity + "; there are " + listed(names);
  }
  std::vector<std::string> there;
  for (const auto& rule : verbs) {
    const auto count = std::count_if(log.events().begin(), log.events().end(), [&](const event& y) {
      return rule.rank(y) != 0 && who.to(y) != closeness::none;
    });
    if (count > 0)
      there.push_back(std::string{rule.words.name} + " (" + std::to_string(count) + ")");
  }
  return x.entity + " has no event that '" + x.verb + "' asks for; it has " + listed(there);
}

} // namespace spillover
