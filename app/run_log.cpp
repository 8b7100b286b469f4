#include "app/run_log.hpp"

#include "report/event_log.hpp"

#include <nlohmann/json.hpp>
#include <spdlog/async.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <string_view>

namespace spillover::app {

namespace {

constexpr std::size_t queue_size = 65'536;

constexpr const char* plain_pattern = "%H:%M:%S.%e %^%l%$ %v";
constexpr const char* json_pattern = R"({"ts":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})";

spdlog::level::level_enum level_of(const event& x) {
  if (is_sample(x.what))
    return spdlog::level::trace;
  const auto is_detail =
    std::holds_alternative<queue_changed>(x.what) || std::holds_alternative<books_closed>(x.what);
  return is_detail ? spdlog::level::debug : spdlog::level::info;
}

std::string json_text(std::string_view x) {
  return nlohmann::json(x).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace

run_log::run_log(const std::string& level, bool json) : json_(json) {
  spdlog::init_thread_pool(queue_size, 1);
  auto sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
  logger_ = std::make_shared<spdlog::async_logger>(
    "spillover", std::move(sink), spdlog::thread_pool(), spdlog::async_overflow_policy::block);
  logger_->set_level(spdlog::level::from_str(level));
  logger_->set_pattern(json ? json_pattern : plain_pattern, spdlog::pattern_time_type::utc);
}

run_log::~run_log() {
  logger_->flush();
  logger_.reset();
  spdlog::shutdown();
}

void run_log::log(const event& x) {
  const auto level = level_of(x);
  if (!logger_->should_log(level))
    return;
  const auto site = std::string_view{x.entity}.substr(0, x.entity.find('/'));
  const auto details = fields_text(x);
  const auto ns = x.at.time_since_epoch().count();
  if (json_)
    logger_->log(level, R"("site":{},"emulated_ns":{},"entity":{},"event":"{}","message":{})",
                 json_text(site), ns, json_text(x.entity), kind_of(x), json_text(details));
  else
    logger_->log(level, "[{} +{}.{:03}s] {} {} {}", site, ns / 1'000'000'000, ns / 1'000'000 % 1000,
                 x.entity, kind_of(x), details);
}

void run_log::warn(const std::string& text) {
  say(spdlog::level::warn, text);
}

void run_log::error(const std::string& text) {
  say(spdlog::level::err, text);
}

void run_log::say(int level, const std::string& text) {
  const auto how = static_cast<spdlog::level::level_enum>(level);
  if (json_)
    logger_->log(how, R"("site":"director","message":{})", json_text(text));
  else
    logger_->log(how, "{}", text);
}

} // namespace spillover::app
