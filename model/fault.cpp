#include "model/fault.hpp"

namespace spillover {

namespace {

// A share as a percentage with up to three decimals. Not by printf, whose rounding is not ours.
std::string percent(double share) {
  const auto milli = static_cast<std::uint64_t>(share * 100'000 + 0.5);
  auto text = std::to_string(milli / 1000);
  if (const auto rest = milli % 1000; rest != 0) {
    auto decimals = std::to_string(1000 + rest);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    decimals.front() = '.';
    text += decimals;
  }
  return text + " %";
}

std::string effect_of(const instance_fault& x) {
  auto text = (x.count ? std::to_string(*x.count) : percent(x.fraction)) + ' ';
  text += to_string(x.become);
  if (x.become == ailment::failing)
    text.append(" (").append(percent(x.error_fraction)).append(" ").append(to_string(x.status)) +=
      ')';
  return text;
}

std::string effect_of(const region_fault&) {
  return "out of reach";
}

std::string effect_of(const link_fault& x) {
  std::string text;
  if (x.data)
    text += to_string(plane::data);
  if (x.health)
    text.append(x.data ? " and " : "").append(to_string(plane::health));
  return text + (x.cut ? " cut" : " +" + to_string(x.delay));
}

std::string_view noun_of(const instance_fault&) {
  return "instances ";
}
std::string_view noun_of(const region_fault&) {
  return "region ";
}
std::string_view noun_of(const link_fault&) {
  return "link ";
}

std::string name_of(const instance_fault& x) {
  return x.of;
}
std::string name_of(const region_fault& x) {
  return x.region;
}
std::string name_of(const link_fault& x) {
  return x.from + (x.both ? " <-> " : " -> ") + x.to;
}

} // namespace

std::string to_string(const fault& x) {
  return std::visit(
    [](const auto& what) {
      return std::string{noun_of(what)} + name_of(what) + ": " + effect_of(what);
    },
    x.what);
}

std::string target_of(const fault& x) {
  return std::visit([](const auto& what) { return name_of(what); }, x.what);
}

} // namespace spillover
