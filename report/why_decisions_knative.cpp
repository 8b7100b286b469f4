#include "report/why_decisions.hpp"

namespace spillover {

namespace {

/// @returns what a driver means beyond the numbers of the windows.
std::string_view meaning_of(std::string_view driver) noexcept {
  if (driver == "INITIAL")
    return "; nothing was measured yet";
  if (driver == "ZERO")
    return "; idle for the stable window and the grace period";
  if (driver == "LAST")
    return "; the last pod stays for the stable window";
  if (driver == "ACTIVATION")
    return "; from zero to the activation scale at least";
  return "";
}

} // namespace

// E.g. "stable 50 / 7 -> 8, panic 50 / 7 -> 8; 1 ready, so at least 0 and at most 1000".
std::vector<std::string> knative_words(const scaling_decided& d) {
  const decision_inputs x{d};
  if (!x.find("stable_milli"))
    return {};
  const auto window = [&x](const std::string& name) {
    return name + " " + milli_text(x.get(name + "_milli")) + " / "
           + milli_text(x.get("target_milli")) + " -> " + std::to_string(x.get(name + "_pods"));
  };
  const auto desired = x.get("desired");
  std::vector<std::string> result;
  result.push_back("desired " + (desired < 0 ? "unknown" : std::to_string(desired)) + ": "
                   + window("stable") + ", " + window("panic")
                   + (x.is_set("panicking") ? ", in panic" : ""));
  result.back().append(meaning_of(d.driver));
  result.push_back(std::to_string(x.get("ready")) + " ready, so at least "
                   + std::to_string(x.get("rate_min")) + " and at most "
                   + std::to_string(x.get("rate_max")));
  result.push_back(bounds_text(x, d.driver == "MIN", d.driver == "MAX", "none")
                   + "; excess burst capacity " + std::to_string(x.get("excess_burst_capacity")));
  return result;
}

} // namespace spillover
