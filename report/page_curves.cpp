#include "report/page_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace spillover {

namespace {

/// @returns a quotient with at most three decimals, so that files stay small.
page_json number(std::int64_t sum, std::int64_t divisor) {
  if (sum % divisor == 0)
    return sum / divisor;
  return std::round(static_cast<double>(sum) * 1'000 / static_cast<double>(divisor)) / 1'000;
}

/// @returns the list, or the only number that is in it.
page_json list_or_number(page_json list) {
  const auto alike = !list.empty()
                     && std::all_of(list.begin(), list.end(),
                                    [&list](const page_json& x) { return x == list.front(); });
  return alike ? list.front() : list;
}

/// A field of samples, by the name that curves give it.
template <class T>
struct field {
  const char* name = "";
  std::int64_t (*get)(const T&) = nullptr;
  std::int64_t scale = 1;
};

/// The curves of one entity, or of one pair of them.
struct curves {
  page_json names; // what is said of whom
  std::vector<second_values> fields;
};

using curves_by_name = std::map<std::string, curves, std::less<>>;

curves& curves_of(curves_by_name& all, const std::string& key, page_json names,
                  std::size_t field_count, const page_grid& grid) {
  auto& result = all[key];
  if (result.fields.empty()) {
    result.names = std::move(names);
    result.fields.assign(field_count, second_values(grid.seconds));
  }
  return result;
}

/// @returns each group's names with its curves.
template <class T, std::size_t N>
page_json to_json(const page_grid& grid, const curves_by_name& all,
                  const std::array<field<T>, N>& fields) {
  auto result = page_json::array();
  for (const auto& [key, x] : all) {
    auto item = x.names;
    for (std::size_t i = 0; i < N; ++i)
      item[fields[i].name] = curve_json(grid, x.fields[i], fields[i].scale);
    result.push_back(std::move(item));
  }
  return result;
}

template <class T, std::size_t N, class Names>
page_json gather(const event_index& index, const page_grid& grid,
                 const std::array<field<T>, N>& fields, Names names_of) {
  curves_by_name all;
  for (const auto* x : index.all<T>()) {
    const auto second = grid.second_of(x->at);
    if (!second)
      continue;
    const auto& sample = payload_of<T>(x);
    const auto names = names_of(*x, sample);
    auto& to = curves_of(all, names.dump(-1, ' ', true, page_json::error_handler_t::replace), names,
                         N, grid);
    for (std::size_t i = 0; i < N; ++i)
      to.fields[i][*second] += fields[i].get(sample);
  }
  return to_json(grid, all, fields);
}

constexpr std::array<field<revision_sample>, 14> backend_fields{{
  {"arrivals", [](const revision_sample& x) -> std::int64_t { return x.arrivals; }},
  {"completions", [](const revision_sample& x) -> std::int64_t { return x.completions; }},
  {"failures", [](const revision_sample& x) -> std::int64_t { return x.failures; }},
  {"queue", [](const revision_sample& x) -> std::int64_t { return x.queue; }},
  {"queue_peak", [](const revision_sample& x) -> std::int64_t { return x.queue_peak; }},
  {"recommended", [](const revision_sample& x) -> std::int64_t { return x.recommended; }},
  {"starting", [](const revision_sample& x) -> std::int64_t { return x.starting; }},
  {"ready", [](const revision_sample& x) -> std::int64_t { return x.ready; }},
  {"deprioritised", [](const revision_sample& x) -> std::int64_t { return x.deprioritised; }},
  {"draining", [](const revision_sample& x) -> std::int64_t { return x.draining; }},
  {"crashed", [](const revision_sample& x) -> std::int64_t { return x.crashed; }},
  {"concurrency",
   [](const revision_sample& x) -> std::int64_t {
     return static_cast<std::int64_t>(x.concurrency_milli);
   },
   1'000},
  {"cpu",
   [](const revision_sample& x) -> std::int64_t { return static_cast<std::int64_t>(x.cpu_milli); },
   1'000},
  {"billed",
   [](const revision_sample& x) -> std::int64_t {
     return static_cast<std::int64_t>(x.billed_milli + x.billed_idle_milli);
   },
   1'000},
}};

constexpr std::array<field<share_sample>, 2> revision_fields{{
  {"arrivals", [](const share_sample& x) -> std::int64_t { return x.arrivals; }},
  {"failures", [](const share_sample& x) -> std::int64_t { return x.failures; }},
}};

constexpr std::array<field<attempt_sample>, 1> traffic_fields{{
  {"sent", [](const attempt_sample& x) -> std::int64_t { return x.sent; }},
}};

constexpr std::array<field<subscription_sample>, 2> subscription_fields{{
  {"backlog",
   [](const subscription_sample& x) -> std::int64_t {
     return static_cast<std::int64_t>(x.backlog);
   }},
  {"oldest_age_s",
   [](const subscription_sample& x) -> std::int64_t {
     return static_cast<std::int64_t>(x.oldest_age_ms);
   },
   1'000},
}};

page_json requests_json(const event_index& index, const page_grid& grid) {
  struct totals {
    second_values started, retried;
    std::array<second_values, outcome_count> ended;
  };
  std::map<std::string, totals, std::less<>> all;
  for (const auto* x : index.all<client_sample>()) {
    const auto second = grid.second_of(x->at);
    if (!second)
      continue;
    const auto& sample = payload_of<client_sample>(x);
    auto& to = all[std::string{first_part(x->entity)}];
    for (auto* values : {&to.started, &to.retried})
      values->resize(grid.seconds);
    to.started[*second] += sample.started;
    to.retried[*second] += sample.retried;
    for (std::size_t i = 0; i < outcome_count; ++i) {
      to.ended[i].resize(grid.seconds);
      to.ended[i][*second] += sample.ended[i];
    }
  }
  auto result = page_json::array();
  for (const auto& [consumer, x] : all) {
    page_json item{{"consumer", consumer},
                   {"started", curve_json(grid, x.started)},
                   {"retried", curve_json(grid, x.retried)}};
    // Ways to end that nothing took are left out.
    for (std::size_t i = 0; i < outcome_count; ++i)
      if (i == 0
          || std::any_of(x.ended[i].begin(), x.ended[i].end(), [](auto n) { return n != 0; }))
        item["ended"][std::string{to_string(static_cast<outcome>(i))}] =
          curve_json(grid, x.ended[i]);
    result.push_back(std::move(item));
  }
  return result;
}

/// @returns how many different senders of samples of this kind there are.
template <class T>
std::size_t entities(const event_index& index) {
  std::vector<std::string_view> names;
  for (const auto* x : index.all<T>())
    names.emplace_back(x->entity);
  std::sort(names.begin(), names.end());
  return static_cast<std::size_t>(std::unique(names.begin(), names.end()) - names.begin());
}

/// @returns about how many curves there are, each of three lists.
std::size_t curve_count(const event_index& index) {
  return entities<revision_sample>(index) * backend_fields.size()
         + entities<share_sample>(index) * revision_fields.size()
         + entities<attempt_sample>(index) * 3 + entities<client_sample>(index) * 8
         + entities<subscription_sample>(index) * subscription_fields.size();
}

} // namespace

std::int64_t microseconds(instant x) noexcept {
  return std::chrono::floor<std::chrono::microseconds>(x.time_since_epoch()).count();
}

std::optional<std::size_t> page_grid::second_of(instant recorded) const noexcept {
  constexpr duration second = std::chrono::seconds{1};
  if (recorded <= run_start)
    return std::nullopt;
  const auto result = static_cast<std::size_t>((recorded - run_start - duration{1}) / second);
  return result < seconds ? std::optional{result} : std::nullopt;
}

page_grid make_grid(std::size_t seconds, std::size_t points) {
  const auto most = std::max<std::size_t>(points, 1);
  return {seconds, std::max<std::size_t>((seconds + most - 1) / most, 1)};
}

page_json curve_json(const page_grid& grid, std::span<const std::int64_t> values,
                     std::int64_t scale) {
  auto mean = page_json::array();
  auto lo = page_json::array();
  auto hi = page_json::array();
  for (std::size_t from = 0; from < values.size(); from += grid.step) {
    const auto part = values.subspan(from, std::min(grid.step, values.size() - from));
    std::int64_t sum = 0;
    for (const auto x : part)
      sum += x;
    const auto [least, most] = std::minmax_element(part.begin(), part.end());
    mean.push_back(number(sum, scale * static_cast<std::int64_t>(part.size())));
    lo.push_back(number(*least, scale));
    hi.push_back(number(*most, scale));
  }
  page_json result{{"mean", list_or_number(std::move(mean))}};
  if (grid.step > 1) {
    result["lo"] = list_or_number(std::move(lo));
    result["hi"] = list_or_number(std::move(hi));
  }
  return result;
}

page_json curves_json(const event_index& index, const page_limits& limits) {
  constexpr duration second = std::chrono::seconds{1};
  const auto spans = (index.run_end() - run_start + second - duration{1}) / second;
  const auto seconds = static_cast<std::size_t>(std::max<std::int64_t>(spans, 0));
  const auto lists = std::max<std::size_t>(curve_count(index) * 3, 1);
  const auto grid = make_grid(seconds, std::min(limits.points, limits.numbers / lists));
  page_json result{
    {"grid", {{"seconds", grid.seconds}, {"step", grid.step}, {"points", grid.points()}}}};
  result["traffic"] =
    gather(index, grid, traffic_fields, [](const event& x, const attempt_sample& sample) {
      return page_json{{"consumer", first_part(x.entity)}, {"region", sample.region}};
    });
  result["requests"] = requests_json(index, grid);
  result["backends"] =
    gather(index, grid, backend_fields, [](const event& x, const revision_sample&) {
      return page_json{{"entity", x.entity}, {"region", first_part(x.entity)}};
    });
  result["revisions"] =
    gather(index, grid, revision_fields, [](const event& x, const share_sample&) {
      return page_json{{"entity", x.entity}};
    });
  result["subscriptions"] =
    gather(index, grid, subscription_fields, [](const event& x, const subscription_sample& sample) {
      return page_json{{"consumer", first_part(x.entity)}, {"load", sample.load}};
    });
  result["latency"] = latency_json(index, grid, limits);
  return result;
}

} // namespace spillover
