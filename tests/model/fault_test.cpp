#include "model/fault.hpp"

#include <gtest/gtest.h>

namespace {

using namespace spillover;
using namespace std::chrono_literals;

constexpr const char* web = "us-east1/checkout/web";

instance_fault failing(double error_fraction) {
  instance_fault result{.of = web, .become = ailment::failing, .fraction = 0.25};
  result.error_fraction = error_fraction;
  result.status = outcome::internal_error;
  return result;
}

TEST(Fault, IsToldInWordsWithItsTarget) {
  using kinds = decltype(fault::what);
  struct {
    const char* words;
    const char* target;
    kinds what;
  } const cases[] = {
    {"instances us-east1/checkout/web: 50 % silent", web,
     instance_fault{.of = web, .become = ailment::silent, .fraction = 0.5}},
    {"instances us-east1/checkout/web: 33.3 % crashed", web,
     instance_fault{.of = web, .become = ailment::crashed, .fraction = 0.333}},
    {"instances us-east1/checkout/web: 0.05 % crashed", web,
     instance_fault{.of = web, .become = ailment::crashed, .fraction = 0.0005}},
    {"instances us-east1/checkout/web: 3 crashed", web,
     instance_fault{.of = web, .become = ailment::crashed, .count = 3}},
    {"instances us-east1/checkout/web: 25 % failing (10 % internal_error)", web, failing(0.1)},
    {"region us-east1: out of reach", "us-east1", region_fault{"us-east1"}},
    {"link a -> b: data cut", "a -> b", link_fault{.from = "a", .to = "b", .cut = true}},
    {"link a <-> b: data and health +50ms", "a <-> b",
     link_fault{.from = "a", .to = "b", .both = true, .health = true, .delay = 50ms}},
    {"link a -> b: health cut", "a -> b",
     link_fault{.from = "a", .to = "b", .data = false, .health = true, .cut = true}},
  };
  for (const auto& x : cases) {
    const fault subject{.at = run_start, .lasts = std::nullopt, .what = x.what};
    EXPECT_EQ(to_string(subject), x.words);
    EXPECT_EQ(target_of(subject), x.target);
  }
}

} // namespace
