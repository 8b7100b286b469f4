#include "app/event_stream.hpp"

#include "report/event_log.hpp"

#include <stdexcept>
#include <utility>

namespace spillover::app {

namespace {

constexpr std::size_t enough = 60'000;
constexpr std::chrono::minutes longest_emulated{1};
constexpr std::chrono::seconds longest_wall{1};

} // namespace

event_stream::event_stream(std::ofstream file, const std::vector<std::string>& sites)
  : file_(std::move(file)),
    sites_(sites),
    lines_(event_log_head(sites)),
    passed_on_wall_(wall::now()) {}

void event_stream::append(const event& x) {
  append_event_line(lines_, x, sites_);
  if (lines_.size() > enough || x.at - passed_on_ >= longest_emulated
      || wall::now() - passed_on_wall_ >= longest_wall)
    pass_on(x.at);
}

void event_stream::pass_on(instant at) {
  file_.write(lines_.data(), static_cast<std::streamsize>(lines_.size()));
  file_.flush();
  lines_.clear();
  passed_on_ = at;
  passed_on_wall_ = wall::now();
}

void event_stream::check() const {
  if (!file_)
    throw std::runtime_error("cannot write events.jsonl");
}

void event_stream::close() {
  pass_on(passed_on_);
  file_.close();
  check();
}

} // namespace spillover::app
