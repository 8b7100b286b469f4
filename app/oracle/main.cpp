#include "app/oracle/replay.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>

namespace {

using namespace spillover::oracle;
namespace fs = std::filesystem;

constexpr const char* usage =
  "usage: kpa_oracle DIR\n"
  "\n"
  "Replays what Knative's own autoscaler answered, *.jsonl below DIR, through the deciders of policy\n"
  "knative_kpa, and says what differs.\n"
  "\n"
  "Exit codes: 0 all agrees, 1 something differs, 2 DIR cannot be read or holds nothing to compare.\n";

const std::map<std::string, std::function<void(const json_lines&, tally&)>> replays{
  {"scale", replay_scale},
  {"window", replay_window},
  {"delay_window", replay_delay_window},
  {"request_stats", replay_request_stats},
  {"activator_report", replay_activator_report},
  {"pipeline", replay_pipeline},
  {"closed_loop", replay_closed_loop},
};

json_lines read_lines(const fs::path& file) {
  std::ifstream in{file};
  if (!in)
    throw std::runtime_error{"cannot be opened"};
  json_lines result;
  for (std::string text; std::getline(in, text);)
    if (!text.empty())
      result.push_back(nlohmann::json::parse(text));
  if (in.bad())
    throw std::runtime_error{"cannot be read"};
  if (result.empty())
    throw std::runtime_error{"holds no line"};
  return result;
}

void replay_file(const fs::path& file, tally& to) {
  const auto lines = read_lines(file);
  const auto kind = lines.front().at("kind").get<std::string>();
  to.begin(kind, file.string());
  if (const auto found = replays.find(kind); found != replays.end()) {
    found->second(lines, to);
    return;
  }
  if (!is_case(kind))
    throw std::runtime_error{"is of kind \"" + kind + "\", which nobody knows"};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    to.begin(lines[i].at("kind").get<std::string>(), file.string());
    replay_case(lines[i], i + 1, to);
  }
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> result;
  for (const auto& x : fs::recursive_directory_iterator{folder})
    if (x.is_regular_file() && x.path().extension() == ".jsonl")
      result.push_back(x.path());
  std::sort(result.begin(), result.end());
  return result;
}

int report(const tally& x) {
  for (const auto& line : x.examples())
    std::fprintf(stderr, "%s\n", line.c_str());
  for (const auto& [kind, counts] : x.kinds())
    std::printf("%-18s %7llu compared, %llu mismatches\n", kind.c_str(),
                static_cast<unsigned long long>(counts.compared),
                static_cast<unsigned long long>(counts.mismatches));
  const auto total = x.total();
  std::printf("%llu compared, %llu mismatches\n", static_cast<unsigned long long>(total.compared),
              static_cast<unsigned long long>(total.mismatches));
  return total.mismatches == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
  const std::string argument = argc == 2 ? argv[1] : "";
  if (argument == "--help" || argument == "-h") {
    std::fputs(usage, stdout);
    return 0;
  }
  if (argc != 2) {
    std::fputs(usage, stderr);
    return 2;
  }
  std::vector<fs::path> files;
  try {
    files = files_below(argument);
  } catch (const std::exception& x) {
    std::fprintf(stderr, "kpa_oracle: %s\n", x.what());
    return 2;
  }
  tally found;
  for (const auto& file : files) {
    try {
      replay_file(file, found);
    } catch (const std::exception& x) {
      std::fprintf(stderr, "kpa_oracle: %s: %s\n", file.c_str(), x.what());
      return 2;
    }
  }
  if (found.total().compared == 0) {
    std::fprintf(stderr, "kpa_oracle: nothing to compare below %s\n", argument.c_str());
    return 2;
  }
  return report(found);
}
