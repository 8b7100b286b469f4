#include "scenario/lint.hpp"

#include "tests/scenario/lint_worlds.hpp"

#include <algorithm>
#include <regex>

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

// Each heading of the third level with the rules beneath it, and whether it is a note.
TEST(Lint, TheDocumentationHasEachCheckWithItsRulesInTheSameOrder) {
  const auto text = read_file(SPILLOVER_SOURCE_DIR "/docs/lints.md");
  const std::regex form{"### ([a-z-]+)\n\n(A note\\. )?Rules: ([A-Za-z0-9_, -]+)\\."};
  std::vector<std::string> documented;
  for (auto x = std::sregex_iterator{text.begin(), text.end(), form}; x != std::sregex_iterator{};
       ++x)
    documented.push_back((*x)[1].str() + ": " + (*x)[3].str() + ((*x)[2].matched ? ", note" : ""));
  std::vector<std::string> made;
  for (const auto& x : lint_checks())
    made.push_back(std::string{x.id} + ": " + std::string{x.rules}
                   + (x.grade == lint_grade::note ? ", note" : ""));
  EXPECT_EQ(joined(documented), joined(made));
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
