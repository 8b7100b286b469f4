#include "report/page.hpp"

#include "report/page_parts.hpp"

namespace spillover {

namespace {

/// @returns the text with what HTML would read as markup written out.
std::string escaped(std::string_view x) {
  std::string result;
  result.reserve(x.size());
  for (const auto c : x) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else
      result += c;
  }
  return result;
}

/// @returns the JSON with every "<" as an escape: they stand in texts only, and "</script>" or "<!--"
///          would end the element, or keep it from ending.
std::string without_markup(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (const auto c : json) {
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  }
  return result;
}

} // namespace

std::string page_data(const event_log& log, const verdict& x, const page_source& source,
                      const page_limits& limits) {
  const event_index index{log};
  const page_json data{
    {"version", 1},
    {"program", source.program},
    {"command", source.command},
    {"scenario", source.scenario},
    {"run",
     {{"end_us", microseconds(index.run_end())},
      {"warm_up_us", microseconds(index.warm_up_end())},
      {"complete",
       !log.events().empty() && std::holds_alternative<run_ended>(log.events().back().what)},
      {"unreached", x.unreached}}},
    {"summary", page_json::parse(to_json(x, log))},
    {"faults", faults_json(index)},
    {"curves", curves_json(index, limits)},
    {"ribbons", ribbons_json(index)},
    {"events", events_json(index, limits.events)}};
  return data.dump(-1, ' ', false, page_json::error_handler_t::replace);
}

std::string to_page(std::string_view bundle, std::string_view data, std::string_view text) {
  constexpr std::string_view marker = "<!--DATA-->";
  const auto at = bundle.find(marker);
  if (at == std::string_view::npos || bundle.find(marker, at + 1) != std::string_view::npos)
    return {};
  std::string result{bundle.substr(0, at)};
  result += R"(<script type="application/json" id="data">)";
  result += without_markup(data);
  result += "</script>\n<noscript><pre>";
  result += escaped(text);
  result += "</pre></noscript>";
  result += bundle.substr(at + marker.size());
  return result;
}

} // namespace spillover
