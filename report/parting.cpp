#include "report/parting.hpp"

#include "report/why.hpp"
#include "report/why_words.hpp"

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

namespace spillover {

namespace {

told_event tell(const event_index& index, const event& x) {
  // The numbers of a second, or of the whole run, would be long, and say little.
  auto words = is_sample_or_books(x.what)
                 ? event_words{"numbers of " + x.entity + ": " + std::string{kind_of(x)}, {}}
                 : words_of(x);
  return {to_string(x.id, index.log().sites()),
          x.at,
          x.entity,
          kind_of(x),
          std::move(words.sentence),
          std::move(words.numbers)};
}

/// What happens so much later than the parting has reasons of its own.
constexpr duration much_later = std::chrono::minutes{1};

/// @param at of the parting
parting_side tell_side(const event_index& index, const event* x, instant at) {
  if (x == nullptr)
    return {};
  parting_side result{tell(index, *x), x->at > at};
  if (x->at > at + much_later) {
    result.what->numbers.clear();
    return result;
  }
  const auto chain = explain(index, *x);
  for (std::size_t i = 1; i < chain.steps.size(); ++i) {
    const auto& step = chain.steps[i];
    result.causes.push_back(tell(index, *step.what));
    if (step.how == why_link::time)
      result.causes.back().by_time = step.reason;
  }
  return result;
}

/// How much a decision says, the least number the most.
int rank_of(const event& x) {
  const auto is = [&x]<class... T>(const std::variant<T...>*) {
    return (std::holds_alternative<T>(x.what) || ...);
  };
  using orders = std::variant<run_stopped, fault_started, fault_ended, action_taken>;
  using outcomes = std::variant<routing_changed, composite_changed>;
  using news = std::variant<source_changed, neg_changed, outlier_changed, scaling_decided>;
  if (is(static_cast<const orders*>(nullptr)))
    return 0;
  if (is(static_cast<const outcomes*>(nullptr)))
    return 1;
  return is(static_cast<const news*>(nullptr)) ? 2 : 3;
}

/// @returns what was decided, without the numbers behind it; nothing for what is no decision.
std::optional<std::string> decision_of(const event& x) {
  const auto states = [](const auto& y) {
    return std::string{to_string(y.before)} + " " + std::string{to_string(y.after)};
  };
  return std::visit(
    [&](const auto& y) -> std::optional<std::string> {
      using type = std::remove_cvref_t<decltype(y)>;
      constexpr auto is = []<class... T>(const std::variant<T...>*) {
        return (std::is_same_v<type, T> || ...);
      };
      if constexpr (is(static_cast<std::variant<source_changed, composite_changed>*>(nullptr))) {
        return states(y);
      } else if constexpr (std::is_same_v<type, endpoint_changed>) {
        // From UNKNOWN it turns because its instance is new.
        return y.before == health::unknown ? std::nullopt : std::optional{states(y)};
      } else if constexpr (std::is_same_v<type, neg_changed>) {
        return y.region + " " + states(y);
      } else if constexpr (std::is_same_v<type, routing_changed>) {
        return y.before + " " + y.after + (y.fail_open ? " fail open" : "");
      } else if constexpr (std::is_same_v<type, scaling_decided>) {
        return y.before == y.after
                 ? std::nullopt
                 : std::optional{std::to_string(y.before) + " " + std::to_string(y.after)};
      } else if constexpr (std::is_same_v<type, outlier_changed>) {
        return y.region + " " + std::to_string(y.proxy) + " " + std::string{to_string(y.action)};
      } else if constexpr (is(static_cast<std::variant<run_stopped, fault_started, fault_ended,
                                                       start_denied, path_changed, action_taken,
                                                       rollout_stepped, traffic_changed>*>(
                             nullptr))) {
        return fields_text(x);
      } else {
        return std::nullopt;
      }
    },
    x.what);
}

/// A decision by what it says, so that those of two runs can be compared.
struct decision {
  std::string key;
  const event* what = nullptr;
};

/// @returns whether it is a state of health, or what a load balancer made of one.
bool is_of_health(const event& x) {
  return std::holds_alternative<source_changed>(x.what)
         || std::holds_alternative<composite_changed>(x.what)
         || std::holds_alternative<neg_changed>(x.what)
         || std::holds_alternative<routing_changed>(x.what)
         || std::holds_alternative<outlier_changed>(x.what);
}

std::vector<decision> decisions_of(const event_index& index, decision_kind which, instant since) {
  std::vector<decision> result;
  for (const auto& x : index.log().events()) {
    if (x.at < since || (which == decision_kind::health && !is_of_health(x)))
      continue;
    if (auto text = decision_of(x))
      result.push_back({x.entity + " " + std::string{kind_of(x)} + " " + *text, &x});
  }
  return result;
}

using place = std::vector<decision>::const_iterator;

/// @returns the decisions of one instant, in the order of their keys.
std::vector<decision> take_instant(place& from, place end, instant at) {
  std::vector<decision> result;
  for (; from != end && from->what->at == at; ++from)
    result.push_back(*from);
  std::stable_sort(result.begin(), result.end(),
                   [](const decision& x, const decision& y) { return x.key < y.key; });
  return result;
}

/// @returns of the decisions that only `x` has the one that says most, or nullptr.
const event* telling(const std::vector<decision>& x, const std::vector<decision>& y) {
  std::vector<decision> only;
  std::set_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(only),
                      [](const decision& p, const decision& q) { return p.key < q.key; });
  const auto best =
    std::min_element(only.begin(), only.end(), [](const decision& p, const decision& q) {
      return rank_of(*p.what) < rank_of(*q.what);
    });
  return best == only.end() ? nullptr : best->what;
}

/// @returns the next decision of the same kind and entity, or nullptr.
const event* counterpart(place from, place end, const event& of) {
  const auto found = std::find_if(from, end, [&of](const decision& x) {
    return x.what->entity == of.entity && x.what->what.index() == of.what.index();
  });
  return found == end ? nullptr : found->what;
}

} // namespace

