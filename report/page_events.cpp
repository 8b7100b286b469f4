#include "report/page_parts.hpp"
#include "report/why.hpp"
#include "report/why_words.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace spillover {

namespace {

/// How much an event says, the least number the most; when there are too many, the others go first.
int rank_of(const event& x) {
  const auto holds = [&x]<class... T>(const std::variant<T...>*) {
    return (std::holds_alternative<T>(x.what) || ...);
  };
  using first = std::variant<run_started, run_ended, run_stopped, fault_started, fault_ended,
                             source_changed, composite_changed, neg_changed, routing_changed,
                             first_request, action_taken, rollout_stepped, traffic_changed>;
  if (holds(static_cast<const first*>(nullptr)))
    return 0;
  if (const auto* scaling = std::get_if<scaling_decided>(&x.what))
    return scaling->after == scaling->before ? 3 : 1;
  using last = std::variant<instance_changed, instance_afflicted>;
  return holds(static_cast<const last*>(nullptr)) ? 2 : 1;
}

/// Numbers texts in the order in which they come.
class dictionary {
public:
  std::size_t operator()(std::string_view x) {
    const auto [place, is_new] = places_.try_emplace(std::string{x}, texts_.size());
    if (is_new)
      texts_.push_back(x);
    return place->second;
  }

  [[nodiscard]] const page_json& texts() const noexcept { return texts_; }

private:
  std::map<std::string, std::size_t, std::less<>> places_;
  page_json texts_ = page_json::array();
};

struct cause_link {
  event_id cause;
  /// Why it is taken for the cause, where the event names none.
  std::string reason;
};

/// @returns the event's cause, or what is likely its cause by time and place.
cause_link link_of(const event_index& index, const event& x) {
  if (x.cause)
    return {x.cause, {}};
  // Decisions that change nothing answer to nothing.
  if (rank_of(x) == 3)
    return {};
  const auto chain = explain(index, x);
  if (chain.steps.size() < 2 || chain.steps[1].how != why_link::time)
    return {};
  return {chain.steps[1].what->id, chain.steps[1].reason};
}

std::string joined(const std::vector<std::string>& lines) {
  std::string result;
  for (const auto& x : lines)
    result.append(result.empty() ? "" : "\n").append(x);
  return result;
}

/// @returns the events to show, in the order of the log.
std::vector<const event*> chosen(const event_index& index, std::size_t limit) {
  std::vector<const event*> result;
  for (const auto& x : index.log().events())
    if (!is_sample_or_books(x.what))
      result.push_back(&x);
  if (result.size() <= limit)
    return result;
  std::array<std::size_t, 4> counts{};
  for (const auto* x : result)
    ++counts[static_cast<std::size_t>(rank_of(*x))];
  std::array<std::size_t, 4> room{};
  for (std::size_t i = 0; i < room.size(); ++i) {
    room[i] = std::min(counts[i], limit);
    limit -= room[i];
  }
  // Of those of which there is no room for all, the first ones stay.
  std::erase_if(result, [&room](const event* x) {
    auto& left = room[static_cast<std::size_t>(rank_of(*x))];
    return left == 0 || left-- == 0;
  });
  return result;
}

page_json kinds_json(const event_index& index, const std::vector<const event*>& shown) {
  std::map<std::string_view, std::pair<std::size_t, std::size_t>> counts;
  for (const auto& x : index.log().events())
    if (!is_sample_or_books(x.what))
      ++counts[kind_of(x)].first;
  for (const auto* x : shown)
    ++counts[kind_of(*x)].second;
  auto result = page_json::array();
  for (const auto& [kind, count] : counts)
    result.push_back({{"kind", kind}, {"all", count.first}, {"shown", count.second}});
  return result;
}

/// What a decision decided: from how many instances to how many.
page_json change_of(const event& x) {
  const auto* scaling = std::get_if<scaling_decided>(&x.what);
  return scaling == nullptr ? page_json{} : page_json{scaling->before, scaling->after};
}

} // namespace

page_json events_json(const event_index& index, std::size_t limit) {
  const auto shown = chosen(index, limit);
  std::map<event_id, std::size_t> rows;
  for (std::size_t i = 0; i < shown.size(); ++i)
    rows[shown[i]->id] = i;
  dictionary kinds;
  dictionary entities;
  auto list = page_json::array();
  std::size_t total = 0;
  for (const auto* x : shown) {
    const auto words = words_of(*x);
    const auto origin = link_of(index, *x);
    const auto cause = rows.find(origin.cause);
    page_json row{to_string(x->id, index.log().sites()),
                  microseconds(x->at),
                  kinds(kind_of(*x)),
                  entities(x->entity),
                  words.sentence,
                  joined(words.numbers),
                  cause == rows.end() ? page_json{} : page_json(cause->second)};
    // What few rows have stands last, so that the others can end before it.
    auto change = change_of(*x);
    if (!change.is_null() || !origin.reason.empty()) {
      row.push_back(std::move(change));
      if (!origin.reason.empty())
        row.push_back(origin.reason);
    }
    list.push_back(std::move(row));
  }
  for (const auto& x : index.log().events())
    total += is_sample_or_books(x.what) ? 0U : 1U;
  return {{"all", total},
          {"shown", shown.size()},
          {"of_kinds", kinds_json(index, shown)},
          {"kinds", kinds.texts()},
          {"entities", entities.texts()},
          {"rows", std::move(list)}};
}

} // namespace spillover
