#include "model/fault.hpp"

namespace spillover {

namespace {

// A number with up to three decimals. Not by printf, whose rounding is not ours.
std::string number(double x) {
  const auto milli = static_cast<std::uint64_t>(x * 1000 + 0.5);
  auto text = std::to_string(milli / 1000);
  if (const auto rest = milli % 1000; rest != 0) {
    auto decimals = std::to_string(1000 + rest);
    decimals.erase(decimals.find_last_not_of('0') + 1);
    decimals.front() = '.';
    text += decimals;
  }
  return text;
}

std::string percent(double share) {
  return number(share * 100) + " %";
}

std::string effect_of(const symptom& x) {
  std::string text{to_string(x.become)};
  switch (x.become) {
    case ailment::failing:
      text.append(" (").append(percent(x.error_fraction)).append(" ").append(to_string(x.status));
      text += ')';
      break;
    case ailment::slow:
    case ailment::slow_starting: text += " (x " + number(x.factor) + ")"; break;
    case ailment::waiting: text += " (+" + to_string(x.by) + ")"; break;
    case ailment::leaking: text += " (" + number(x.vcpu_per_minute) + " vCPU a minute)"; break;
    case ailment::crashed:
    case ailment::silent:
    case ailment::hung:
    case ailment::unstartable: break;
  }
  if (x.affects != affected_part::both)
    text.append(" to ").append(to_string(x.affects));
  return text;
}

std::string effect_of(const instance_fault& x) {
  const auto share = x.count ? std::to_string(*x.count) : percent(x.fraction);
  const auto starts = is_of_starts(x.suffer.become) ? " of starts " : " ";
  return share + starts + effect_of(x.suffer);
}

std::string effect_of(const zone_fault& x) {
  return std::string{to_string(x.become)};
}

std::string effect_of(const region_fault& x) {
  return x.become == ailment::crashed ? "crashed and out of reach" : "out of reach";
}

std::string effect_of(const link_fault& x) {
  std::string text;
  if (x.data)
    text += to_string(plane::data);
  if (x.health)
    text.append(x.data ? " and " : "").append(to_string(plane::health));
  const auto& how = x.suffer;
  switch (how.become) {
    case link_ailment::cut: return text + " cut";
    case link_ailment::delayed: return text + " +" + to_string(how.by);
    case link_ailment::jittery: return text + " jittery (up to +" + to_string(how.by) + ")";
    case link_ailment::lossy: return text + " loses " + percent(how.share);
    case link_ailment::duplicating: return text + " duplicates " + percent(how.share);
    case link_ailment::reordering:
      return text + " holds back " + percent(how.share) + " for " + to_string(how.by);
    case link_ailment::limited:
      return text + " limited to " + std::to_string(how.per_second) + "/s";
  }
  return text;
}

std::string effect_of(const prober_fault& x) {
  return (x.count ? std::to_string(*x.count) : std::string{"all"})
         + (x.become == prober_ailment::lost ? " lost" : " cut off");
}

std::string effect_of(const quota_fault& x) {
  std::string text;
  if (x.starts_per_minute)
    text += std::to_string(*x.starts_per_minute) + " starts a minute";
  if (x.instances)
    text += (text.empty() ? "" : ", ") + std::to_string(*x.instances) + " instances";
  return "at most " + text;
}

std::string effect_of(const consumer_fault&) {
  return "cut off";
}

std::string effect_of(const clock_fault& x) {
  return x.ahead < duration::zero() ? to_string(-x.ahead) + " behind"
                                    : to_string(x.ahead) + " ahead";
}

std::string effect_of(const balancer_fault& x) {
  return percent(x.error_fraction) + " of requests end as " + std::string{to_string(x.status)};
}

std::string_view noun_of(const instance_fault&) {
  return "instances ";
}
std::string_view noun_of(const zone_fault&) {
  return "zone ";
}
std::string_view noun_of(const region_fault&) {
  return "region ";
}
std::string_view noun_of(const link_fault&) {
  return "link ";
}
std::string_view noun_of(const prober_fault&) {
  return "probers ";
}
std::string_view noun_of(const quota_fault&) {
  return "quota ";
}
std::string_view noun_of(const consumer_fault&) {
  return "consumer ";
}
std::string_view noun_of(const clock_fault&) {
  return "clock ";
}
std::string_view noun_of(const balancer_fault&) {
  return "load balancer ";
}

std::string name_of(const instance_fault& x) {
  return x.of;
}
std::string name_of(const zone_fault& x) {
  return x.region + "-" + x.zone;
}
std::string name_of(const region_fault& x) {
  return x.region;
}
std::string name_of(const link_fault& x) {
  return x.from + (x.both ? " <-> " : " -> ") + x.to;
}
std::string name_of(const prober_fault& x) {
  return x.of;
}
std::string name_of(const quota_fault& x) {
  return x.of;
}
std::string name_of(const consumer_fault& x) {
  return x.consumer;
}
std::string name_of(const clock_fault& x) {
  return x.site;
}
std::string name_of(const balancer_fault& x) {
  return x.consumer;
}

} // namespace

std::string to_string(const fault& x) {
  auto text = std::visit(
    [](const auto& what) {
      return std::string{noun_of(what)} + name_of(what) + ": " + effect_of(what);
    },
    x.what);
  if (x.flap)
    text += ", " + to_string(x.flap->down) + " of every " + to_string(x.flap->period);
  return text;
}

std::string target_of(const fault& x) {
  return std::visit([](const auto& what) { return name_of(what); }, x.what);
}

} // namespace spillover
