#include "exports/csv_files.hpp"

#include "model/check.hpp"
#include "report/json_text.hpp"

#include <stdexcept>
#include <utility>

namespace spillover {

namespace {

constexpr std::size_t block = 1 << 16;

void append_cell(std::string& out, const table_cell& x) {
  if (const auto* text = std::get_if<std::string_view>(&x))
    append_csv_field(out, *text);
  else if (const auto* number = std::get_if<std::int64_t>(&x))
    append_integer(out, *number);
  else if (const auto* seconds = std::get_if<duration>(&x))
    append_seconds(out, *seconds);
}

} // namespace

void append_seconds(std::string& out, duration x) {
  constexpr std::int64_t giga = 1'000'000'000;
  const auto whole = x.count() / giga;
  auto rest = x.count() % giga;
  if (x.count() < 0) {
    out += '-';
    rest = -rest;
  }
  append_integer(out, whole < 0 ? -whole : whole);
  if (rest == 0)
    return;
  char digits[10] = ".";
  for (auto i = 9; i > 0; --i) {
    digits[i] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  }
  const std::string_view fraction{digits, sizeof(digits)};
  out += fraction.substr(0, fraction.find_last_not_of('0') + 1);
}

csv_files::csv_files(std::filesystem::path folder) : folder_(std::move(folder)) {}

void csv_files::begin(const table_shape& x) {
  end();
  columns_ = x.columns.size();
  file_ = folder_ / (std::string{x.name} + ".csv");
  out_.open(file_, std::ios::binary);
  if (!out_)
    throw std::runtime_error("cannot write " + file_.string());
  for (const auto& column : x.columns) {
    if (!text_.empty())
      text_ += ',';
    text_ += column.name;
  }
  text_ += '\n';
}

void csv_files::row(std::span<const table_cell> cells) {
  SPILLOVER_CHECK(cells.size() == columns_);
  auto first = true;
  for (const auto& x : cells) {
    if (!std::exchange(first, false))
      text_ += ',';
    append_cell(text_, x);
  }
  text_ += '\n';
  if (text_.size() >= block)
    flush();
}

void csv_files::end() {
  if (!out_.is_open())
    return;
  flush();
  out_.close();
  if (!out_)
    throw std::runtime_error("cannot write " + file_.string());
}

void csv_files::flush() {
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

} // namespace spillover
