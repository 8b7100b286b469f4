#include "report/clock_notes.hpp"

#include "report/format.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace spillover {

namespace {

/// A time in which a site's clock was wrong.
struct skew {
  std::string_view site;
  std::uint32_t fault = 0;
  std::string_view effect; // e.g. "3s ahead"
  instant from{};
  instant to = never;

  [[nodiscard]] bool lies_at(instant x) const { return from <= x && x <= to; }
};

/// A fault that took hold of a whole site, not of something in it, is one of its clock.
std::vector<skew> read_skews(const event_index& index) {
  std::vector<skew> result;
  for (const auto* x : index.all<fault_applied>()) {
    const auto& applied = payload_of<fault_applied>(x);
    if (x->entity.find('/') != std::string::npos)
      continue;
    if (applied.active) {
      result.push_back({x->entity, applied.index, applied.effect, x->at});
      continue;
    }
    for (auto& known : result)
      if (known.site == x->entity && known.fault == applied.index && known.to == never)
        known.to = x->at;
  }
  return result;
}

std::string signed_text(duration x) {
  return x < duration::zero() ? "-" + clock_text(-x) : clock_text(x);
}

/// @returns e.g. "clock us-east1 is 3s ahead"; empty when no clock was wrong at either time.
std::string words_of(const std::vector<skew>& skews, std::string_view producer, instant sent,
                     std::string_view consumer, instant received) {
  std::string result;
  for (const auto& x : skews)
    if ((x.site == producer && x.lies_at(sent)) || (x.site == consumer && x.lies_at(received)))
      result.append(result.empty() ? "clock " : ", clock ")
        .append(x.site)
        .append(" is ")
        .append(x.effect);
  return result;
}

} // namespace

std::vector<std::string> clock_notes(const event_index& index) {
  const auto skews = read_skews(index);
  if (skews.empty())
    return {};
  struct tally {
    std::string first;
    std::uint32_t more = 0;
  };
  std::map<std::pair<std::string_view, std::string_view>, tally> tallies;
  for (const auto* x : index.all<neg_changed>()) {
    const auto& learned = payload_of<neg_changed>(x);
    const auto* cause = index.cause_of(*x);
    if (cause == nullptr)
      continue;
    const auto consumer = first_part(x->entity);
    const auto truly = x->at - cause->at;
    const duration age{learned.age_ns};
    const auto wrong = words_of(skews, learned.region, cause->at, consumer, x->at);
    if (wrong.empty() || age == truly)
      continue;
    auto& known = tallies[{learned.region, consumer}];
    if (!known.first.empty()) {
      ++known.more;
      continue;
    }
    known.first = "by the sites' own clocks propagation from " + learned.region + " to "
                  + std::string{consumer} + " took " + signed_text(age) + " at "
                  + instant_text(x->at) + ", not " + clock_text(truly) + "; " + wrong;
  }
  std::vector<std::string> result;
  result.reserve(tallies.size());
  for (const auto& [between, known] : tallies)
    result.push_back(known.first
                     + (known.more == 0 ? "" : "; " + std::to_string(known.more) + " more"));
  return result;
}

} // namespace spillover
