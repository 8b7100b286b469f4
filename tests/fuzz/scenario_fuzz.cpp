// Feeds the loader with texts. Whatever they are: it does not crash, every problem and every remark
// stands inside the text, and what loads survives being written and read again.

#include "model/check.hpp"
#include "scenario/lint.hpp"
#include "scenario/load.hpp"
#include "tests/scenario/places.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace spillover {
namespace {

/// Checks that a problem says something, in one line, at a place of the text.
void check_problem(std::string_view text, const problem& x) {
  SPILLOVER_CHECK(!x.message.empty());
  SPILLOVER_CHECK(x.message.find('\n') == std::string::npos);
  SPILLOVER_CHECK(test::stands_within(text, x));
}

void check_text(std::string_view text) {
  const auto result = parse_scenario(text, "fuzz");
  if (const auto* problems = std::get_if<std::vector<problem>>(&result)) {
    SPILLOVER_CHECK(!problems->empty());
    for (const auto& x : *problems)
      check_problem(text, x);
    return;
  }
  const auto& loaded = std::get<scenario>(result);
  for (const auto& x : locate(lints(loaded), text, "fuzz"))
    check_problem(text, x);
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
