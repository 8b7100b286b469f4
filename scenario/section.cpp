#include "scenario/section.hpp"

#include "scenario/values.hpp"

#include <algorithm>
#include <charconv>

namespace spillover {

namespace {

const yaml_node* usable(const yaml_node* x) noexcept {
  return x != nullptr && x->is_mapping() && !x->bad ? x : nullptr;
}

} // namespace

section::section(problem_list& problems, const yaml_node* node, mark at, const yaml_node* base)
  : problems_(&problems),
    node_(usable(node)),
    base_(usable(base)),
    at_(node_ != nullptr   ? node_->at
        : base_ != nullptr ? base_->at
                           : at) {}

section section::at(std::string_view key) const {
  return {*problems_, find(key), at_, base_ == nullptr ? nullptr : base_->find(key)};
}

const yaml_node* section::raw(std::string_view key) const noexcept {
  return node_ == nullptr ? nullptr : node_->find(key);
}

const yaml_node* section::find(std::string_view key) const noexcept {
  const auto* result = raw(key);
  return result == nullptr || result->bad ? nullptr : result;
}

bool section::given(std::string_view key) const noexcept {
  return raw(key) != nullptr || (base_ != nullptr && base_->find(key) != nullptr);
}

std::span<const yaml_node> section::list(std::string_view key) const noexcept {
  const auto* result = find(key);
  return result == nullptr ? std::span<const yaml_node>{} : result->items;
}

std::span<const yaml_member> section::entries(std::string_view key) const noexcept {
  const auto* result = find(key);
  return result == nullptr ? std::span<const yaml_member>{} : result->members;
}

bool section::fine(std::initializer_list<std::string_view> keys) const noexcept {
  return std::all_of(keys.begin(), keys.end(), [this](std::string_view key) {
    const auto* x = raw(key);
    if (x == nullptr && base_ != nullptr)
      x = base_->find(key);
    return x == nullptr || x->clean();
  });
}

bool section::clean() const noexcept {
  return (node_ == nullptr || node_->clean()) && (base_ == nullptr || base_->clean());
}

mark section::place_of(std::string_view key) const noexcept {
  if (const auto* x = raw(key))
    return x->at;
  const auto* x = base_ == nullptr ? nullptr : base_->find(key);
  return x == nullptr ? at_ : x->at;
}

void section::fail(std::string_view key, const std::string& message, std::string_view other) const {
  const bool blame_other = raw(key) == nullptr && !other.empty() && raw(other) != nullptr;
  problems_->add(place_of(blame_other ? other : key), std::string{key} + ": " + message);
}

void section::report(const std::vector<std::string>& reasons) const {
  // Without keys of its own, it is as its base, which was looked at already.
  if (node_ == nullptr)
    return;
  for (const auto& x : reasons)
    problems_->add(place_at(x.substr(0, x.find(':'))), x);
}

mark section::place_at(std::string_view path) const noexcept {
  const auto end = std::min(path.find_first_of(".["), path.size());
  const auto* node = raw(path.substr(0, end));
  if (node == nullptr)
    return place_of(path.substr(0, end));
  // The rest is like "[0].rps"; what is not there leaves the place at what is.
  for (path.remove_prefix(end); !path.empty();) {
    const auto step = path.substr(1, path.find_first_of(".[]", 1) - 1);
    const auto* next = node->find(step);
    if (path.front() == '[') {
      std::size_t index = 0;
      std::from_chars(step.data(), step.data() + step.size(), index);
      next = index < node->items.size() ? &node->items[index] : nullptr;
    }
    if (next == nullptr)
      break;
    node = next;
    path.remove_prefix(std::min(path.size(), step.size() + (path.front() == '[' ? 2 : 1)));
  }
  return node->at;
}

void section::read(std::string_view key, duration& into) const {
  if (const auto* x = find(key))
    into = duration_of(*x);
}

void section::read(std::string_view key, instant& into) const {
  if (const auto* x = find(key))
    into = run_start + duration_of(*x);
}

void section::read(std::string_view key, bool& into) const {
  if (const auto* x = find(key))
    into = x->truth;
}

void section::read(std::string_view key, std::string& into) const {
  if (const auto* x = find(key))
    into = x->text;
}

void section::read(std::string_view key, std::uint32_t& into) const {
  if (const auto* x = find(key))
    into = static_cast<std::uint32_t>(x->integer);
}

void section::read(std::string_view key, std::uint64_t& into) const {
  if (const auto* x = find(key))
    into = static_cast<std::uint64_t>(x->integer);
}

void section::read(std::string_view key, double& into) const {
  if (const auto* x = find(key))
    into = number_of(*x);
}

void section::read(std::string_view key, distribution& into) const {
  const auto* x = find(key);
  if (x == nullptr || !x->clean())
    return;
  if (x->is_text()) {
    into = constant_distribution{duration_of(*x)};
    return;
  }
  const section settings{*problems_, x, at_};
  if (settings.has("exponential")) {
    exponential_distribution result;
    settings.at("exponential").read("mean", result.mean);
    into = result;
  } else if (settings.has("lognormal")) {
    lognormal_distribution result;
    const auto lognormal = settings.at("lognormal");
    lognormal.read("median", result.median);
    lognormal.read("p99", result.p99);
    if (lognormal.has("median") && lognormal.has("p99") && result.p99 < result.median)
      lognormal.fail("p99", "must be at least median (" + to_string(result.median) + "); got "
                              + to_string(result.p99));
    into = result;
  } else {
    empirical_distribution result;
    for (const auto& y : settings.list("empirical"))
      result.values.push_back(duration_of(y));
    into = std::move(result);
  }
}

double number_of(const yaml_node& x) {
  return x.is_text() ? parse_percentage(x.text).value_or(0) : x.number;
}

duration duration_of(const yaml_node& x) {
  return parse_duration(x.text).value_or(duration{});
}

} // namespace spillover
