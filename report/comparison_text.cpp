#include "report/comparison_parts.hpp"
#include "report/format.hpp"
#include "report/text_lines.hpp"

#include <algorithm>

namespace spillover {

namespace {

constexpr std::size_t width = 100;
constexpr std::size_t indent = 2;
constexpr std::size_t a_column = 40;
constexpr std::size_t b_column = 61;
constexpr std::size_t change_column = 82;
constexpr std::size_t name_column = 12;
/// Of what happened where the runs part.
constexpr std::size_t side_column = 5;
/// More changes than these are counted.
constexpr std::size_t most_changes = 40;

/// @returns how many characters a text has.
std::size_t length(std::string_view x) {
  return static_cast<std::size_t>(std::count_if(
    x.begin(), x.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

void print_run(text_lines& out, const char* side, const run_outline& x) {
  out.label(side, indent + 1, x.label);
  out.at(a_column, name_text(x) + ", seed " + std::to_string(x.seed), a_column);
  auto verdict = x.exit_code == 0 ? "PASS" : x.exit_code == 1 ? "FAIL" : "NO RESULT";
  out.at(change_column, verdict, change_column);
  if (x.expected > 0)
    out.append(std::to_string(x.met) + " of " + std::to_string(x.expected) + " met", change_column,
               1);
}

std::string cell(const compared_value& x) {
  return x.text.empty() ? "-" : x.text;
}

void print_row(text_lines& out, const compared_row& x) {
  const auto mark = x.grade == change_grade::worse    ? "! "
                    : x.grade == change_grade::better ? "+ "
                                                      : "  ";
  out.line(mark);
  out.append(x.name, indent, 0);
  // Numbers stay in their columns, below a name that reaches into them.
  if (length(x.name) + indent + 2 > a_column)
    out.line({});
  const auto a = cell(x.a);
  const auto b = cell(x.b);
  out.at(a_column, a, a_column);
  if (a_column + length(a) + 2 > b_column)
    out.line({});
  out.at(b_column, b, b_column);
  if (b_column + length(b) + 2 > change_column && !x.change.empty())
    out.line({});
  out.at(change_column, x.change, change_column);
}

/// Says what happened where it is not the same.
void print_details(text_lines& out, const compared_row& x) {
  if (x.grade == change_grade::same || x.a.detail == x.b.detail)
    return;
  for (const auto& [side, of] : {std::pair{"A: ", &x.a}, std::pair{"B: ", &x.b}})
    if (!of->detail.empty())
      out.label("", indent + 2, side + of->detail);
}

void print_section(text_lines& out, const compared_section& x, bool all) {
  const auto differs = x.differs();
  if (!differs && !all)
    return;
  out.blank();
  out.line(x.title);
  if (length(x.title) + 2 > a_column)
    out.line({});
  out.at(a_column, "A", a_column);
  out.at(b_column, "B", b_column);
  out.at(change_column, "B - A", change_column);
  // The clocks of a failover say little one by one.
  const auto whole = all || x.kind == "failover";
  std::size_t same = 0;
  for (const auto& row : x.rows) {
    if (row.grade == change_grade::same && !whole) {
      ++same;
      continue;
    }
    print_row(out, row);
    print_details(out, row);
  }
  if (same > 0)
    out.label("", indent, std::to_string(same) + " more the same");
}

void print_event(text_lines& out, std::string_view mark, const told_event& x) {
  out.label(mark, side_column, x.sentence);
  out.append(instant_text(x.at) + "  " + x.id, side_column + 2, 2);
}

void print_side(text_lines& out, const char* side, const parting_side& x) {
  if (!x.what) {
    out.label(side, side_column, "nothing of the kind until its end");
    return;
  }
  print_event(out, side, *x.what);
  for (const auto& line : x.what->numbers)
    out.label("", side_column + 2, line);
  for (const auto& cause : x.causes) {
    print_event(out, cause.by_time.empty() ? "  <-" : "  <~", cause);
    if (!cause.by_time.empty())
      out.label("", side_column + 2, "by time, not by cause: " + cause.by_time);
  }
}

void print_parting(text_lines& out, const std::string& title, const parting& x) {
  out.line(title + " at " + instant_text(x.at));
  print_side(out, "  A", x.a);
  print_side(out, "  B", x.b);
}

void print_partings(text_lines& out, const comparison& x) {
  if (!x.first_event)
    return;
  out.blank();
  if (x.first_health)
    print_parting(out, "After the warm-up, health or routes first differ", *x.first_health);
  if (x.first_decision && !is_same_parting(x))
    print_parting(out, "They first decide differently", *x.first_decision);
  if (!x.first_decision)
    out.line("Every decision is the same.");
  out.line("The first event that differs at all is at " + instant_text(x.first_event->at));
  for (const auto& [side, of] :
       {std::pair{"  A", &x.first_event->a}, std::pair{"  B", &x.first_event->b}}) {
    if (of->what)
      print_event(out, side, *of->what);
    else
      out.label(side, side_column, "nothing more");
  }
}

void print_changes(text_lines& out, const std::vector<scenario_change>& changes, bool all) {
  if (changes.empty())
    return;
  out.blank();
  out.line("scenario: " + counted(changes.size(), "change"));
  const auto shown = all ? changes.size() : std::min(changes.size(), most_changes);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& x = changes[i];
    const auto* const mark = x.only_a ? "- " : x.only_b ? "+ " : "  ";
    out.label(mark, indent, x.path);
    const auto value = x.only_a ? x.a : x.only_b ? x.b : x.a + " -> " + x.b;
    out.append(value, indent + 4, 3);
  }
  if (shown < changes.size())
    out.label("", indent, std::to_string(changes.size() - shown) + " more; --all shows them");
}

} // namespace

std::string to_text(const comparison& x, bool all) {
  text_lines out{width};
  print_run(out, "A", x.a);
  print_run(out, "B", x.b);
  for (const auto& note : x.notes)
    out.label("note", name_column / 2, note);
  out.line("Differences are B - A; ! marks what is worse in B, + what is better.");
  if (x.same) {
    out.line("The same: every event and the whole scenario.");
    if (!all)
      return out.take();
  } else {
    out.blank();
    if (const auto text = events_sentence(x); !text.empty())
      out.line(text);
    for (const auto& line : x.headline)
      out.line(line);
    if (x.headline.empty() && x.first_event)
      out.line("Verdict, failover, capacity, failback, errors, p99 and bill are the same.");
  }
  for (const auto& section : x.sections)
    print_section(out, section, all);
  print_partings(out, x);
  print_changes(out, x.changes, all);
  return out.take();
}

} // namespace spillover
