#include "tests/scenario/bad_files.hpp"

namespace spillover::test {

namespace {

// What people write who know YAML from elsewhere.
TEST(ParseScenario, SaysWhatIsMeantWhereYamlSurprises) {
  const bad_file cases[] = {
    {"no is a text, not false", "policy: cloud_run,", "dead_band: no,",
     "s:16:34: dead_band: must be true or false; got \"no\""},
    {"an octal number is a text", "seed: 7", "seed: 0o17",
     "s:2:7: seed: must be a whole number; got \"0o17\""},
    {"a leading zero makes a text", "seed: 7", "seed: 007",
     "s:2:7: seed: must be a whole number; got \"007\""},
    {"a hexadecimal number is a text", "seed: 7", "seed: 0x1f",
     "s:2:7: seed: must be a whole number; got \"0x1f\""},
    {"underscores make a text", "seed: 7", "seed: 1_000",
     "s:2:7: seed: must be a whole number; got \"1_000\""},
    {"a plus makes a text", "seed: 7", "seed: +7",
     "s:2:7: seed: must be a whole number; got \"+7\""},
    {"an exponent makes no whole number", "seed: 7", "seed: 1e3",
     "s:2:7: seed: must be a whole number; got 1e3"},
    {"larger than any whole number", "seed: 7", "seed: 9223372036854775808",
     "s:2:7: seed: must be a whole number; got 9223372036854775808"},
    {"beyond what a number can hold", "cpu: 2", "cpu: 1e999",
     "s:15:25: cpu: must be a number; got \"1e999\""},
    {"infinity is a text", "cpu: 2", "cpu: .inf", "s:15:25: cpu: must be a number; got \".inf\""},
    {"a number without its zero is a text", "cpu: 2", "cpu: .5",
     "s:15:25: cpu: must be a number; got \".5\""},
    {"a decimal comma begins the next entry", "cpu: 2", "cpu: 1,5",
     "s:15:27: unknown key \"5\"; allowed: cold_start, concurrency, cpu, cpu_per_request, liveness_probe, "
     "readiness_probe, restart_backoff, service_time, sidecars, startup_cpu_boost, startup_probe"},
    {"minutes and seconds are no duration", "duration: 10m", "duration: 10:00",
     "s:3:11: duration: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got \"10:00\""},
    {"a date is no name", "name: sample", "name: 2026-06-01",
     "s:1:7: name: must be a name of a-z, 0-9 and -, that starts with a letter, does not end with - and has at most 63 characters (RFC 1035); got \"2026-06-01\""},
    {"nothing is no number", "seed: 7",
     "seed:", "s:2:1: seed: must be a whole number; got nothing"},
    {"a tilde is nothing", "seed: 7", "seed: ~",
     "s:2:7: seed: must be a whole number; got nothing"},
    {"a number in quotes is a text", "seed: 7", "seed: \"7\"",
     "s:2:8: seed: must be a whole number; got \"7\""},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhatIsMeantWherePunctuationSurprises) {
  const bad_file cases[] = {
    {"no space after the colon of a key", "seed: 7", "seed:7",
     "s:2:1: not valid YAML: could not find expected ':'"},
    {"no space before a comment", "duration: 10m", "duration: 10m#ten",
     "s:3:11: duration: must be a duration such as 5s, 250ms, 1m30s or 1.5h; got \"10m#ten\""},
    {"a colon in a text", "seed: 7", "description: a: b",
     "s:2:15: not valid YAML: invalid nested block mapping on the same line"},
    {"an at sign begins a text", "seed: 7", "description: @home",
     "s:2:14: not valid YAML: plain scalar cannot start with '@'"},
    {"a percent sign begins a text", "seed: 7", "description: %5",
     "s:2:14: not valid YAML: plain scalar cannot start with '%'"},
    {"a template that nobody filled in", "seed: 7", "seed: {{ seed }}",
     "s:2:8: a key must be a plain text"},
    {"a dash without its space", "- failover: {from", "-failover: {from",
     "s:39:3: not valid YAML: did not find expected key"},
    {"wrong indentation of a key", "  default: {latency", " default: {latency",
     "s:7:3: not valid YAML: invalid indentation in mapping"},
    {"a list in place of a mapping", "  checkout:\n", "  - checkout:\n",
     "s:11:3: producers: must be a mapping; got a list"},
    {"a text over several lines", "name: sample", "name: >\n  sam\n  ple",
     "s:2:1: name: must be a name of a-z, 0-9 and -, that starts with a letter, does not end with - and has at most 63 characters (RFC 1035); got \"sam ple \""},
    {"an anchor on nothing", "seed: 7", "seed: &seed",
     "s:2:1: seed: must be a whole number; got nothing"},
    {"an alias of what comes later", "seed: 7", "seed: *later\ndescription: &later x",
     "s:2:7: alias *later names no anchor before it"},
    {"a merge list with a text in it", "seed: 7", "<<: [{seed: 7}, x]",
     "s:2:18: << merges mappings only"},
    {"a key with a question mark is as good, its value not", "seed: 7", "? seed\n: x",
     "s:3:3: seed: must be a whole number; got \"x\""},
    {"a directive of another version", "name: sample", "%YAML 3.0\n---\nname: sample",
     "s:1:1: not valid YAML"},
    {"a directive in the middle", "seed: 7", "%YAML 1.2",
     "s:2:7: not valid YAML: missing explicit document end marker before directive(s)"},
    {"text after the end of the document", "seed: 7", "seed: 7\n...\nmore: 1",
     "s:3:1: a second document begins here; a scenario file holds one"},
    {"a long key is shown shortened", "jitter: 2ms",
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa: 2ms",
     "s:6:28: unknown key \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...\"; allowed: jitter, latency, loss"},
    {"an empty key", "jitter: 2ms", "\"\": 2ms",
     "s:6:29: unknown key \"\"; allowed: jitter, latency, loss"},
    {"a key over two lines is shown in one", "jitter: 2ms", "\"jit\\nter\": 2ms",
     "s:6:29: unknown key \"jit ter\"; did you mean \"jitter\"? allowed: jitter, latency, loss"},
    {"a key over two lines that stands twice", "jitter: 2ms", "\"a\\nb\": 2ms, \"a\\nb\": 3ms",
     "s:6:29: unknown key \"a b\"; allowed: jitter, latency, loss\n"
     "s:6:42: duplicate key \"a b\""},
    {"a byte order mark in the middle is part of a key", "jitter: 2ms", "\xef\xbb\xbfjitter: 2ms",
     "s:6:28: unknown key \"\xef\xbb\xbfjitter\"; did you mean \"jitter\"? allowed: jitter, latency, loss"},
    {"a no-break space is part of a key", "jitter: 2ms", "\xc2\xa0jitter: 2ms",
     "s:6:28: unknown key \"\xc2\xa0jitter\"; did you mean \"jitter\"? allowed: jitter, latency, loss"},
  };
  expect_problems(cases);
}

TEST(ParseScenario, SaysWhichBytesAreNoText) {
  using namespace std::string_view_literals;
  struct {
    const char* why;
    std::string_view text;
    const char* expected;
  } const cases[] = {
    {"UTF-16, little end first, with its mark",
     "\xff\xfe"
     "n\0a\0m\0e\0"sv,
     "s:1:1: is not a UTF-8 text file"},
    {"UTF-16, big end first, with its mark",
     "\xfe\xff"
     "\0n\0a\0m\0e"sv,
     "s:1:1: is not a UTF-8 text file"},
    {"UTF-16 without a mark", "n\0a\0m\0e\0:\0"sv, "s:1:2: is not a UTF-8 text file"},
    {"Latin-1", "name: a\ndescription: caf\xe9\n", "s:2:17: is not a UTF-8 text file"},
    {"Windows quotes", "description: \x93x\x94\n", "s:1:14: is not a UTF-8 text file"},
    {"an overlong slash", "description: \xc0\xaf\n", "s:1:14: is not a UTF-8 text file"},
    {"half of a surrogate pair", "description: \xed\xa0\x80\n", "s:1:14: is not a UTF-8 text file"},
    {"beyond the last character", "description: \xf4\x90\x80\x80\n",
     "s:1:14: is not a UTF-8 text file"},
    {"a character cut off by the end", "description: \xe2\x82", "s:1:14: is not a UTF-8 text file"},
    {"a form feed", "name: a\n\f\n", "s:2:1: is not a UTF-8 text file"},
    {"an escape sequence of a terminal", "name: \x1b[1ma\n", "s:1:7: is not a UTF-8 text file"},
    {"a terminal's control sequence in one character",
     "name: \xc2\x9b"
     "1ma\n",
     "s:1:7: is not a UTF-8 text file"},
    {"a compressed file", "\x1f\x8b\x08\x00"sv, "s:1:1: is not a UTF-8 text file"},
    {"old line ends are line ends", "name: a\rseed: x\r",
     "s:1:1: the key duration is missing\n"
     "s:1:1: the key producers is missing\n"
     "s:1:1: the key consumers is missing\n"
     "s:2:7: seed: must be a whole number; got \"x\""},
    {"Windows line ends are line ends", "name: a\r\nseed: x\r\n",
     "s:1:1: the key duration is missing\n"
     "s:1:1: the key producers is missing\n"
     "s:1:1: the key consumers is missing\n"
     "s:2:7: seed: must be a whole number; got \"x\""},
  };
  for (const auto& x : cases) {
    SCOPED_TRACE(x.why);
    keep_for_fuzzing(x.text);
    EXPECT_EQ(joined(problems_of(parse_scenario(x.text, "s"))), x.expected);
  }
}

} // namespace

} // namespace spillover::test
