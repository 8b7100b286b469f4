#include "model/event.hpp"

#include <type_traits>

namespace spillover {

std::string_view kind_of(const event& x) noexcept {
  return std::visit([](const auto& what) { return std::decay_t<decltype(what)>::kind; }, x.what);
}

} // namespace spillover
