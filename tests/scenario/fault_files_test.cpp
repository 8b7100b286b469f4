#include "scenario/fault_files.hpp"

#include "model/random.hpp"
#include "scenario/lint.hpp"
#include "scenario/schema.hpp"
#include "tests/scenario/sample.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace spillover::test {

namespace {

using namespace std::chrono_literals;
using json = nlohmann::json;

// The rows as JSON, or the problems.
std::string rows_of(std::string_view text) {
  problem_list problems{"s"};
  const auto file = problems.add_file("t.csv");
  const auto rows = parse_fault_rows(text, file, problems);
  if (problems.empty())
    return to_json(rows).dump();
  std::string result;
  for (const auto& x : problems.take())
    result += (result.empty() ? "" : "\n") + to_string(x);
  return result;
}

TEST(ParseFaultRows, ReadsCellsAsKeysOfAFault) {
  const struct {
    const char* why;
    std::string_view text;
    const char* expected;
  } cases[] = {
    {"a header alone is no fault", "at,for\n", "[]"},
    {"paths make mappings", "at,link.from,link.to\n5m,a,b\n",
     R"([{"at":"5m","link":{"from":"a","to":"b"}}])"},
    {"an empty cell is an absent key", "at,for,link.by\n5m,,\n", R"([{"at":"5m"}])"},
    {"blanks are no part of a cell", " at ,for\n 5m ,\t\n", R"([{"at":"5m"}])"},
    {"cells are plain scalars", "a,b,c,d\n1,1.5,true,50%\n",
     R"([{"a":1,"b":1.5,"c":true,"d":"50%"}])"},
    {"no line end at the end", "at\n5m", R"([{"at":"5m"}])"},
    {"line ends of other systems", "at,for\r\n5m,1m\r\n", R"([{"at":"5m","for":"1m"}])"},
    {"line ends of old systems", "at,for\r5m,1m\r", R"([{"at":"5m","for":"1m"}])"},
    {"empty lines", "at\n\n5m\n\r\n\n", R"([{"at":"5m"}])"},
    {"a byte order mark",
     "\xef\xbb\xbf"
     "at\n5m\n",
     R"([{"at":"5m"}])"},
    {"a comma in quotes", "at\n\"a,b\"\n", R"([{"at":"a,b"}])"},
    {"a quote in quotes", "at\n\"a \"\"b\"\"\"\n", R"([{"at":"a \"b\""}])"},
    {"a line end in quotes", "at,for\n\"a\nb\",1m\n", R"([{"at":"a\nb","for":"1m"}])"},
    {"quoted names", "\"at\",\"for\"\n5m,1m\n", R"([{"at":"5m","for":"1m"}])"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(rows_of(x.text), x.expected);
  }
}

