#include "sites/inheritance.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

namespace spillover {

namespace {

constexpr std::string_view ending = ".spill";

/// @returns the start of the process that a spill file of a site belongs to, if it is one.
std::optional<std::uint64_t> start_in(std::string_view name, std::string_view site) {
  if (name.size() <= site.size() + 1 + ending.size() || !name.starts_with(site)
      || name[site.size()] != '.' || !name.ends_with(ending))
    return std::nullopt;
  name.remove_prefix(site.size() + 1);
  name.remove_suffix(ending.size());
  std::uint64_t result = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), result);
  return error == std::errc{} && rest == name.data() + name.size() ? std::optional{result}
                                                                   : std::nullopt;
}

} // namespace

std::filesystem::path spill_path(const std::filesystem::path& folder, std::string_view site,
                                 std::uint64_t start) {
  return folder / std::string{site}.append(".").append(std::to_string(start)).append(ending);
}

inheritance::inheritance(std::filesystem::path folder, std::string site, std::uint64_t start)
  : folder_(std::move(folder)), site_(std::move(site)), start_(start) {}

void inheritance::look() {
  std::error_code ignored; // a folder that cannot be read holds nothing for us
  for (const auto& x : std::filesystem::directory_iterator{folder_, ignored}) {
    const auto process = start_in(x.path().filename().string(), site_);
    const auto known = std::any_of(left_.begin(), left_.end(),
                                   [&](const estate& y) { return y.process == process; });
    if (!process || *process >= start_ || known)
      continue;
    if (auto lines = net::spill_file::take_over(x.path()))
      left_.push_back({*process, std::move(lines)});
  }
}

std::optional<remains_message> inheritance::next() {
  while (!under_way_ && !left_.empty()) {
    auto& x = left_.front();
    remains_message result{x.process, {}};
    if (x.lines->last() != 0 && (!x.through || x.lines->read(*x.through, result.batch))) {
      under_way_ = true;
      return result;
    }
    left_.pop_front();
  }
  return std::nullopt;
}

void inheritance::answered(std::uint64_t through) {
  under_way_ = false;
  if (left_.empty())
    return;
  auto& x = left_.front();
  x.through = std::max(x.through.value_or(0), through);
  x.lines->acknowledge(*x.through);
}

void inheritance::refused() {
  if (!left_.empty())
    answered(left_.front().lines->last());
}

} // namespace spillover
