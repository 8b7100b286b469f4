#include "actors/world.hpp"
#include "model/hash.hpp"
#include "report/event_log.hpp"
#include "report/verdict.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/scenario_files.hpp"
#include "tests/support/whole_run.hpp"

#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>
#include <sstream>
#include <string>
#include <variant>

namespace spillover {
namespace {

scenario brownout(std::uint64_t seed) {
  auto x = test::load(SPILLOVER_SOURCE_DIR "/configs/us-east1-brownout.yaml");
  x.seed = seed;
  return x;
}

// What events.jsonl holds.
std::string history(const event_log& log) {
  std::ostringstream out;
  write_event_log(out, log);
  return std::move(out).str();
}

std::string history(std::uint64_t seed) {
  return history(test::whole_run{brownout(seed)}.log());
}

bool is_bulk(const event& x) {
  return std::holds_alternative<revision_sample>(x.what)
         || std::holds_alternative<attempt_sample>(x.what)
         || std::holds_alternative<client_sample>(x.what)
         || std::holds_alternative<books_closed>(x.what);
}

TEST(Determinism, TheSameSeedGivesTheSameHistoryByteForByte) {
  const auto first = history(1);
  // Not EXPECT_EQ: nobody reads a difference between texts of megabytes.
  EXPECT_TRUE(first == history(1));
  EXPECT_FALSE(first == history(2));
}

// The hash stands for the whole text, so that the file stays short; the events below it, and the
// verdict, tell a reader what has changed.
TEST(Determinism, TheHistoryOfSeedOneIsAsRecorded) {
  const auto x = brownout(1);
  const test::whole_run run{x};
  const auto& log = run.log();
  char hash[17];
  std::snprintf(hash, sizeof hash, "%016" PRIx64, fnv1a_64(history(log)));
  auto text = std::to_string(log.events().size()) + " events, FNV-1a 64 " + hash + "\n"
              + to_text(judge(log, x.expectations, x.recovery), "");
  for (const auto& e : log.events())
    if (!is_bulk(e))
      text += to_json(e, log.sites()) + "\n";
  test::expect_golden("tests/integration/golden/us-east1-brownout-seed1.txt", text);
}

} // namespace
} // namespace spillover
