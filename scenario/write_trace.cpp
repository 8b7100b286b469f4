#include "scenario/write_trace.hpp"

#include "consumers/trace_length.hpp"
#include "scenario/names.hpp"
#include "scenario/values.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>

namespace spillover {

namespace {

std::string file_name_of(const std::string& file, std::size_t number) {
  auto result = std::filesystem::path{file}.stem().string();
  std::replace_if(
    result.begin(), result.end(),
    [](char x) {
      return !((x >= 'a' && x <= 'z') || (x >= 'A' && x <= 'Z') || (x >= '0' && x <= '9')
               || x == '-' || x == '_' || x == '.');
    },
    '_');
  if (number > 1)
    result += "-" + std::to_string(number);
  return std::string{saved_traces} + "/" + result + ".csv";
}

// With three digits below the point at most, as people read them.
std::string rounded(double x) {
  return format_number(std::round(x * 1000) / 1000);
}

} // namespace

std::string digest_of(const recorded_traffic& x) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), x.digest(), 16).ptr;
  const std::string result{digits.data(), end};
  return std::string(digits.size() - result.size(), '0') + result;
}

nlohmann::json write_trace_keys(const trace_config& x) {
  nlohmann::json result = {{"file", x.source.file}};
  if (x.source.format)
    result["format"] = name_of(*x.source.format, trace_formats);
  if (x.source.bucket)
    result["bucket"] = to_string(*x.source.bucket);
  const std::pair<const char*, const std::string&> texts[] = {{"column", x.source.column},
                                                              {"owner", x.source.owner},
                                                              {"app", x.source.app},
                                                              {"function", x.source.function},
                                                              {"trigger", x.source.trigger}};
  for (const auto& [key, text] : texts)
    if (!text.empty())
      result[key] = text;
  if (x.traffic)
    result["digest"] = digest_of(*x.traffic);
  result["at"] = to_string(x.at.time_since_epoch());
  result["scale"] = x.scale;
  result["warp"] = x.warp;
  result["from"] = to_string(x.from);
  if (x.to)
    result["to"] = to_string(*x.to);
  result["arrivals"] = name_of(x.arrivals, arrival_processes);
  result["repeat"] = x.repeat;
  return result;
}

std::vector<saved_trace> own_traces(scenario& x) {
  std::vector<saved_trace> result;
  own_traces(x, result);
  return result;
}

void own_traces(scenario& x, std::vector<saved_trace>& files) {
  const auto place_of = [&files](const trace_config& trace) {
    for (std::size_t number = 1;; ++number) {
      auto name = file_name_of(trace.source.file, number);
      const auto taken =
        std::find_if(files.begin(), files.end(), [&name](const auto& y) { return y.file == name; });
      if (taken == files.end())
        files.push_back({name, trace.source.file, trace.traffic});
      else if (taken->traffic != trace.traffic && *taken->traffic != *trace.traffic)
        continue;
      return name;
    }
  };
  for (auto& consumer : x.consumers)
    for (auto& load : consumer.traffic)
      if (auto* trace = std::get_if<trace_config>(&load)) {
        trace_source own;
        own.file = place_of(*trace);
        const auto& traffic = *trace->traffic;
        own.format = traffic.has_arrivals() ? trace_format::times : trace_format::counts;
        if (!traffic.has_arrivals())
          own.bucket = traffic.bucket();
        trace->source = std::move(own);
      }
}

std::vector<std::string> describe(const trace_config& x, duration run) {
  const auto& all = *x.traffic;
  std::vector<std::string> result;
  result.push_back("trace " + x.source.file + ": "
                   + rounded(all.requests(duration::zero(), all.lasts())) + " requests in "
                   + to_string(all.lasts()) + ", "
                   + (all.has_arrivals() ? "each at its time"
                                         : "counted in buckets of " + to_string(all.bucket())));
  const auto peak = peak_of(x);
  const auto begins = x.at.time_since_epoch();
  const auto ends = begins + lasting(x);
  result.push_back("  plays " + to_string(x.from) + " to " + to_string(x.end()) + " from "
                   + to_string(begins) + (x.repeat ? " again and again, each time to " : " to ")
                   + to_string(x.repeat ? ends - begins : ends) + (x.repeat ? " later" : "")
                   + " of the run: " + rounded(x.expected()) + " requests, peak "
                   + rounded(peak.rate) + " a second at " + to_string(peak.at.time_since_epoch()));
  if (!x.repeat && ends > run)
    result.push_back("  the run ends before, at " + to_string(run));
  for (const auto& remark : x.remarks)
    result.push_back("  " + remark);
  return result;
}

} // namespace spillover
