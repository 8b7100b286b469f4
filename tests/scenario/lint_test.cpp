#include "scenario/lint.hpp"

#include "tests/scenario/lint_worlds.hpp"

#include <algorithm>

namespace spillover::test {

namespace {

// Every remark with its place, a line each; of one check only when `id` is not empty.
std::string remarks(std::string_view text, std::string_view id = {}) {
  const auto found = lints(valid(text));
  const auto places = locate(found, text, "s");
  std::string result;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (id.empty() || found[i].id == id)
      result += (result.empty() ? "" : "\n") + to_string(places[i]);
  return result;
}

std::string changed(const lint_edit& x) {
  std::string text{quiet};
  for (const auto& [before, after] : x) {
    const auto position = text.find(before);
    EXPECT_NE(position, std::string::npos) << before;
    if (position != std::string::npos)
      text.replace(position, std::string_view{before}.size(), after);
  }
  return text;
}

TEST(Lint, HasNothingToSayAboutAQuietWorld) {
  EXPECT_EQ(remarks(quiet), "");
}

TEST(Lint, EachCheckRemarksOnOneWorldAndNotOnItsNeighbour) {
  for (const auto& x : lint_worlds()) {
    SCOPED_TRACE(std::string{x.id} + ": " + x.why);
    EXPECT_EQ(remarks(changed(x.bad), x.id), x.expected);
    EXPECT_EQ(remarks(changed(x.neighbour), x.id), "");
  }
}

TEST(Lint, EachCheckHasAWorld) {
  for (const auto& check : lint_checks()) {
    const auto worlds = lint_worlds();
    EXPECT_TRUE(std::any_of(worlds.begin(), worlds.end(),
                            [&check](const auto& x) { return x.id == check.id; }))
      << check.id;
  }
}

// "id: rules", and ", note" for a note, of each heading of the third level. By hand: g++ 12 is wrong
// about <regex> under the address sanitizer.
std::vector<std::string> documented_checks(std::string_view text) {
  constexpr std::string_view heading = "\n### ";
  constexpr std::string_view note = "A note. ";
  constexpr std::string_view rules = "Rules: ";
  std::vector<std::string> result;
  for (auto at = text.find(heading); at != std::string_view::npos; at = text.find(heading)) {
    text.remove_prefix(at + heading.size());
    const auto name = text.substr(0, text.find('\n'));
    auto rest = text.substr(std::min(text.size(), name.size() + 2));
    const auto is_note = rest.starts_with(note);
    if (is_note)
      rest.remove_prefix(note.size());
    EXPECT_TRUE(rest.starts_with(rules)) << name;
    rest = rest.substr(0, rest.find('.'));
    rest.remove_prefix(std::min(rest.size(), rules.size()));
    result.push_back(std::string{name} + ": " + std::string{rest} + (is_note ? ", note" : ""));
  }
  return result;
}

TEST(Lint, TheDocumentationHasEachCheckWithItsRulesInTheSameOrder) {
  std::vector<std::string> made;
  for (const auto& x : lint_checks())
    made.push_back(std::string{x.id} + ": " + std::string{x.rules}
                   + (x.grade == lint_grade::note ? ", note" : ""));
  EXPECT_EQ(joined(documented_checks(read_file(SPILLOVER_SOURCE_DIR "/docs/lints.md"))),
            joined(made));
}

TEST(Lint, ADefaultStandsAtTheSectionAroundIt) {
  // timeout is not spelt out in the load balancer at 21:20.
  EXPECT_EQ(remarks(changed({{"timeout: 10s, ", ""}}), "balancer-outlasts-client"),
            "s:21:20: lint: shop: load_balancer.timeout (30s) is above the clients' timeout (20s): "
            "clients give up first, and their requests keep slots in the region until then; set it "
            "below [balancer-outlasts-client: B-58]");
}

TEST(Lint, AByteOrderMarkMovesNoPlace) {
  const auto text = changed({{"for: 2m", "for: 20m"}});
  EXPECT_EQ(remarks("\xef\xbb\xbf" + text), remarks(text));
}

} // namespace

} // namespace spillover::test
