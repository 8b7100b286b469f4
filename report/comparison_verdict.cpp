#include "report/comparison_parts.hpp"
#include "report/format.hpp"

#include <algorithm>
#include <sstream>

namespace spillover {

namespace {

/// @returns the words of a text that are no numbers, so that expectations with other limits are alike.
std::string without_numbers(const std::string& x) {
  std::istringstream words{x};
  std::string result;
  for (std::string word; words >> word;)
    if (word.front() < '0' || word.front() > '9')
      result.append(word).append(" ");
  return result;
}

bool equal(const judgement& x, const judgement& y) {
  return x.expected == y.expected;
}

bool called_alike(const judgement& x, const judgement& y) {
  return !x.expected.name.empty() && x.expected.name == y.expected.name
         && x.expected.what.index() == y.expected.what.index();
}

bool worded_alike(const judgement& x, const judgement& y) {
  return x.expected.what.index() == y.expected.what.index()
         && without_numbers(x.what) == without_numbers(y.what);
}

compared_value value_of(const judgement* x) {
  if (x == nullptr)
    return {};
  auto text = (x->met ? "PASS " : "FAIL ") + x->measured;
  std::string detail;
  if (!x->met && x->at)
    detail = "certain at " + instant_text(*x->at);
  return {std::move(text), x->value, std::move(detail)};
}

/// The more, the sooner somebody wants to know.
int rank_of(const judgement* a, const judgement* b) {
  if (a == nullptr || b == nullptr)
    return 2;
  if (a->met != b->met)
    return a->met ? 0 : 1;
  return a->met ? 4 : 3;
}

compared_row judgement_row(const judgement* a, const judgement* b) {
  const auto& of = a != nullptr ? *a : *b;
  const auto& name = of.expected.name;
  compared_row row{name.empty() ? of.what : name + ": " + of.what, value_of(a), value_of(b)};
  if (a == nullptr || b == nullptr) {
    row.grade = change_grade::differs;
    row.change = a == nullptr ? "only in B" : "only in A";
    return row;
  }
  if (a->what != b->what) {
    row.b.detail =
      row.b.detail.empty() ? "expected: " + b->what : "expected: " + b->what + "; " + row.b.detail;
    row.grade = change_grade::differs;
    row.change = "another limit";
  }
  if (a->met != b->met) {
    row.grade = a->met ? change_grade::worse : change_grade::better;
    row.change = a->met ? "missed in B" : "met in B";
  } else if (row.grade == change_grade::same
             && (a->measured != b->measured || a->value != b->value)) {
    row.grade = change_grade::differs;
    row.change = a->met ? "met in both" : "missed in both";
  }
  return row;
}

/// A clock of one failover, as its run tells it.
compared_value value_of(const verdict& of, const clock_reading* x) {
  if (x == nullptr)
    return {};
  if (!x->span)
    return {std::string{of.unreached}, std::nullopt, x->detail};
  return {clock_text(*x->span), x->span->count(), x->detail};
}

/// @returns how much later B was; a clock that ends in one of them only is the better one.
compared_row span_row(const char* name, compared_value a, compared_value b) {
  const auto by = duration{b.number.value_or(0) - a.number.value_or(0)};
  const auto both = !a.text.empty() && !b.text.empty();
  const auto ends_in_a = a.number.has_value();
  const auto ends_in_b = b.number.has_value();
  auto row = less_is_better(name, std::move(a), std::move(b), change_text(by, clock_text));
  if (both && ends_in_a != ends_in_b)
    row.grade = ends_in_a ? change_grade::worse : change_grade::better;
  return row;
}

compared_value cost_value(const failover_anatomy* x) {
  if (x == nullptr)
    return {};
  if (!x->cost.missing.empty())
    return {"n/a", std::nullopt, x->cost.missing};
  const auto extra = x->cost.extra().total();
  return {extra_vcpu_text(extra), extra};
}

std::string title_of(const failover_anatomy* a, const failover_anatomy* b) {
  const auto& of = a != nullptr ? *a : *b;
  const auto successor = [](const failover_anatomy& x) {
    return x.to.empty() ? std::string{"nobody"} : x.to;
  };
  auto result = of.from + " -> " + successor(of);
  if (a != nullptr && b != nullptr && a->to != b->to)
    result += " (B: " + successor(*b) + ")";
  if (a == nullptr || b == nullptr)
    result += a == nullptr ? ", only in B" : ", only in A";
  return result + ": " + of.fault_detail;
}

compared_section failover_section(const verdict& of_a, const failover_anatomy* a,
                                  const verdict& of_b, const failover_anatomy* b) {
  compared_section result{"failover", title_of(a, b), {}, {}};
  const auto total = [](const verdict& of, const failover_anatomy* x) -> compared_value {
    if (x == nullptr)
      return {};
    if (!x->failover)
      return {std::string{of.unreached}};
    return {clock_text(*x->failover), x->failover->count()};
  };
  const auto onset = [](const failover_anatomy* x) -> compared_value {
    return x == nullptr
             ? compared_value{}
             : compared_value{instant_text(x->fault_at), x->fault_at.time_since_epoch().count()};
  };
  auto row = span_row("fault at", onset(a), onset(b));
  // When a fault sets in is no merit of anybody.
  if (row.grade != change_grade::same)
    row.grade = change_grade::differs;
  result.rows.push_back(std::move(row));
  result.rows.push_back(span_row("failover", total(of_a, a), total(of_b, b)));
  constexpr std::pair<const char*, clock_reading failover_anatomy::*> clocks[] = {
    {"detected", &failover_anatomy::detect},      {"aggregated", &failover_anatomy::aggregate},
    {"propagated", &failover_anatomy::propagate}, {"routed", &failover_anatomy::route},
    {"capacity", &failover_anatomy::capacity},    {"failback", &failover_anatomy::failback}};
  for (const auto& [name, clock] : clocks)
    result.rows.push_back(span_row(name, value_of(of_a, a != nullptr ? &(a->*clock) : nullptr),
                                   value_of(of_b, b != nullptr ? &(b->*clock) : nullptr)));
  auto in_a = cost_value(a);
  auto in_b = cost_value(b);
  const auto by = in_b.number.value_or(0) - in_a.number.value_or(0);
  result.rows.push_back(
    less_is_better("extra cost", std::move(in_a), std::move(in_b), extra_vcpu_text(by)));
  return result;
}

} // namespace

compared_section expectations_section(const verdict& a, const verdict& b) {
  compared_section result{"expectations", "expectations", {}, {}};
  struct ranked {
    int rank = 0;
    compared_row row;
  };
  std::vector<ranked> rows;
  for (const auto& x : match(a.judgements, b.judgements, equal, called_alike, worded_alike)) {
    const auto* in_a = x.a ? &a.judgements[*x.a] : nullptr;
    const auto* in_b = x.b ? &b.judgements[*x.b] : nullptr;
    auto row = judgement_row(in_a, in_b);
    const auto rank = 2 * rank_of(in_a, in_b) + (row.grade == change_grade::same ? 1 : 0);
    rows.push_back({rank, std::move(row)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ranked& x, const ranked& y) { return x.rank < y.rank; });
  for (auto& x : rows)
    result.rows.push_back(std::move(x.row));
  return result;
}

std::vector<compared_section> failover_sections(const verdict& a, const verdict& b) {
  const auto same_place = [](const failover_anatomy& x, const failover_anatomy& y) {
    return x.from == y.from && x.service == y.service;
  };
  const auto same_fault = [&](const failover_anatomy& x, const failover_anatomy& y) {
    return same_place(x, y) && x.fault_at == y.fault_at && x.fault_detail == y.fault_detail;
  };
  // One that consumers should have carried out, and did not, names no service.
  const auto same_region = [](const failover_anatomy& x, const failover_anatomy& y) {
    return x.from == y.from && (x.service.empty() || y.service.empty());
  };
  std::vector<compared_section> result;
  for (const auto& x : match(a.failovers, b.failovers, same_fault, same_place, same_region))
    result.push_back(failover_section(a, x.a ? &a.failovers[*x.a] : nullptr, b,
                                      x.b ? &b.failovers[*x.b] : nullptr));
  return result;
}

} // namespace spillover