std::optional<parting> first_difference(const event_index& a, const event_index& b) {
  const auto& of_a = a.log().events();
  const auto& of_b = b.log().events();
  const auto most = std::max(of_a.size(), of_b.size());
  std::string line_a;
  std::string line_b;
  for (std::size_t i = 0; i < most; ++i) {
    const auto* x = i < of_a.size() ? &of_a[i] : nullptr;
    const auto* y = i < of_b.size() ? &of_b[i] : nullptr;
    if (x != nullptr && y != nullptr) {
      if (std::holds_alternative<run_started>(x->what)
          && std::holds_alternative<run_started>(y->what))
        continue;
      line_a.clear();
      line_b.clear();
      append_event_line(line_a, *x, a.log().sites());
      append_event_line(line_b, *y, b.log().sites());
      if (line_a == line_b)
        continue;
    }
    const auto at = x == nullptr ? y->at : y == nullptr ? x->at : std::min(x->at, y->at);
    return parting{at, tell_side(a, x, at), tell_side(b, y, at)};
  }
  return std::nullopt;
}

std::optional<parting> first_decision_apart(const event_index& a, const event_index& b,
                                            decision_kind which, instant since) {
  const auto of_a = decisions_of(a, which, since);
  const auto of_b = decisions_of(b, which, since);
  auto next_a = of_a.begin();
  auto next_b = of_b.begin();
  while (next_a != of_a.end() || next_b != of_b.end()) {
    const auto at = next_a == of_a.end()   ? next_b->what->at
                    : next_b == of_b.end() ? next_a->what->at
                                           : std::min(next_a->what->at, next_b->what->at);
    const auto now_a = take_instant(next_a, of_a.end(), at);
    const auto now_b = take_instant(next_b, of_b.end(), at);
    const auto* in_a = telling(now_a, now_b);
    const auto* in_b = telling(now_b, now_a);
    if (in_a == nullptr && in_b == nullptr)
      continue;
    parting result{at, {}, {}};
    result.a = tell_side(a, in_a != nullptr ? in_a : counterpart(next_a, of_a.end(), *in_b), at);
    result.b = tell_side(b, in_b != nullptr ? in_b : counterpart(next_b, of_b.end(), *in_a), at);
    return result;
  }
  return std::nullopt;
}

} // namespace spillover
