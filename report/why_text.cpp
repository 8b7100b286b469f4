#include "report/format.hpp"
#include "report/why.hpp"
#include "report/why_words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace spillover {

namespace {

// Keys stay in the order in which they are written.
using json = nlohmann::ordered_json;

constexpr std::size_t time_column = 72;
constexpr std::size_t time_width = 11;
constexpr std::size_t most_others = 5;

std::string_view to_string(why_link x) noexcept {
  switch (x) {
    case why_link::asked: return "asked";
    case why_link::cause: return "cause";
    case why_link::time: return "time";
  }
  return "?";
}

/// @returns a line with the time and the id of an event at its end.
std::string event_line(const std::string& text, const event& x, const event_log& log) {
  const auto at = instant_text(x.at);
  auto line = text;
  line.append(std::max(time_column, text.size() + 2) - text.size(), ' ');
  line.append(time_width - std::min(time_width, at.size()), ' ');
  return line + at + "  " + to_string(x.id, log.sites()) + "\n";
}

/// Writes chains; a step that was written once is not followed again.
class chain_writer {
public:
  explicit chain_writer(const event_index& index) : index_(index) {}

  [[nodiscard]] std::string write(const why_chain& x) {
    std::string result;
    for (const auto& step : x.steps) {
      const auto words = words_of(*step.what);
      const auto* const mark = step.how == why_link::asked   ? ""
                               : step.how == why_link::cause ? "<- "
                                                             : "<~ ";
      result += event_line(mark + words.sentence, *step.what, index_.log());
      if (!step.reason.empty())
        result += "     by time, not by cause: " + step.reason + "\n";
      if (!written_.insert(step.what->id).second) {
        result += "     as above\n";
        return result;
      }
      for (const auto& line : words.numbers)
        result += "     " + line + "\n";
    }
    if (!x.end.empty())
      result += "     " + x.end + "\n";
    return result;
  }

private:
  const event_index& index_;
  std::set<event_id> written_;
};

json event_json(const event& x, const event_log& log) {
  const auto words = words_of(x);
  return {{"id", to_string(x.id, log.sites())},
          {"at_ns", x.at.time_since_epoch().count()},
          {"text", words.sentence},
          {"numbers", words.numbers},
          // It was made by us, so it parses.
          {"event", json::parse(to_json(x, log.sites()), nullptr, false)}};
}

json chain_json(const why_chain& x, const event_log& log) {
  auto steps = json::array();
  for (const auto& step : x.steps) {
    auto y = event_json(*step.what, log);
    y["link"] = to_string(step.how);
    if (!step.reason.empty())
      y["reason"] = step.reason;
    steps.push_back(std::move(y));
  }
  return {{"steps", std::move(steps)}, {"end", x.end}};
}

std::string dump(const json& x) {
  return x.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace

std::string to_text(const event_index& index, const why_matches& matches) {
  auto result = chain_writer{index}.write(explain(index, *matches.best));
  const auto count = matches.others.size();
  if (count == 0)
    return result;
  result += "\n" + std::to_string(count) + (count == 1 ? " other event" : " other events")
            + " could be meant" + (count > most_others ? ", the nearest:\n" : ":\n");
  for (std::size_t i = 0; i < std::min(count, most_others); ++i) {
    const auto& x = *matches.others[i];
    result += event_line("  " + words_of(x).sentence, x, index.log());
  }
  return result;
}

std::string to_json(const event_index& index, const why_matches& matches) {
  auto others = json::array();
  for (const auto* x : matches.others)
    others.push_back(to_string(x->id, index.log().sites()));
  return dump({{"version", 1},
               {"chain", chain_json(explain(index, *matches.best), index.log())},
               {"others", std::move(others)}});
}

std::string to_text(const event_index& index, const std::vector<why_part>& parts) {
  chain_writer chains{index};
  std::string result;
  for (const auto& x : parts) {
    result += (result.empty() ? "" : "\n") + x.title + "\n";
    for (const auto& note : x.notes)
      result += "  " + note + "\n";
    for (const auto& chain : x.chains)
      result += "\n" + chains.write(chain);
  }
  return result;
}

std::string to_json(const event_index& index, const std::vector<why_part>& parts) {
  auto list = json::array();
  for (const auto& x : parts) {
    auto chains = json::array();
    for (const auto& chain : x.chains)
      chains.push_back(chain_json(chain, index.log()));
    list.push_back({{"title", x.title}, {"notes", x.notes}, {"chains", std::move(chains)}});
  }
  return dump({{"version", 1}, {"parts", std::move(list)}});
}

} // namespace spillover
