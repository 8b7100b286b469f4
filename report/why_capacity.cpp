#include "report/why_capacity.hpp"

#include <algorithm>

namespace spillover {

namespace {

/// @returns what is between two marks, up to the end where the second is not there; empty without the first.
std::string_view between(std::string_view text, std::string_view from, std::string_view until) {
  const auto at = text.find(from);
  if (at == std::string_view::npos)
    return {};
  const auto rest = text.substr(at + from.size());
  return rest.substr(0, rest.find_first_of(until));
}

/// @returns e.g. "3 of 5" of "3/5".
std::string of_all(std::string_view part) {
  std::string result{part};
  if (const auto at = result.find('/'); at != std::string::npos)
    result.replace(at, 1, " of ");
  return result;
}

std::string words_of_region(std::string_view x) {
  const auto load = between(x, ",load:", ",( ");
  const auto capacity = load.substr(load.find('/') + 1);
  auto result = std::string{x.substr(0, x.find('='))} + ": " + of_all(between(x, "=", ","))
                + " endpoints healthy, load " + std::string{load.substr(0, load.find('/'))}
                + (capacity == "?" ? " of a capacity that is not known yet"
                                   : " of a capacity of " + std::string{capacity});
  if (const auto drained = between(x, ",drained:", ",("); !drained.empty())
    result += ", " + of_all(drained) + " backends drained";
  if (x.find(",sheds") != std::string_view::npos)
    result += ", sheds load because too few endpoints of a backend are healthy";
  if (x.find(",isolated") != std::string_view::npos)
    result += ", kept out because the consumer is isolated from it";
  if (const auto by = between(x, "(ejected:", ")"); !by.empty())
    result += ", ejected by " + of_all(by) + " proxies";
  if (const auto at = x.rfind('('); at != std::string_view::npos && x.substr(at, 9) != "(ejected:")
    result += ", " + std::string{between(x.substr(at), "(", "%")} + " % of the requests";
  return result;
}

} // namespace

std::vector<std::string> words_of_capacity(std::string_view states) {
  std::vector<std::string> result;
  for (std::size_t from = 0; from < states.size();) {
    const auto end = std::min(states.find(' ', from), states.size());
    const auto region = states.substr(from, end - from);
    if (region.find(",load:") != std::string_view::npos)
      result.push_back(words_of_region(region));
    from = end + 1;
  }
  return result;
}

} // namespace spillover
