#include "model/event.hpp"

#include <type_traits>

namespace spillover {

bool is_sample(const payload& x) noexcept {
  return std::holds_alternative<share_sample>(x) || std::holds_alternative<revision_sample>(x)
         || std::holds_alternative<attempt_sample>(x) || std::holds_alternative<overflow_sample>(x)
         || std::holds_alternative<client_sample>(x)
         || std::holds_alternative<subscription_sample>(x) || std::holds_alternative<try_sample>(x)
         || std::holds_alternative<pace_sample>(x) || std::holds_alternative<clock_sample>(x);
}

bool is_sample_or_books(const payload& x) noexcept {
  return is_sample(x) || std::holds_alternative<books_closed>(x)
         || std::holds_alternative<subscription_closed>(x)
         || std::holds_alternative<bill_closed>(x);
}

std::string_view kind_of(const event& x) noexcept {
  return std::visit([](const auto& what) { return std::decay_t<decltype(what)>::kind; }, x.what);
}

} // namespace spillover
