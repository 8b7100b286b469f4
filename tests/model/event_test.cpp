#include "model/event.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace {

using namespace spillover;

TEST(KindOf, NamesThePayload) {
  event subject;
  subject.what = source_changed{};
  EXPECT_EQ(kind_of(subject), "source_changed");
  subject.what = books_closed{};
  EXPECT_EQ(kind_of(subject), "books_closed");
}

template <std::size_t... I>
std::multiset<std::string_view> all_kinds(std::index_sequence<I...>) {
  return {std::variant_alternative_t<I, payload>::kind...};
}

TEST(KindOf, IsAnotherForEachPayload) {
  constexpr auto count = std::variant_size_v<payload>;
  const auto kinds = all_kinds(std::make_index_sequence<count>{});
  EXPECT_EQ(std::set<std::string_view>(kinds.begin(), kinds.end()).size(), count);
}

} // namespace
