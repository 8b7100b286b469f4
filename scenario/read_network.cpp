#include "scenario/read.hpp"

#include <map>
#include <utility>

namespace spillover {

namespace {

void read_link(const section& from, link_config& into) {
  from.read("latency", into.latency);
  from.read("jitter", into.jitter);
  from.read("loss", into.loss);
}

link_config& on(link_spec& x, plane which) {
  return x.planes[static_cast<std::size_t>(which)];
}

// The links by their ends; a scenario can have many.
using link_index = std::map<std::pair<std::string, std::string>, std::size_t>;

link_index index_of(const std::vector<link_spec>& links) {
  link_index result;
  for (std::size_t i = 0; i < links.size(); ++i)
    result.emplace(std::pair{links[i].from, links[i].to}, i);
  return result;
}

void lay_over(const section& from, link_spec& link, plane_choice planes) {
  if (planes.data)
    read_link(from, on(link, plane::data));
  if (planes.health)
    read_link(from, on(link, plane::health));
}

// Closest region first, equal ones in the order of the file (B-34); the links follow.
void order_by_latency(scenario_draft& draft) {
  auto& links = draft.result.links;
  std::vector<link_spec> ordered;
  ordered.reserve(links.size());
  std::size_t first = 0;
  for (auto& consumer : draft.result.consumers) {
    // There and back for each region.
    std::vector<std::size_t> there;
    for (std::size_t i = 0; i < consumer.regions.size(); ++i)
      there.push_back(first + 2 * i);
    std::stable_sort(there.begin(), there.end(), [&links](std::size_t a, std::size_t b) {
      const auto round_trip = [&links](std::size_t i) {
        return on(links[i], plane::data).latency + on(links[i + 1], plane::data).latency;
      };
      return round_trip(a) < round_trip(b);
    });
    auto& envoy = consumer.load_balancer.envoy;
    for (auto* by_place : {&envoy.priorities, &envoy.locality_weights}) {
      const auto in_file = *by_place;
      for (std::size_t i = 0; i < in_file.size(); ++i)
        (*by_place)[i] = in_file[(there[i] - first) / 2];
    }
    if (auto& distribution = consumer.load_balancer.distribution) {
      const auto in_file = distribution->regions;
      for (std::size_t i = 0; i < in_file.size(); ++i)
        distribution->regions[i] = in_file[(there[i] - first) / 2];
    }
    first += 2 * consumer.regions.size();
    consumer.regions.clear();
    for (const auto i : there) {
      consumer.regions.push_back(links[i].to);
      ordered.push_back(links[i]);
      ordered.push_back(links[i + 1]);
    }
  }
  links = std::move(ordered);
}

// What `name` may be linked with.
std::vector<std::string> partners(const std::string& name, const scenario_draft& draft) {
  std::vector<std::string> result;
  for (const auto& x : draft.result.consumers) {
    if (x.name == name)
      return x.regions;
    if (contains(x.regions, name))
      result.push_back(x.name);
  }
  return result;
}

bool check_site(const section& from, const std::string& key, const std::string& name, mark place,
                const scenario_draft& draft) {
  if (draft.has_site(name))
    return true;
  if (draft.regions_known && draft.consumers_known)
    from.problems().add(place, key + ": unknown region or consumer \"" + name + "\""
                                 + suggestion(name, draft.site_names(), "known"));
  return false;
}

} // namespace

std::optional<link_ends> read_ends(const section& from, const scenario_draft& draft) {
  link_ends result;
  if (!from.fine({"between", "from", "to"}))
    return std::nullopt;
  std::string key = "from";
  mark places[2] = {from.place(), from.place()};
  if (const auto* between = from.find("between")) {
    for (const auto* extra : {"from", "to"})
      if (from.has(extra))
        from.fail(extra, "stands beside between; use one or the other");
    result = {between->items[0].text, between->items[1].text, true};
    places[0] = between->items[0].at;
    places[1] = between->items[1].at;
    key = "between";
  } else if (from.has("from") && from.has("to")) {
    from.read("from", result.from);
    from.read("to", result.to);
    places[0] = from.find("from")->at;
    places[1] = from.find("to")->at;
  } else {
    return std::nullopt;
  }
  const bool first = check_site(from, key, result.from, places[0], draft);
  const bool second = check_site(from, result.both ? key : "to", result.to, places[1], draft);
  if (!first || !second)
    return std::nullopt;
  const auto others = partners(result.from, draft);
  if (contains(others, result.to))
    return result;
  if (draft.regions_known && draft.consumers_known)
    from.problems().add(places[1], std::string{result.both ? key : "to"} + ": " + result.from
                                     + " has no link with \"" + result.to + "\""
                                     + suggestion(result.to, others, "its links are with"));
  return std::nullopt;
}

plane_choice read_planes(const section& from) {
  std::string name = "data";
  from.read("plane", name);
  return {name != "health", name != "data"};
}

void read_network(const section& root, scenario_draft& draft) {
  const auto network = root.at("network");
  link_spec common;
  read_link(network.at("default"), on(common, plane::data));
  const auto add = [&](const std::string& from, const std::string& to) {
    auto link = common;
    link.from = from;
    link.to = to;
    draft.result.links.push_back(std::move(link));
  };
  for (const auto& consumer : draft.result.consumers) {
    for (const auto& region : consumer.regions) {
      add(consumer.name, region);
      add(region, consumer.name);
    }
  }
  auto& links = draft.result.links;
  const auto index = index_of(links);
  for (const auto& x : network.list("links")) {
    const section entry{root.problems(), &x, x.at};
    const auto ends = read_ends(entry, draft);
    if (!ends)
      continue;
    const auto planes = read_planes(entry);
    lay_over(entry, links[index.at({ends->from, ends->to})], planes);
    if (ends->both)
      lay_over(entry, links[index.at({ends->to, ends->from})], planes);
  }
  order_by_latency(draft);
  for (const auto& x : links)
    for (const auto& config : x.planes)
      network.report(validate(config));
}

} // namespace spillover
