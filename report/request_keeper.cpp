#include "report/request_keeper.hpp"

#include "report/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <utility>

namespace spillover {

namespace {

constexpr std::string_view header =
  "consumer,request,intended_ns,ended_ns,latency_ns,outcome,tries,kept_as";
constexpr std::size_t columns = 8;

/// Of equally slow ones the one that came first is kept.
bool is_slower(const request_end& a, const request_end& b) noexcept {
  return a.latency() > b.latency();
}

bool read_reasons(std::string_view text, kept_request& to) noexcept {
  while (!text.empty()) {
    const auto plus = std::min(text.find('+'), text.size());
    const auto name = text.substr(0, plus);
    if (name == "failed")
      to.failed = true;
    else if (name == "slow")
      to.slow = true;
    else if (name == "sample")
      to.sampled = true;
    else
      return false;
    text.remove_prefix(std::min(plus + 1, text.size()));
  }
  return to.failed || to.slow || to.sampled;
}

template <class T>
bool read_number(std::string_view text, T& to) noexcept {
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, to);
  return error == std::errc{} && rest == end;
}

bool read_instant(std::string_view text, instant& to) noexcept {
  duration::rep count = 0;
  const auto good = read_number(text, count);
  to = instant{duration{count}};
  return good;
}

bool read_outcome(std::string_view text, outcome& to) noexcept {
  for (std::size_t i = 0; i < outcome_count; ++i) {
    to = static_cast<outcome>(i);
    if (to_string(to) == text)
      return true;
  }
  return false;
}

bool read_row(std::string_view line, kept_requests& to) {
  std::array<std::string_view, columns> fields;
  for (std::size_t i = 0; i < columns; ++i) {
    const auto comma = std::min(line.find(','), line.size());
    if ((comma == line.size()) != (i + 1 == columns))
      return false;
    fields[i] = line.substr(0, comma);
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  kept_request x;
  const auto known = std::find(to.consumers.begin(), to.consumers.end(), fields[0]);
  x.what.consumer = static_cast<std::uint32_t>(known - to.consumers.begin());
  duration::rep latency = 0;
  if (!read_number(fields[1], x.what.number) || !read_instant(fields[2], x.what.intended)
      || !read_instant(fields[3], x.what.ended) || !read_number(fields[4], latency)
      || duration{latency} != x.what.latency() || !read_outcome(fields[5], x.what.how)
      || !read_number(fields[6], x.what.tries) || !read_reasons(fields[7], x))
    return false;
  if (known == to.consumers.end())
    to.consumers.emplace_back(fields[0]);
  to.requests.push_back(x);
  return true;
}

} // namespace

void request_keeper::keep(const request_end& x) {
  if (x.how != outcome::ok) {
    if (failed_.size() < most_failed)
      failed_.push_back(x);
  } else if (x.ended > measured_from_ && x.latency() > threshold_) {
    slow_.push_back(x);
    std::push_heap(slow_.begin(), slow_.end(), is_slower);
    if (slow_.size() > most_slow) {
      std::pop_heap(slow_.begin(), slow_.end(), is_slower);
      slow_.pop_back();
    }
    if (slow_.size() == most_slow)
      threshold_ = slow_.front().latency();
  }
  if (is_sampled(x.number))
    sampled_.push_back(x);
}

std::vector<kept_request> request_keeper::kept() const {
  std::map<std::pair<std::uint32_t, std::uint64_t>, kept_request> all;
  const auto add = [&all](const std::vector<request_end>& from, bool kept_request::*reason) {
    for (const auto& x : from) {
      auto& to = all[{x.consumer, x.number}];
      to.what = x;
      to.*reason = true;
    }
  };
  add(failed_, &kept_request::failed);
  add(slow_, &kept_request::slow);
  add(sampled_, &kept_request::sampled);
  std::vector<kept_request> result;
  result.reserve(all.size());
  for (const auto& [key, x] : all)
    result.push_back(x);
  return result;
}

std::string reasons_of(const kept_request& x) {
  std::string result;
  const auto add = [&result](bool holds, std::string_view name) {
    if (holds)
      result.append(result.empty() ? "" : "+").append(name);
  };
  add(x.failed, "failed");
  add(x.slow, "slow");
  add(x.sampled, "sample");
  return result;
}

std::string to_csv(const kept_requests& x) {
  std::string result{header};
  result += '\n';
  const auto add = [&result](auto number) {
    result += ',';
    append_integer(result, number);
  };
  for (const auto& y : x.requests) {
    result += x.consumers[y.what.consumer];
    add(y.what.number);
    add(y.what.intended.time_since_epoch().count());
    add(y.what.ended.time_since_epoch().count());
    add(y.what.latency().count());
    result += ',';
    result += to_string(y.what.how);
    add(y.what.tries);
    result += ',';
    result += reasons_of(y);
    result += '\n';
  }
  return result;
}

std::optional<kept_requests> read_kept_requests(std::string_view text, std::string& problem) {
  kept_requests result;
  // A file without a head is cut off, not a run without such requests.
  for (std::size_t number = 1; number == 1 || !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (number == 1 ? line == header : read_row(line, result))
      continue;
    problem = "line " + std::to_string(number) + ": "
              + (number == 1 ? "not the head of requests_kept.csv" : "not a kept request");
    return std::nullopt;
  }
  problem.clear();
  return result;
}

} // namespace spillover