TEST(ParseFaultRows, SaysWhatIsWrongAndWhere) {
  const std::string many(200, ',');
  const std::string longest(4'001, 'x');
  const struct {
    const char* why;
    std::string text;
    std::string expected;
  } cases[] = {
    {"nothing", "",
     "t.csv:1:1: is empty; the first row names the keys of a fault, e.g. at,for,"
     "instances.of"},
    {"empty lines only", "\n\n",
     "t.csv:1:1: is empty; the first row names the keys of a fault, "
     "e.g. at,for,instances.of"},
    {"too few cells", "at,for\n5m\n6m,1m\n", "t.csv:2:1: has 1 cells; the first row has 2"},
    {"too many cells", "at,for\n5m,1m,x\n", "t.csv:2:1: has 3 cells; the first row has 2"},
    {"a name without a part", "at,link.\n",
     "t.csv:1:4: \"link.\" names no key of a fault; keys are like at or instances.of"},
    {"a column without a name", "at,,for\n",
     "t.csv:1:4: \"\" names no key of a fault; keys are like at or instances.of"},
    {"a name of many parts", "a.b.c.d.e\n",
     "t.csv:1:1: \"a.b.c.d.e\" names no key of a fault; keys are like at or instances.of"},
    {"a column twice", "at,at\n", "t.csv:1:4: column \"at\" stands here twice"},
    {"a key and keys below it", "link,link.from\n",
     "t.csv:1:1: column \"link\" stands beside columns of keys below it"},
    {"semicolons between cells", "at;for;region.name\n5m;1m;a\n",
     "t.csv:1:1: cells are separated by semicolons here; only commas are allowed"},
    {"tabs between cells", "at\tfor\n5m\t1m\n",
     "t.csv:1:1: cells are separated by tabs here; only commas are allowed"},
    {"a list", "at,link.between\n5m,a\n",
     "t.csv:1:4: \"link.between\" is a list, which no cell holds; use the columns from and to, and "
     "a row for each direction"},
    {"a quote within a cell", "at\n5\"m\n",
     "t.csv:2:2: a quote within a cell that does not begin with one; quote the whole cell and "
     "double the quotes in it"},
    {"something after a quoted cell", "at\n\"5m\"x\n",
     "t.csv:2:5: a comma or the end of the line must follow a quoted cell"},
    {"a quote that does not end", "at\n5m\n\"6m\n",
     "t.csv:3:1: a quoted cell begins here and does not end"},
    {"columns count in characters", "\xc3\xa4,\"b\"x\n",
     "t.csv:1:6: a comma or the end of the line must follow a quoted cell"},
    {"no text", "at\n5m\x01\n", "t.csv:2:3: is not a UTF-8 text file"},
    {"too many columns", many, "t.csv:1:101: more than 100 cells in a row"},
    {"a cell too long", "at\n" + longest, "t.csv:2:1: longer than 4000 bytes"},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(rows_of(x.text), x.expected);
  }
}

TEST(ParseFaultRows, TakesTwentyThousandAndNoMore) {
  std::string text = "at\n";
  for (int i = 0; i < 20'000; ++i)
    text += "1s\n";
  EXPECT_EQ(rows_of(text).size(), 20'000 * std::string_view{R"({"at":"1s"},)"}.size() + 1);
  EXPECT_EQ(rows_of(text + "2s\n"), "t.csv:20002:1: more than 20000 faults in files");
}

TEST(ParseFaultRows, GivesRowsOrProblemsWhateverTheBytes) {
  constexpr std::string_view good =
    "at,for,link.from,\"link.to\"\n5m,1m,a,b\r\n\n6m,,\"a,\"\"b\",\n";
  constexpr std::string_view meaningful = ",,\"\"\n\r. a\x80";
  random_stream random{1, "rows"};
  int clean = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text{good};
    for (auto changes = 1 + random.below(3); changes > 0; --changes) {
      const auto byte = meaningful[random.below(meaningful.size())];
      const auto position = random.below(text.size());
      if (random.below(2) == 0)
        text[position] = byte;
      else
        text.insert(position, 1, byte);
    }
    problem_list problems{"s"};
    const auto rows = parse_fault_rows(text, problems.add_file("t.csv"), problems);
    ASSERT_TRUE(rows.is_list());
    clean += problems.empty() ? 1 : 0;
    for (const auto& x : problems.take()) {
      ASSERT_EQ(x.file, "t.csv") << text;
      ASSERT_GE(x.line, 1u) << text;
      ASSERT_GE(x.column, 1u) << text;
    }
  }
  EXPECT_GT(clean, 1'000);
  EXPECT_LT(clean, 19'000);
}

// A folder with a scenario and files beside it.
class FaultFiles : public testing::Test {
protected:
  FaultFiles() {
    std::filesystem::create_directories(folder_ / "traces");
    write("traces/outages.csv", "at,for,instances.of,instances.become,instances.fraction,link.from,"
                                "link.to,link.become\n"
                                "2m,1m,us-east1/checkout/web,silent,50%,,,\n"
                                "3m,,,,,shop,us-east1,cut\n");
  }
  ~FaultFiles() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, std::string_view text) {
    std::ofstream{folder_ / name, std::ios::binary} << text;
  }

  // The sample with other faults, as a file of this folder.
  outcome_of_load load(const std::string& faults) {
    std::string text{sample};
    const auto from = text.find("faults:");
    text.replace(from, text.find("expect:") - from, faults + "\n");
    write("s.yaml", text);
    return load_scenario(folder_ / "s.yaml");
  }

  // What is wrong, with the folder's name left out.
  std::string problems(const std::string& faults) {
    auto result = joined(problems_of(load(faults)));
    const auto prefix = folder_.string() + "/";
    for (auto at = result.find(prefix); at != std::string::npos; at = result.find(prefix))
      result.erase(at, prefix.size());
    return result;
  }

  const std::filesystem::path folder_ =
    std::filesystem::temp_directory_path()
    / (std::string{"spillover-"} + testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(FaultFiles, StandForTheFaultsThatTheyHold) {
  const auto inline_ones = load(
    "faults:\n"
    "  - {at: 2m, for: 1m, instances: {of: us-east1/checkout/web, become: silent, fraction: 50%}}\n"
    "  - {at: 3m, link: {from: shop, to: us-east1, become: cut}}");
  ASSERT_EQ(joined(problems_of(inline_ones)), "");
  for (const auto* faults :
       {"faults: !file traces/outages.csv", "faults:\n  - !file traces/outages.csv",
        "faults: [!file \"./traces/outages.csv\"]"}) {
    SCOPED_TRACE(faults);
    const auto result = load(faults);
    ASSERT_EQ(joined(problems_of(result)), "");
    EXPECT_TRUE(std::get<scenario>(result) == std::get<scenario>(inline_ones));
    // What was run is written down whole.
    EXPECT_EQ(to_yaml(std::get<scenario>(result)), to_yaml(std::get<scenario>(inline_ones)));
  }
}

TEST_F(FaultFiles, StandAmongOtherFaultsInTheirPlace) {
  const auto result = load("faults:\n  - {at: 1m, region: {name: us-east1}}\n"
                           "  - !file traces/outages.csv\n  - {at: 4m, region: {name: us-west1}}");
  ASSERT_EQ(joined(problems_of(result)), "");
  std::string order;
  for (const auto& x : std::get<scenario>(result).faults)
    order += to_string(x.at - run_start) + " ";
  EXPECT_EQ(order, "1m 2m 3m 4m ");
}

TEST_F(FaultFiles, HaveTheRemarksOnTheirRowsAndMoveNoOther) {
  write("late.csv", "at,for,instances.of,instances.become\n"
                    "2m,1m,us-east1/checkout/web,silent\n"
                    "3m,9m,us-east1/checkout/web,silent\n");
  const auto result = load("faults:\n  - !file late.csv\n"
                           "  - {at: 4m, for: 8m, region: {name: us-west1}}");
  ASSERT_EQ(joined(problems_of(result)), "");
  const auto remarks = lints(std::get<scenario>(result));
  const auto places =
    locate(remarks, read_file((folder_ / "s.yaml").string()), "s.yaml", scenario_folder{folder_});
  std::string found;
  for (std::size_t i = 0; i < remarks.size(); ++i)
    if (remarks[i].id == "fault-outlasts-run")
      found += std::filesystem::path{places[i].file}.filename().string() + ":"
               + std::to_string(places[i].line) + ":" + std::to_string(places[i].column) + " ";
  EXPECT_EQ(found, "late.csv:3:4 s.yaml:35:19 ");
}

TEST_F(FaultFiles, AreCheckedAsTheFaultsOfTheScenario) {
  write("bad.csv", "at,link.from,link.to,link.become,link.by,lnk.to\n"
                   "2m,shop,us-east1,delayed,0s,\n"
                   "11m,shop,us-east2,cut,,\n"
                   ",shop,us-east1,cut,,\n"
                   "2m,shop,us-east1,late,,\n"
                   "2m,shop,us-east1,cut,,x\n"
                   "3m,shop,us-east1,cut,,x\n"
                   "4m,,,,,\n");
  EXPECT_EQ(
    problems("faults: !file bad.csv\nseeed: 1"),
    "s.yaml:34:1: unknown key \"seeed\"; did you mean \"seed\"? allowed: actions, consumers, "
    "description, duration, expect, faults, name, network, producers, recovery, seed, "
    "stop_if, warm_up\n"
    "bad.csv:1:42: unknown key \"lnk\"; did you mean \"link\"? allowed: at, clock, consumer, "
    "flap, for, instances, link, load_balancer, name, probers, quota, region, zone\n"
    "bad.csv:2:26: by: must be above 0s with become: delayed; got 0s\n"
    "bad.csv:3:1: at: must be before the end of the run (10m); got 11m\n"
    "bad.csv:3:10: to: unknown region or consumer \"us-east2\"; did you mean \"us-east1\"? "
    "known: us-east1, us-west1, shop\n"
    "bad.csv:4:1: faults[2]: the key at is missing\n"
    "bad.csv:5:18: become: unknown value \"late\"; allowed: cut, delayed, jittery, lossy, "
    "duplicating, reordering, limited\n"
    "bad.csv:8:1: faults[6]: needs exactly one of: instances; zone; region; link; probers; "
    "consumer; load_balancer; clock; quota");
}

TEST_F(FaultFiles, HaveNoMoreRowsTogetherThanOneMayHave) {
  std::string rows = "at,region.name\n";
  for (int i = 0; i < 10'000; ++i)
    rows += "1m,us-east1\n";
  write("half.csv", rows);
  write("one.csv", "at,region.name\n2m,us-east1\n");
  EXPECT_EQ(problems("faults: [!file half.csv, !file half.csv]"), "");
  EXPECT_EQ(problems("faults: [!file half.csv, !file half.csv, !file one.csv]"),
            "one.csv:2:1: more than 20000 faults in files, those of earlier ones included");
}

TEST_F(FaultFiles, AreAHundredAtMost) {
  write("one.csv", "at,region.name\n2m,us-east1\n");
  std::string faults = "faults:\n";
  for (int i = 0; i < 100; ++i)
    faults += "  - !file one.csv\n";
  EXPECT_EQ(problems(faults), "");
  EXPECT_EQ(problems(faults + "  - !file one.csv"),
            "s.yaml:134:5: faults: more than 100 files of faults");
}

TEST_F(FaultFiles, ThatCannotBeUsedAreRefused) {
  write("big.csv", std::string(max_scenario_bytes + 1, 'x'));
  write("empty.csv", "");
  std::filesystem::create_directory(folder_ / "folder.csv");
  std::filesystem::create_symlink("/dev/zero", folder_ / "endless.csv");
  const struct {
    const char* why;
    const char* faults;
    const char* expected;
  } cases[] = {
    {"not there", "faults: !file none.csv", "s.yaml:33:9: faults: none.csv: no such file"},
    {"a folder", "faults: !file folder.csv",
     "s.yaml:33:9: faults: folder.csv: is a directory; a file of faults is a file"},
    {"a device", "faults: !file endless.csv",
     "s.yaml:33:9: faults: endless.csv is no regular file"},
    {"too large", "faults: !file big.csv",
     "s.yaml:33:9: faults: big.csv: is larger than 1 MiB, the most a file of faults may have"},
    {"empty", "faults: !file empty.csv",
     "empty.csv:1:1: is empty; the first row names the keys of a fault, e.g. at,for,instances.of"},
    {"an absolute path", "faults: [!file /etc/passwd]",
     "s.yaml:33:10: faults: \"/etc/passwd\" must be relative to the scenario's folder"},
    {"out of the folder", "faults: !file traces/../../x.csv",
     "s.yaml:33:9: faults: \"traces/../../x.csv\" must not leave the scenario's folder by .."},
    {"no name", "faults: !file",
     "s.yaml:33:9: faults: !file needs the name of a file, e.g. !file traces/outages.csv"},
    {"a mapping", "faults: !file {a: b}",
     "s.yaml:33:9: !file must stand before the name of a file"},
    {"a key", "!file faults: []", "s.yaml:33:1: !file must stand before the name of a file"},
    {"another place", "faults:\n  - {at: !file traces/outages.csv, region: {name: us-east1}}",
     "s.yaml:34:10: !file stands for faults, or for an entry of faults, and nowhere else\n"
     "s.yaml:34:10: at: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got "
     "\"traces/outages.csv\""},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    EXPECT_EQ(problems(x.faults), x.expected);
  }
}

TEST_F(FaultFiles, OfATextInMemoryAreOutOfReach) {
  const auto found = joined(problems_of(parse_scenario("faults: !file traces/outages.csv\n", "s")));
  EXPECT_NE(found.find("s:1:9: faults: only a scenario that is a file can name another"),
            std::string::npos)
    << found;
}

} // namespace

} // namespace spillover::test
