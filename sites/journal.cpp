#include "sites/journal.hpp"

#include "report/event_reader.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace spillover {

namespace {

using json = nlohmann::json;

json to_value(const known_process& x) {
  return {{"start", x.start},
          {"incarnation", x.incarnation},
          {"first_event", x.first_event},
          {"at", {x.at.data, x.at.health, x.at.control, x.at.telemetry}}};
}

known_process process_of(const json& x) {
  const auto& at = x.at("at");
  return {x.at("start"),
          x.at("incarnation"),
          x.at("first_event"),
          {at.at(0), at.at(1), at.at(2), at.at(3)}};
}

/// Splits "word rest" off.
std::string_view next_word(std::string_view& x) {
  const auto end = std::min(x.find(' '), x.size());
  const auto word = x.substr(0, end);
  x.remove_prefix(std::min(end + 1, x.size()));
  return word;
}

std::optional<std::uint64_t> number_in(std::string_view x) {
  std::uint64_t result = 0;
  const auto [rest, error] = std::from_chars(x.data(), x.data() + x.size(), result);
  return error == std::errc{} && rest == x.data() + x.size() ? std::optional{result} : std::nullopt;
}

} // namespace

journal::journal(const std::filesystem::path& file, const std::vector<std::string>& sites,
                 std::uint64_t scenario_hash)
  : sites_(sites) {
  if (std::filesystem::exists(file))
    read(file, scenario_hash);
  file_.open(file, std::ios::app | std::ios::binary);
  file_ << "director " << scenario_hash << '\n';
  flush();
}

void journal::read(const std::filesystem::path& file, std::uint64_t scenario_hash) {
  std::ifstream in{file, std::ios::binary};
  std::stringstream whole;
  whole << in.rdbuf();
  const auto text = whole.str();
  std::size_t begin = 0;
  for (std::size_t number = 1;; ++number) {
    const auto end = text.find('\n', begin);
    if (end == std::string::npos)
      break;
    if (!take(std::string_view{text}.substr(begin, end - begin), scenario_hash))
      throw std::runtime_error{
        file.string() + ":" + std::to_string(number)
        + ": not the journal of a director of this scenario and seed; another "
          "--state folder, or one that is empty, is needed"};
    begin = end + 1;
  }
  // What follows is appended: half a line must not come before it.
  if (begin < text.size())
    std::filesystem::resize_file(file, begin);
}

bool journal::take(std::string_view line, std::uint64_t scenario_hash) {
  try {
    const auto what = next_word(line);
    if (what == "director") {
      ++before_.directors;
      return number_in(line) == scenario_hash;
    }
    if (what == "line" || what == "remains") {
      const std::string site{next_word(line)};
      const auto process = what == "remains" ? number_in(next_word(line)) : std::optional{0UL};
      const auto number = number_in(next_word(line));
      std::string problem;
      auto x = parse_event(line, sites_, problem);
      if (!process || !number || !x)
        return false;
      auto& last = what == "remains" ? before_.earlier[site][*process] : before_.lines[site];
      last = std::max(last, *number);
      before_.events.push_back(std::move(*x));
      return true;
    }
    if (what == "joined") {
      const std::string site{next_word(line)};
      const auto x = process_of(json::parse(line));
      auto& known = before_.processes[site];
      // Its lines are numbered anew.
      if (known.start != x.start) {
        const auto told = std::exchange(before_.lines[site], 0);
        if (known.start != 0)
          before_.earlier[site][known.start] = told;
      }
      known = x;
      return true;
    }
    const auto x = json::parse(line);
    if (what == "started") {
      before_.start = x.at(0);
      before_.speed = x.at(1);
      return true;
    }
    if (what == "fault") {
      if (auto fault = read_fault(line))
        before_.faults.push_back(std::move(*fault));
      return true;
    }
    if (what == "stopped") {
      before_.stopped =
        run_end{instant{duration{x.at(0).get<std::int64_t>()}}, x.at(1), {x.at(2), x.at(3)}};
      return true;
    }
    if (what != "lifted")
      return false;
    before_.lifted.insert(x.get<std::uint32_t>());
    return true;
  } catch (const json::exception&) {
    return false;
  }
}

void journal::started(std::int64_t real_time, double speed) {
  file_ << "started " << json::array({real_time, speed}).dump() << '\n';
}

void journal::joined(const std::string& site, const known_process& x) {
  file_ << "joined " << site << ' ' << to_value(x).dump() << '\n';
}

void journal::added(const live_fault& x) {
  file_ << "fault " << write(x) << '\n';
}

void journal::lifted(std::uint32_t fault) {
  file_ << "lifted " << fault << '\n';
}

void journal::stopped(const run_end& x) {
  const auto text =
    json::array({x.at.time_since_epoch().count(), x.reason, x.cause.site, x.cause.number});
  file_ << "stopped " << text.dump() << '\n';
}

void journal::line(const std::string& site, std::uint64_t number, std::string_view text) {
  file_ << "line " << site << ' ' << number << ' ' << text << '\n';
}

void journal::remains(const std::string& site, std::uint64_t process, std::uint64_t number,
                      std::string_view text) {
  file_ << "remains " << site << ' ' << process << ' ' << number << ' ' << text << '\n';
}

void journal::flush() {
  file_.flush();
  if (!file_)
    throw std::runtime_error{"the director's journal cannot be written"};
}

} // namespace spillover
