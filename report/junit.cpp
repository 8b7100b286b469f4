#include "report/event_index.hpp"
#include "report/format.hpp"
#include "report/json_text.hpp"
#include "report/verdict.hpp"

#include <algorithm>
#include <string_view>

namespace spillover {

namespace {

constexpr std::string_view version = "1";

/// @returns whether XML 1.0 can hold the character at the beginning, of so many bytes.
bool is_xml(std::string_view x, std::size_t length) noexcept {
  const auto lead = static_cast<unsigned char>(x.front());
  if (length == 1)
    return (lead >= 0x20 && lead != 0x7F) || lead == '\n' || lead == '\t' || lead == '\r';
  return length > 0 && !x.starts_with("\xEF\xBF\xBE") && !x.starts_with("\xEF\xBF\xBF");
}

/// Appends a character of one byte, which may be markup.
/// @param in_attribute parsers make blanks of line ends and tabs there
void append_ascii(std::string& out, char x, bool in_attribute) {
  switch (x) {
    case '&': out += "&amp;"; return;
    case '<': out += "&lt;"; return;
    case '>': out += "&gt;"; return;
    case '"': out += "&quot;"; return;
    // Parsers drop it or make a line end of it.
    case '\r': out += "&#13;"; return;
    case '\n': out += in_attribute ? "&#10;" : "\n"; return;
    case '\t': out += in_attribute ? "&#9;" : "\t"; return;
    default: out += x;
  }
}

/// @returns the text as XML that stands for it; what XML 1.0 cannot hold (control characters, bytes
///          that are no UTF-8, U+FFFE and U+FFFF) becomes U+FFFD.
std::string escaped(std::string_view x, bool in_attribute = false) {
  std::string result;
  while (!x.empty()) {
    const auto length = utf8_length(x);
    if (!is_xml(x, length))
      result += "\xEF\xBF\xBD";
    else if (length == 1)
      append_ascii(result, x.front(), in_attribute);
    else
      result += x.substr(0, length);
    x.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string{name} + "=\"" + escaped(value, true) + "\"";
}

std::string attribute(std::string_view name, std::size_t value) {
  return attribute(name, std::to_string(value));
}

/// @returns the span in seconds, to the millisecond.
std::string seconds_text(duration x) {
  auto result = instant_text(run_start + x);
  result.resize(result.size() - 2); // " s"
  return result;
}

std::string shown(const event& x, const event_log& log) {
  return std::string{kind_of(x)} + " " + x.entity + " (" + to_string(x.id, log.sites()) + ", "
         + instant_text(x.at) + ")";
}

/// @returns an event and its causes, the last first; "" for no event.
std::string chain_text(const event_log& log, event_id from) {
  constexpr std::size_t longest = 20;
  std::string result;
  std::size_t links = 0;
  for (const auto* x = log.find(from); x != nullptr; x = log.find(x->cause)) {
    if (++links > longest)
      return result + " <- ...";
    result += (result.empty() ? "" : " <- ") + shown(*x, log);
  }
  return result;
}

/// @returns the faults that lie on the world at an instant, in words; "" for none.
std::string faults_at(const event_index& index, instant at) {
  std::string result;
  for (const auto* fault : index.all<fault_started>()) {
    const auto effects = index.effects_of(fault->id);
    const auto over = std::any_of(effects.begin(), effects.end(), [at](const event* x) {
      return std::holds_alternative<fault_ended>(x->what) && x->at <= at;
    });
    if (fault->at <= at && !over)
      result += (result.empty() ? "" : "; ") + payload_of<fault_started>(fault).what;
  }
  return result;
}

std::string limit_text(const expectation_words& x) {
  const auto show = [&x](std::int64_t y) {
    if (x.unit == "ns")
      return exact_text(duration{y});
    if (x.unit == "ppm")
      return percent_text(static_cast<double>(y) / 1e6);
    if (x.unit == "milli_rps")
      return rate_text(y);
    return thousands(static_cast<std::uint64_t>(y));
  };
  std::string result;
  if (x.at_least)
    result = "at least " + show(*x.at_least);
  if (x.at_most)
    result += (x.at_least ? ", at most " : "at most ") + show(*x.at_most);
  return result;
}

std::string failure_of(const judgement& x, const expectation_words& words,
                       const event_index& index) {
  auto message = x.measured + ", limit: " + limit_text(words);
  auto body = x.what + "\nmeasured: " + x.measured + "\nlimit: " + limit_text(words) + "\n";
  if (x.at) {
    message += ", at " + instant_text(*x.at);
    body += "at: " + instant_text(*x.at) + "\n";
    if (const auto faults = faults_at(index, *x.at); !faults.empty())
      body += "faults then: " + faults + "\n";
  }
  if (const auto chain = chain_text(index.log(), x.by); !chain.empty())
    body += "cause: " + chain + "\n";
  return "      <failure" + attribute("message", message) + attribute("type", words.kind) + ">"
         + escaped(body) + "</failure>\n";
}

std::string test_case(const std::string& class_name, const std::string& name, duration time,
                      const std::string& content) {
  const auto head = "    <testcase" + attribute("name", name) + attribute("classname", class_name)
                    + attribute("time", seconds_text(time));
  return content.empty() ? head + "/>\n" : head + ">\n" + content + "    </testcase>\n";
}

std::string property(std::string_view name, std::string_view value) {
  return "      <property" + attribute("name", name) + attribute("value", value) + "/>\n";
}

std::string test_cases(const verdict& x, const event_index& index, const std::string& scenario) {
  std::string result;
  for (const auto& y : x.judgements) {
    const auto words = words_of(y.expected);
    const auto is_clock = words.unit == "ns" && words.kind != "latency";
    const auto time = is_clock && y.value ? duration{*y.value} : duration::zero();
    const auto& name = y.expected.name.empty() ? y.what : y.expected.name;
    result += test_case(scenario + "." + std::string{words.kind}, name, time,
                        y.met ? "" : failure_of(y, words, index));
  }
  if (x.imbalances.empty())
    return result;
  std::string differences;
  for (const auto& y : x.imbalances)
    differences += y + "\n";
  const auto message = counted(x.imbalances.size(), "difference") + " between the books";
  return result
         + test_case(scenario + ".books", "the books balance", duration::zero(),
                     "      <error" + attribute("message", message) + attribute("type", "books")
                       + ">" + escaped(differences) + "</error>\n");
}

} // namespace

std::string to_junit(const verdict& x, const event_log& log) {
  const event_index index{log};
  const auto starts = index.all<run_started>();
  const auto start = starts.empty() ? run_started{} : payload_of<run_started>(starts.front());
  const auto failures = static_cast<std::size_t>(
    std::count_if(x.judgements.begin(), x.judgements.end(), [](const auto& y) { return !y.met; }));
  const auto errors = std::size_t{x.imbalances.empty() ? 0U : 1U};
  const auto totals = attribute("name", start.name)
                      + attribute("tests", x.judgements.size() + errors)
                      + attribute("failures", failures) + attribute("errors", errors)
                      + attribute("time", seconds_text(index.run_end() - run_start));
  auto result = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + totals
                + ">\n  <testsuite" + totals + attribute("skipped", std::size_t{0})
                + ">\n    <properties>\n" + property("scenario", start.name)
                + property("seed", std::to_string(start.seed)) + property("version", version);
  if (x.stopped)
    result +=
      property("stopped", "at " + exact_text(x.stopped->at - run_start) + ": " + x.stopped->reason);
  return result + "    </properties>\n" + test_cases(x, index, start.name)
         + "  </testsuite>\n</testsuites>\n";
}

} // namespace spillover
