#include "report/comparison_parts.hpp"
#include "report/format.hpp"
#include "report/markdown_table.hpp"

namespace spillover {

namespace {

std::string value_text(const compared_value& x) {
  return x.text.empty() ? "–" : markdown_cell(x.text);
}

void add_runs(std::string& out, const comparison& x) {
  markdown_row(out, {"", "run", "scenario", "seed", "verdict"});
  markdown_row(out, {"---", "---", "---", "---:", "---"});
  for (const auto& [side, run] : {std::pair{"A", &x.a}, std::pair{"B", &x.b}}) {
    std::string verdict = run->exit_code == 0 ? "✅" : run->exit_code == 1 ? "❌" : "❌ NO RESULT";
    if (run->expected > 0)
      verdict += " " + std::to_string(run->met) + " of " + std::to_string(run->expected) + " met";
    markdown_row(out, {side, markdown_cell(run->label), markdown_cell(name_text(*run)),
                       std::to_string(run->seed), verdict});
  }
}

/// Shows what differs; of a failover every clock.
void add_section(std::string& out, const compared_section& x) {
  if (!x.differs())
    return;
  out += "\n### " + markdown_cell(x.title) + "\n\n";
  markdown_row(out, {"", "A", "B", "B - A"});
  markdown_row(out, {"---", "---:", "---:", "---:"});
  for (const auto& row : x.rows) {
    if (row.grade == change_grade::same && x.kind != "failover")
      continue;
    const auto mark = row.grade == change_grade::worse    ? "❌ "
                      : row.grade == change_grade::better ? "✅ "
                                                          : "";
    markdown_row(out, {mark + markdown_cell(row.name), value_text(row.a), value_text(row.b),
                       markdown_cell(row.change)});
  }
}

void add_parting(std::string& out, const char* title, const std::optional<parting>& found) {
  if (!found)
    return;
  const auto& x = *found;
  out.append("\n### ").append(title).append(" at ").append(instant_text(x.at)).append("\n\n");
  for (const auto& [side, of] : {std::pair{"A", &x.a}, std::pair{"B", &x.b}}) {
    out.append("* ").append(side).append(": ");
    if (!of->what) {
      out += "nothing of the kind until its end\n";
      continue;
    }
    out += markdown_cell(of->what->sentence) + " at " + instant_text(of->what->at) + ", `"
           + of->what->id + "`\n";
    for (const auto& cause : of->causes)
      out += "  * ← " + markdown_cell(cause.sentence) + " at " + instant_text(cause.at) + ", `"
             + cause.id + "`\n";
  }
}

void add_changes(std::string& out, const std::vector<scenario_change>& changes) {
  if (changes.empty())
    return;
  out += "\n### scenario: " + counted(changes.size(), "change") + "\n\n";
  markdown_row(out, {"", "A", "B"});
  markdown_row(out, {"---", "---", "---"});
  for (const auto& x : changes)
    markdown_row(out, {markdown_cell(x.path), x.only_b ? "–" : markdown_cell(x.a),
                       x.only_a ? "–" : markdown_cell(x.b)});
}

} // namespace

std::string to_markdown(const comparison& x) {
  std::string out = "## " + markdown_cell(x.a.label) + " and " + markdown_cell(x.b.label);
  out += x.same ? ": the same\n\n" : "\n\n";
  add_runs(out, x);
  for (const auto& line : x.notes)
    out += "\nNote: " + markdown_cell(line) + "\n";
  if (const auto text = events_sentence(x); !text.empty())
    out += "\n" + text + "\n";
  if (!x.headline.empty())
    out += "\n";
  for (const auto& line : x.headline)
    out += "* " + markdown_cell(line) + "\n";
  for (const auto& section : x.sections)
    add_section(out, section);
  add_parting(out, "After the warm-up, health or routes first differ", x.first_health);
  if (!is_same_parting(x))
    add_parting(out, "They first decide differently", x.first_decision);
  add_changes(out, x.changes);
  return out;
}

} // namespace spillover
