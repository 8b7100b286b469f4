// Feeds the loader with texts. Whatever they are: it does not crash, every problem and every remark
// stands inside the text, and what loads survives being written and read again.

#include "model/check.hpp"
#include "scenario/lint.hpp"
#include "scenario/load.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {
namespace {

/// What ends a line: YAML 1.2 says \n, \r and \r\n, and YAML 1.1 three characters of Unicode more.
enum class line_ends { newline, yaml12, yaml11 };

/// @returns the bytes of the line end at the start of `x`, 0 when there is none.
std::size_t line_end(std::string_view x, line_ends how) {
  if (x.starts_with('\n'))
    return 1;
  if (how == line_ends::newline)
    return 0;
  if (x.starts_with('\r'))
    return x.starts_with("\r\n") ? 2 : 1;
  if (how == line_ends::yaml12)
    return 0;
  if (x.starts_with("\xc2\x85"))
    return 2;
  return x.starts_with("\xe2\x80\xa8") || x.starts_with("\xe2\x80\xa9") ? 3 : 0;
}

/// @returns the characters of each line, the last one included.
std::vector<std::size_t> lengths_of_lines(std::string_view text, line_ends how) {
  std::vector<std::size_t> result{0};
  while (!text.empty()) {
    if (const auto end = line_end(text, how); end != 0) {
      result.push_back(0);
      text.remove_prefix(end);
      continue;
    }
    if ((static_cast<unsigned char>(text.front()) & 0xc0) != 0x80)
      ++result.back();
    text.remove_prefix(1);
  }
  return result;
}

/// Checks that a place is on a character of the text, or just behind a line.
void check_place(std::string_view text, const problem& x) {
  SPILLOVER_CHECK(!x.message.empty());
  SPILLOVER_CHECK(x.message.find('\n') == std::string::npos);
  SPILLOVER_CHECK(x.line >= 1 && x.column >= 1);
  const auto inside = [&](line_ends how) {
    const auto lines = lengths_of_lines(text, how);
    return x.line <= lines.size() && x.column <= lines[x.line - 1] + 1;
  };
  SPILLOVER_CHECK(inside(line_ends::newline) || inside(line_ends::yaml12)
                  || inside(line_ends::yaml11));
}

void check_text(std::string_view text) {
  const auto result = parse_scenario(text, "fuzz");
  if (text.starts_with("\xef\xbb\xbf"))
    text.remove_prefix(3);
  if (const auto* problems = std::get_if<std::vector<problem>>(&result)) {
    SPILLOVER_CHECK(!problems->empty());
    for (const auto& x : *problems)
      check_place(text, x);
    return;
  }
  const auto& loaded = std::get<scenario>(result);
  for (const auto& x : locate(lints(loaded), text, "fuzz"))
    check_place(text, x);
  const auto again = parse_scenario(to_yaml(loaded), "again");
  SPILLOVER_CHECK(std::holds_alternative<scenario>(again));
  SPILLOVER_CHECK(std::get<scenario>(again) == loaded);
}

} // namespace
} // namespace spillover

/// libfyaml 0.7 loses the buffer of some malformed scalars; the address sanitizer is told so by this name.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfyaml";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  spillover::check_text({reinterpret_cast<const char*>(data), size});
  return 0;
}
