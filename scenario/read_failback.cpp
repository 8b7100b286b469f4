#include "scenario/read.hpp"

namespace spillover {

namespace {

void read_back(const section& from, failback_config& into) {
  const auto* x = from.find("failback");
  if (x == nullptr)
    return;
  if (x->is_text()) {
    into.back = x->text == "manual" ? failback_mode::manual : failback_mode::immediate;
    return;
  }
  const auto how = from.at("failback");
  if (how.given("after") == how.given("over"))
    how.fail("failback: needs either after or over");
  into.back = how.has("over") ? failback_mode::over : failback_mode::after;
  how.read("after", into.back_span);
  how.read("over", into.back_span);
  how.read("steps", into.steps);
  if (how.has("steps") && !how.given("over"))
    how.fail("steps", "has a meaning with over only");
}

void read_leave(const section& from, failback_config& into) {
  const auto* x = from.find("failover");
  if (x == nullptr)
    return;
  if (x->is_text()) {
    into.leave = x->text == "manual" ? failover_mode::manual : failover_mode::automatic;
    return;
  }
  into.leave = failover_mode::after;
  from.at("failover").read("after", into.leave_span);
}

} // namespace

failback_config read_failback(const section& from) {
  failback_config result;
  read_back(from, result);
  read_leave(from, result);
  return result;
}

} // namespace spillover
