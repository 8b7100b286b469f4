#include "model/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace spillover {

void check_failed(const char* file, int line, const char* expression) noexcept {
  std::fprintf(stderr, "%s:%d: check failed: %s\n", file, line, expression);
  std::abort();
}

} // namespace spillover
