#include "report/comparison.hpp"

#include "report/comparison_parts.hpp"
#include "report/format.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace spillover {

namespace {

run_outline outline_of(const indexed_run& x) {
  const auto starts = x.index.all<run_started>();
  const auto start = starts.empty() ? run_started{} : payload_of<run_started>(starts.front());
  const auto& events = x.run.log.events();
  const auto& judgements = x.run.result.judgements;
  const auto met =
    std::count_if(judgements.begin(), judgements.end(), [](const auto& y) { return y.met; });
  return {x.run.label,
          start.name,
          start.seed,
          x.index.run_end(),
          x.index.warm_up_end(),
          !events.empty() && std::holds_alternative<run_ended>(events.back().what),
          x.run.result.exit_code(),
          static_cast<std::size_t>(met),
          judgements.size()};
}

/// Adds what one run lacks, and what makes the other one's numbers more than they would be.
void note_run(const char* name, const indexed_run& x, std::vector<std::string>& to) {
  const std::string who{name};
  if (!x.run.no_scenario.empty())
    to.push_back(who + " has no scenario that this version can read (" + x.run.no_scenario
                 + "): its expectations are not judged, and scenarios are not compared");
  const auto& events = x.run.log.events();
  if (events.empty() || !std::holds_alternative<run_ended>(events.back().what))
    to.push_back(who + " broke off at " + instant_text(x.index.run_end())
                 + ": what came after is not known, and its counts are those until then");
  else if (x.run.result.stopped)
    to.push_back(who + " was stopped at " + instant_text(x.run.result.stopped->at) + " ("
                 + x.run.result.stopped->reason + "): its counts are those until then");
  for (const auto& y : x.run.result.imbalances)
    to.emplace_back(who).append(" is no result: ").append(y);
}

/// @returns "NAME: X in A, Y in B (change)", of the first row of this name that differs.
std::string sentence_of(const compared_section& x, const std::string& row,
                        const std::string& name) {
  const auto found = std::find_if(x.rows.begin(), x.rows.end(), [&row](const compared_row& y) {
    return y.name == row && y.grade != change_grade::same;
  });
  if (found == x.rows.end() || found->a.text.empty() || found->b.text.empty())
    return {};
  auto result = name + ": " + found->a.text + " in A, " + found->b.text + " in B";
  if (!found->change.empty())
    result += " (" + found->change + ")";
  return result;
}

/// Counts expectations by what became of them.
void add_expectations(const compared_section& x, std::vector<std::string>& to) {
  const auto count = [&x](change_grade grade) {
    return static_cast<std::size_t>(std::count_if(
      x.rows.begin(), x.rows.end(), [grade](const auto& y) { return y.grade == grade; }));
  };
  if (const auto worse = count(change_grade::worse); worse > 0)
    to.push_back("B misses " + counted(worse, "expectation") + " that A meets");
  if (const auto better = count(change_grade::better); better > 0)
    to.push_back("B meets " + counted(better, "expectation") + " that A misses");
}

/// @returns whether a run has nothing of what a section is about.
bool lacks(const compared_section& x, compared_value compared_row::*side) {
  return std::all_of(x.rows.begin(), x.rows.end(),
                     [side](const compared_row& y) { return (y.*side).text.empty(); });
}

/// @param another whether an earlier section is of the same region
void add_failover(const compared_section& x, bool another, std::vector<std::string>& to) {
  const auto region = x.title.substr(0, x.title.find(' '));
  const auto only_b = lacks(x, &compared_row::a);
  if (only_b || lacks(x, &compared_row::b)) {
    auto text = (another ? "another failover of " : "failover of ") + region + " in "
                + (only_b ? "B" : "A") + " only";
    const auto& begins = only_b ? x.rows.front().b : x.rows.front().a;
    if (begins.number)
      text += ", of the fault at " + begins.text;
    to.push_back(std::move(text));
    return;
  }
  for (const auto& [row, name] :
       {std::pair{"failover", "failover of "},
        std::pair{"capacity", "capacity recovered after the failover of "},
        std::pair{"failback", "failback to "}})
    if (auto text = sentence_of(x, row, name + region); !text.empty())
      to.push_back(std::move(text));
}

/// @returns the share of requests that ended after the warm-up without an answer.
std::string errors_text(const request_totals& x) {
  const auto ended = std::accumulate(x.ended.begin(), x.ended.end(), std::uint64_t{0});
  return ended == 0 ? "none ended" : share_text(ended - x.ended[0], ended);
}

/// @returns what differs of two scenarios but for what they are called, which the head says.
std::vector<scenario_change> changes_of(nlohmann::ordered_json a, nlohmann::ordered_json b) {
  for (auto* x : {&a, &b})
    for (const auto* name : {"name", "description"})
      x->erase(name);
  return scenario_changes(a, b);
}

} // namespace

