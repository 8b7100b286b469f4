#include "model/check.hpp"
#include "report/format.hpp"
#include "report/judging.hpp"

namespace spillover {

judgement judge_one(const judged_run& run, const expect_transitions& x) {
  judgement result;
  std::uint32_t count = 0;
  for (const auto* change : run.index.all<composite_changed>()) {
    if (parent_of(change->entity) != x.of || change->at < run.index.warm_up_end()
        || payload_of<composite_changed>(change).before == health::unknown)
      continue;
    if (++count <= x.at_most + 1) {
      result.at = change->at;
      result.by = change->id;
    }
  }
  result.met = count <= x.at_most;
  result.measured = counted(count, "transition");
  result.value = count;
  return result;
}

judgement judge_one(const judged_run& run, const expect_sequence& x) {
  SPILLOVER_CHECK(!x.of.empty());
  judgement result;
  const event* first = nullptr;
  const event* last = nullptr;
  std::size_t found = 0;
  for (const auto& y : run.index.log().events()) {
    if (found == x.of.size())
      break;
    if (y.at < run.index.warm_up_end() || !matches(x.of[found], y))
      continue;
    first = first == nullptr ? &y : first;
    last = &y;
    ++found;
  }
  if (last != nullptr)
    result.by = last->id;
  if (found < x.of.size()) {
    const auto limit = first != nullptr ? std::optional{first->at + x.within} : std::nullopt;
    if (limit && *limit < run.index.run_end())
      result.at = limit;
    if (run.index.ends_early() && !result.at)
      result.measured = run.index.unreached();
    else
      result.measured = "no " + to_string(x.of[found])
                        + (last != nullptr ? " after " + instant_text(last->at) : "");
    return result;
  }
  const auto span = last->at - first->at;
  result.met = span <= x.within;
  result.measured = clock_text(span, x.within);
  result.at = result.met ? last->at : first->at + x.within;
  result.value = span.count();
  return result;
}

} // namespace spillover
