#include "model/random.hpp"
#include "scenario/schema.hpp"
#include "tests/scenario/places.hpp"
#include "tests/scenario/random_scenario.hpp"
#include "tests/scenario/sample.hpp"

namespace spillover::test {

namespace {

// Bytes that mean something to YAML come more often than others.
constexpr std::string_view meaningful = ":-[]{},&*#?|>'\"%!@`\n\t 0159ae.<~\\";

std::string mutated(std::string text, random_stream& random) {
  const auto changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
    const auto position = random.below(text.size());
    const auto byte = random.below(3) == 0 ? static_cast<char>(random.below(256))
                                           : meaningful[random.below(meaningful.size())];
    const auto length = 1 + random.below(20);
    switch (random.below(5)) {
      case 0: text[position] = byte; break;
      case 1: text.insert(position, 1, byte); break;
      case 2: text.erase(position, 1); break;
      case 3: text.erase(position, length); break;
      default: text.insert(random.below(text.size()), text.substr(position, length));
    }
  }
  return text;
}

std::vector<std::string> seeds() {
  std::vector<std::string> result{std::string{sample},
                                  read_file(SPILLOVER_SOURCE_DIR "/configs/us-east1-brownout.yaml"),
                                  edited("web: {autoscaling: {min_instances: 1}}",
                                         "web: &x {<<: {weight: 2}, autoscaling: {min_instances: "
                                         "1}}\n      us-east1: {web: *x}")};
  for (std::uint64_t i = 0; i < 2; ++i)
    result.push_back(to_yaml(random_scenario(i)));
  return result;
}

TEST(ParseScenario, GivesAScenarioOrProblemsWhateverTheBytes) {
  const auto texts = seeds();
  random_stream random{1, "mutations"};
  int valid_ones = 0;
  for (int i = 0; i < 10'000; ++i) {
    const auto text = mutated(texts[static_cast<std::size_t>(i) % texts.size()], random);
    const auto result = parse_scenario(text, "s");
    if (std::holds_alternative<scenario>(result)) {
      ++valid_ones;
      continue;
    }
    const auto& problems = std::get<std::vector<problem>>(result);
    ASSERT_FALSE(problems.empty()) << text;
    for (const auto& x : problems) {
      ASSERT_TRUE(stands_within(text, x)) << to_string(x) << "\n" << text;
      ASSERT_FALSE(x.message.empty());
    }
  }
  // Some changes hit comments or digits only.
  EXPECT_GT(valid_ones, 100);
  EXPECT_LT(valid_ones, 5'000);
}

// Short ones, of which half of the bytes mean something: here the places are at the ends.
TEST(ParseScenario, PutsProblemsOfShortTextsWithinThem) {
  random_stream random{3, "short"};
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto left = random.below(12); left > 0; --left)
      text +=
        random.below(8) == 0 ? "\r" : std::string(1, meaningful[random.below(meaningful.size())]);
    const auto result = parse_scenario(text, "s");
    ASSERT_TRUE(std::holds_alternative<std::vector<problem>>(result)) << text;
    for (const auto& x : std::get<std::vector<problem>>(result))
      ASSERT_TRUE(stands_within(text, x)) << to_string(x) << "\n" << text;
  }
}

// Two validators: where ours finds nothing, valijson must not either, and the other way round for
// all that draft-07 can say.
TEST(CheckSchema, AgreesWithValijson) {
  const auto texts = seeds();
  random_stream random{2, "mutations"};
  int refused = 0;
  for (int i = 0; i < 2'000; ++i) {
    const auto text = mutated(texts[static_cast<std::size_t>(i) % texts.size()], random);
    problem_list problems{"s"};
    auto tree = find_binary(text) ? std::nullopt : parse_yaml(text, problems);
    if (!tree || !problems.empty())
      continue;
    check_schema(*tree, problems);
    const auto violations = judge_by_schema(*tree);
    if (problems.empty()) {
      EXPECT_TRUE(violations.empty()) << violations.front().description << "\n" << text;
    }
    if (!violations.empty()) {
      EXPECT_FALSE(problems.empty()) << text;
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
}

} // namespace

} // namespace spillover::test
