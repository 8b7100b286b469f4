#include "scenario/read.hpp"

namespace spillover {

namespace {

stop_on_errors read_errors(const section& from, const section& root, const scenario_draft& draft) {
  stop_on_errors result;
  from.read("above", result.above);
  from.read("over", result.over);
  result.consumer = read_consumer(from, "consumer", draft);
  const auto left = draft.result.lasts - draft.result.warm_up;
  if (from.has("over") && root.fine({"duration", "warm_up"}) && left > duration::zero()
      && result.over > left)
    from.fail("over", "must be at most what follows the warm-up (" + to_string(left) + "); got "
                        + to_string(result.over));
  return result;
}

duration read_lasting(const section& from, const section& root, const scenario_draft& draft,
                      duration otherwise) {
  auto result = otherwise;
  from.read("for", result);
  if (from.has("for") && root.fine({"duration"}) && result > draft.result.lasts)
    from.fail("for", "must be at most the run's duration (" + to_string(draft.result.lasts)
                       + "); got " + to_string(result));
  return result;
}

stop_on_queue read_queue(const section& from, const section& root, const scenario_draft& draft) {
  stop_on_queue result;
  result.of = read_backend_path(from, "of", draft);
  result.revision = read_revision_name(from, "revision", result.of, draft);
  from.read("above", result.above);
  result.lasting = read_lasting(from, root, draft, result.lasting);
  return result;
}

// What is recorded when a run is over cannot end it.
event_pattern read_event(const section& from, const scenario_draft& draft) {
  auto result = read_event_pattern(from, draft);
  for (const std::string_view last : {"run_stopped", "run_ended", "books_closed"})
    if (result.kind == last)
      from.fail("event", result.kind + " comes when the run is over, and cannot stop it");
  return result;
}

stop_on_instances read_instances(const section& from, const section& root,
                                 const scenario_draft& draft) {
  stop_on_instances result;
  result.of = read_backend_path(from, "of", draft);
  result.revision = read_revision_name(from, "revision", result.of, draft);
  from.read("above", result.above);
  from.read("below", result.below);
  result.lasting = read_lasting(from, root, draft, result.lasting);
  if (!from.fine({"above", "below"}))
    return result;
  if (!result.above && !result.below)
    from.fail("needs above, below or both");
  if (result.above && result.below && *result.below > *result.above)
    from.fail("below", "must be at most above (" + std::to_string(*result.above)
                         + "), or every count would end the run; got "
                         + std::to_string(*result.below));
  return result;
}

} // namespace

void read_stop_conditions(const section& root, scenario_draft& draft) {
  std::vector<std::string> names;
  for (const auto& x : root.list("stop_if")) {
    if (x.bad)
      continue;
    const section from{root.problems(), &x, x.at};
    stop_condition result;
    result.name = read_unique_name(from, names);
    if (from.has("errors"))
      result.what = read_errors(from.at("errors"), root, draft);
    else if (from.has("queue"))
      result.what = read_queue(from.at("queue"), root, draft);
    else if (from.has("instances"))
      result.what = read_instances(from.at("instances"), root, draft);
    else if (from.has("event"))
      result.what = stop_on_event{read_event(from.at("event"), draft)};
    draft.result.stop_if.push_back(std::move(result));
  }
}

} // namespace spillover
