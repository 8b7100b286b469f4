#include "sweeps/store.hpp"

#include "sweeps/outcome_line.hpp"
#include "tests/support/run_program.hpp"
#include "tests/sweeps/outcomes.hpp"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <set>

namespace spillover {
namespace {

using test::some_outcome;
using test::some_sweep;
using mode = sweep_store::mode;

class SweepStore : public testing::Test {
protected:
  [[nodiscard]] std::filesystem::path file() const { return folder_.path() / "s.sqlite"; }

  void begin(sweep_store& store, const std::vector<std::uint64_t>& seeds = {1, 2}) const {
    store.begin(some_sweep(), test::some_expectations(), seeds);
  }

  // Does something in a copy of this process.
  static int in_child(const std::function<int()>& what) {
    const auto child = ::fork();
    if (child == 0)
      ::_exit(what());
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

private:
  test::temporary_folder folder_;
};

TEST_F(SweepStore, KeepsEverythingOfARun) {
  {
    sweep_store store{file(), mode::write};
    begin(store);
    for (const std::uint64_t seed : {2U, 1U})
      store.add(some_outcome({1, seed}));
  }
  const sweep_store store{file(), mode::read};
  EXPECT_EQ(store.identity(), some_sweep());
  EXPECT_EQ(store.expectations(), test::some_expectations());
  EXPECT_EQ(store.seeds(), (std::vector<std::uint64_t>{1, 2}));
  EXPECT_EQ(store.keys(), (std::vector<run_key>{{1, 1}, {1, 2}}));
  const auto runs = store.runs_of(1);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_TRUE(same_outcome(runs[0], some_outcome({1, 1})));
  EXPECT_EQ(runs[0].took, some_outcome({1, 1}).took);
  EXPECT_TRUE(same_outcome(runs[1], some_outcome({1, 2})));
  EXPECT_TRUE(store.runs_of(0).empty());
  EXPECT_FALSE(store.find({0, 1}));
  EXPECT_EQ(store.counts(), (std::array<std::uint64_t, 3>{1, 1, 0}));
}

TEST_F(SweepStore, KeepsTheTracesThatSettingsPlay) {
  auto sweep = some_sweep();
  sweep.scenarios = {"plays one", "plays another"};
  sweep.traces = {{"scenario_traces/a.csv", "a.csv", "0123456789abcdef", "requests\n1\n"},
                  {"scenario_traces/b.csv", "more/b.csv", "fedcba9876543210", ""}};
  {
    sweep_store store{file(), mode::write};
    store.begin(sweep, {}, {});
    EXPECT_TRUE(store.has_traces());
  }
  EXPECT_EQ((sweep_store{file(), mode::read}.identity()), sweep);
  auto changed = sweep;
  changed.traces[1].digest = "0000000000000000";
  changed.scenario += "digest: 0000000000000000\n";
  sweep_store store{file(), mode::write};
  EXPECT_EQ(
    test::refusal([&] { store.begin(changed, {}, {}); }),
    file().string()
      + " holds another sweep: the trace more/b.csv has changed: its digest is "
        "fedcba9876543210 there and 0000000000000000 here; name another file, or remove this one");
}

TEST_F(SweepStore, ReadsFilesOfProgramsThatKeptNoTraces) {
  {
    sweep_store store{file(), mode::write};
    begin(store);
  }
  SQLite::Database{file().string(), SQLite::OPEN_READWRITE}.exec("DROP TABLE traces");
  {
    const sweep_store store{file(), mode::read};
    EXPECT_FALSE(store.has_traces());
    EXPECT_EQ(store.identity(), some_sweep());
  }
  sweep_store store{file(), mode::write};
  begin(store);
  EXPECT_FALSE(store.has_traces());
}

TEST_F(SweepStore, KeepsTheGreatestSeed) {
  const run_key greatest{0, 9'223'372'036'854'775'807};
  sweep_store store{file(), mode::write};
  begin(store);
  store.add(some_outcome(greatest));
  EXPECT_EQ(store.keys(), std::vector{greatest});
}

TEST_F(SweepStore, IsOneFileWhenItIsClosed) {
  {
    sweep_store store{file(), mode::write};
    begin(store);
    store.add(some_outcome({0, 1}));
  }
  std::set<std::string> names;
  for (const auto& x : std::filesystem::directory_iterator{folder()})
    names.insert(x.path().filename().string());
  EXPECT_EQ(names, std::set<std::string>{"s.sqlite"});
}

TEST_F(SweepStore, ReplacesARunThatIsDoneAgain) {
  sweep_store store{file(), mode::write};
  begin(store);
  run_outcome lost;
  lost.key = {0, 3};
  lost.trouble = "its process ended by signal 9";
  store.add(lost);
  EXPECT_EQ(store.failed_keys(), std::vector{lost.key});
  store.add(some_outcome(lost.key));
  EXPECT_TRUE(store.failed_keys().empty());
  EXPECT_TRUE(same_outcome(*store.find(lost.key), some_outcome(lost.key)));
}

TEST_F(SweepStore, GoesOnWithTheSameSweepAndMoreSeeds) {
  {
    sweep_store store{file(), mode::write};
    begin(store, {1, 2});
    store.add(some_outcome({0, 1}));
  }
  sweep_store store{file(), mode::write};
  begin(store, {2, 3, 9});
  EXPECT_EQ(store.seeds(), (std::vector<std::uint64_t>{1, 2, 3, 9}));
  EXPECT_EQ(store.keys(), (std::vector<run_key>{{0, 1}}));
}

TEST_F(SweepStore, RefusesAnotherSweepAndSaysWhatDiffers) {
  struct {
    const char* why = "";
    void (*change)(sweep_identity&) = nullptr;
    const char* expected = "";
  } const cases[] = {
    {"another program may come to other results", [](auto& x) { x.program = "spillover 2"; },
     "it was made by spillover 1, and this is spillover 2"},
    {"another scenario", [](auto& x) { x.scenario = "name: shop\nduration: 2m\n"; },
     R"(the scenario says "duration: 1m" there and "duration: 2m" here)"},
    {"a shorter scenario", [](auto& x) { x.scenario = "name: shop\n"; },
     R"(the scenario says "duration: 1m" there and nothing here)"},
    {"another value", [](auto& x) { x.settings[1][0].text = "3"; },
     R"(the grid has setting 1 is "b=2" there and "b=3" here)"},
    {"more settings",
     [](auto& x) {
       x.settings.push_back({{"a.b", "3"}});
     },
     "the grid has 2 settings there and 3 here"},
  };
  sweep_store store{file(), mode::write};
  begin(store);
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    auto other = some_sweep();
    x.change(other);
    EXPECT_EQ(test::refusal([&] { store.begin(other, {}, std::vector<std::uint64_t>{1}); }),
              file().string() + " holds another sweep: " + x.expected
                + "; name another file, or remove this one");
  }
}

TEST_F(SweepStore, RefusesFilesThatAreNoSweeps) {
  const auto open = [this](mode how) { return test::refusal([&] { sweep_store{file(), how}; }); };
  EXPECT_NE(open(mode::read), "") << "there is none";
  test::write_file(file(), "name: shop\nthis is a scenario and no database, as long as one\n");
  EXPECT_NE(open(mode::write), "") << "no database";
  EXPECT_NE(open(mode::read), "") << "no database";
  EXPECT_EQ(test::content_of(file()).substr(0, 4), "name") << "what is there stays";
}

TEST_F(SweepStore, IsWrittenByOneProcessWhateverItIsCalled) {
  sweep_store store{file(), mode::write};
  begin(store);
  const auto link = folder() / "link.sqlite";
  std::filesystem::create_symlink(file(), link);
  EXPECT_EQ(in_child([&] {
              return test::refusal([&] {
                       sweep_store{link, mode::write};
                     }) == link.string() + " is being written by another process"
                       ? 0
                       : 1;
            }),
            0);
}

TEST_F(SweepStore, NamesTheFileThatIsDamaged) {
  {
    sweep_store store{file(), mode::write};
    begin(store);
    for (std::uint64_t seed = 1; seed <= 200; ++seed)
      store.add(some_outcome({1, seed}));
  }
  // All but the schema.
  std::fstream bytes{file(), std::ios::in | std::ios::out | std::ios::binary};
  const auto size = std::filesystem::file_size(file());
  constexpr std::size_t page = 4096;
  bytes.seekp(6 * page);
  const std::string rubbish(size - 6 * page, '\xa5');
  bytes.write(rubbish.data(), static_cast<std::streamsize>(rubbish.size()));
  bytes.close();
  const sweep_store store{file(), mode::read};
  const auto why = test::refusal([&] { (void)store.runs_of(1); });
  EXPECT_EQ(why.find("cannot read " + file().string() + ": "), 0u) << why;
}

TEST_F(SweepStore, SaysThatARunCannotBeKept) {
  {
    sweep_store store{file(), mode::write};
    begin(store);
  }
  // As a full disk ends it, but at once: a file of a limited size.
  EXPECT_EQ(in_child([&] {
              sweep_store store{file(), mode::write};
              ::signal(SIGXFSZ, SIG_IGN);
              const rlimit none{0, 0};
              ::setrlimit(RLIMIT_FSIZE, &none);
              try {
                store.add(some_outcome({1, 1}));
              } catch (const store_write_error& x) {
                return std::string{x.what()}.find("cannot write " + file().string()) == 0 ? 0 : 1;
              }
              return 2;
            }),
            0);
}

TEST_F(SweepStore, IsWrittenByOneProcessAtATime) {
  const auto try_to_write = [this] {
    return in_child([this] {
      return test::refusal([this] {
               sweep_store{file(), mode::write};
             }) == file().string() + " is being written by another process"
               ? 1
               : 0;
    });
  };
  {
    sweep_store store{file(), mode::write};
    begin(store);
    EXPECT_EQ(try_to_write(), 1);
    // Reading is possible meanwhile.
    EXPECT_EQ(in_child([this] {
                return static_cast<int>(sweep_store{file(), mode::read}.seeds().size());
              }),
              2);
  }
  EXPECT_EQ(try_to_write(), 0);
}

TEST_F(SweepStore, LosesNothingThatWasAddedWhenTheProcessIsKilled) {
  const auto result = in_child([this] {
    sweep_store store{file(), mode::write};
    begin(store);
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      store.add(some_outcome({0, seed}));
    ::kill(::getpid(), SIGKILL);
    return 0;
  });
  EXPECT_EQ(result, -SIGKILL);
  // Nobody has to remove a lock.
  sweep_store store{file(), mode::write};
  begin(store);
  EXPECT_EQ(store.keys().size(), 50u);
}

TEST(OutcomeLine, ReadsBackWhatItWrote) {
  auto x = some_outcome({3, 9'223'372'036'854'775'807});
  x.trouble = "two\nlines \"quoted\"";
  const auto line = to_line(x);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  const auto back = parse_outcome(line);
  ASSERT_TRUE(back);
  EXPECT_TRUE(same_outcome(*back, x));
  EXPECT_EQ(back->took, x.took);
  for (const auto* text : {"", "[]", "{}", "[0,1,9,\"\",[],[],0]", "nonsense"})
    EXPECT_FALSE(parse_outcome(text)) << text;
}

TEST(Measures, AreColumnsWithNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const auto& x : measures()) {
    EXPECT_TRUE(names.insert(x.name).second) << x.name;
    EXPECT_EQ(x.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789"),
              std::string_view::npos);
    EXPECT_EQ(x.unit == measure_unit::ns, x.name.ends_with("_ns")) << x.name;
  }
  EXPECT_EQ(find_measure("failover_ns"), 4u);
  EXPECT_FALSE(find_measure("failover"));
}

TEST(Measures, AreDescribedInTheDocumentation) {
  const auto page = test::content_of(SPILLOVER_SOURCE_DIR "/docs/sweeps.md");
  for (const auto& x : measures()) {
    const auto row = "| `" + std::string{x.name} + "` | " + std::string{to_string(x.unit)} + " | "
                     + std::string{x.meaning} + " |";
    EXPECT_NE(page.find(row), std::string::npos) << row;
  }
}

} // namespace
} // namespace spillover