bool compared_section::differs() const noexcept {
  return std::any_of(rows.begin(), rows.end(),
                     [](const compared_row& x) { return x.grade != change_grade::same; });
}

bool is_same_parting(const comparison& x) noexcept {
  return x.first_health && x.first_decision && x.first_health->at == x.first_decision->at;
}

std::string events_sentence(const comparison& x) {
  if (!x.same_events || x.same)
    return {};
  return x.scenarios_compared
           ? "Every event is the same; what the scenario changes made no difference to them."
           : "Every event is the same; the scenarios are not compared.";
}

std::string name_text(const run_outline& x) {
  return x.name.empty() ? "(no name)" : x.name;
}

std::vector<std::string> headline_of(const comparison& x, const verdict& a, const verdict& b) {
  std::vector<std::string> result;
  std::set<std::string> regions;
  for (const auto& section : x.sections) {
    if (section.kind == "expectations")
      add_expectations(section, result);
    else if (section.kind == "failover")
      add_failover(
        section, !regions.insert(section.title.substr(0, section.title.find(' '))).second, result);
    else if (section.kind == "errors") {
      const auto in_a = errors_text(a.requests);
      const auto in_b = errors_text(b.requests);
      if (in_a != in_b)
        result.emplace_back("errors: ").append(in_a).append(" in A, ").append(in_b).append(" in B");
    } else if (section.kind == "latency") {
      if (auto text = sentence_of(section, "p99", "p99 of latency"); !text.empty())
        result.push_back(std::move(text));
    } else if (section.kind == "cost") {
      if (auto text = sentence_of(section, "all regions", "billed vCPU seconds"); !text.empty())
        result.push_back(std::move(text));
    }
  }
  return result;
}

std::vector<std::string> notes_of(const indexed_run& a, const indexed_run& b) {
  std::vector<std::string> result;
  note_run("A", a, result);
  note_run("B", b, result);
  const auto end_a = a.index.run_end();
  const auto end_b = b.index.run_end();
  if (end_a != end_b)
    result.push_back("A ends at " + instant_text(end_a) + " and B at " + instant_text(end_b)
                     + ": counts and costs of whole runs are of different spans");
  if (a.index.warm_up_end() != b.index.warm_up_end())
    result.push_back("the warm-up of A ends at " + instant_text(a.index.warm_up_end())
                     + ", that of B at " + instant_text(b.index.warm_up_end())
                     + ": shares and latencies are of different spans");
  if (a.run.log.joined() || b.run.log.joined()) {
    const auto both = a.run.log.joined() && b.run.log.joined();
    result.push_back(
      std::string{both                 ? "A and B are deployments"
                  : a.run.log.joined() ? "A is a deployment"
                                       : "B is a deployment"}
      + ", whose events have the times of real machines: where the events part is not looked for");
  }
  return result;
}

comparison compare(const compared_run& a, const compared_run& b) {
  const event_index index_a{a.log};
  const event_index index_b{b.log};
  const indexed_run of_a{a, index_a};
  const indexed_run of_b{b, index_b};
  comparison result;
  result.a = outline_of(of_a);
  result.b = outline_of(of_b);
  result.notes = notes_of(of_a, of_b);
  result.sections.push_back(expectations_section(a.result, b.result));
  for (auto& x : failover_sections(a.result, b.result))
    result.sections.push_back(std::move(x));
  result.sections.push_back(errors_section(a.result, b.result));
  result.sections.push_back(latency_section(a.result, b.result));
  result.sections.push_back(cost_section(a.result, b.result));
  result.sections.push_back(decisions_section(index_a, index_b));
  std::erase_if(result.sections, [](const compared_section& x) { return x.rows.empty(); });
  const auto known = a.no_scenario.empty() && b.no_scenario.empty();
  if (known)
    result.changes = changes_of(a.scenario, b.scenario);
  auto first = first_difference(index_a, index_b);
  result.same = known && !first && result.changes.empty();
  result.same_events = !first && !a.log.joined() && !b.log.joined();
  result.scenarios_compared = known;
  if (!a.log.joined() && !b.log.joined()) {
    result.first_event = std::move(first);
    // What clocks and transitions leave out would only hide what they tell.
    const auto warm = std::max(index_a.warm_up_end(), index_b.warm_up_end());
    result.first_health = first_decision_apart(index_a, index_b, decision_kind::health, warm);
    result.first_decision = first_decision_apart(index_a, index_b);
  }
  result.headline = headline_of(result, a.result, b.result);
  return result;
}

} // namespace spillover
