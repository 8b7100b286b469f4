#include "scenario/write_faults.hpp"

namespace spillover {

using json = nlohmann::ordered_json;

json write(const link_fault& x) {
  using enum link_ailment;
  auto result = json::object();
  if (x.both) {
    result["between"] = {x.from, x.to};
  } else {
    result["from"] = x.from;
    result["to"] = x.to;
  }
  result["plane"] = x.data && x.health ? "all" : x.health ? "health" : "data";
  const auto& how = x.suffer;
  result["become"] = to_string(how.become);
  if (how.become == lossy || how.become == duplicating || how.become == reordering)
    result["share"] = how.share;
  if (how.become == limited)
    result["per_second"] = how.per_second;
  if (how.become == delayed || how.become == jittery || how.become == reordering
      || how.become == limited)
    result["by"] = to_string(how.by);
  return result;
}

json write(const prober_fault& x) {
  json result = {{"of", x.of}, {"become", to_string(x.become)}};
  if (x.count)
    result["count"] = *x.count;
  return result;
}

json write(const consumer_fault& x) {
  return {{"name", x.consumer}};
}

json write(const balancer_fault& x) {
  return {
    {"of", x.consumer}, {"error_fraction", x.error_fraction}, {"status", to_string(x.status)}};
}

json write(const clock_fault& x) {
  json result = {{"site", x.site}};
  if (x.ahead < duration::zero())
    result["behind"] = to_string(-x.ahead);
  else
    result["ahead"] = to_string(x.ahead);
  return result;
}

} // namespace spillover
