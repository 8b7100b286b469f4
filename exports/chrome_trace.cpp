#include "exports/chrome_trace.hpp"

#include "exports/json_stream.hpp"
#include "exports/series.hpp"
#include "exports/trace_times.hpp"
#include "exports/trace_tracks.hpp"
#include "report/event_details.hpp"
#include "report/format.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace spillover {

namespace {

/// Where events of a kind are shown; what stands nowhere is left out.
constexpr std::pair<std::string_view, std::string_view> tracks_of_events[] = {
  {"run_started", "run"},
  {"run_ended", "run"},
  {"run_stopped", "run"},
  {"site_joined", "run"},
  {"site_lost", "run"},
  {"site_returned", "run"},
  {"operator_acted", "run"},
  {"fault_started", "faults"},
  {"fault_ended", "faults"},
  {"fault_applied", "faults"},
  {"instance_afflicted", "faults"},
  {"instance_changed", "instances"},
  {"readiness_changed", "health"},
  {"endpoint_changed", "health"},
  {"auto_healing_judged", "health"},
  {"source_changed", "health"},
  {"composite_changed", "health"},
  {"neg_changed", "health"},
  {"endpoints_seen", "health"},
  {"outlier_changed", "routing"},
  {"connection_changed", "routing"},
  {"routing_changed", "routing"},
  {"first_request", "routing"},
  {"scaling_decided", "scaling"},
  {"start_denied", "scaling"},
  {"queue_changed", "scaling"},
  {"path_changed", "scaling"},
  {"action_taken", "actions"},
  {"rollout_stepped", "actions"},
  {"traffic_changed", "actions"},
};

std::string_view track_of(const event& x) {
  // An autoscaler decides every few seconds, and most decisions change nothing.
  if (const auto* decided = std::get_if<scaling_decided>(&x.what))
    if (decided->before == decided->after)
      return {};
  const auto kind = kind_of(x);
  const auto* const found = std::find_if(std::begin(tracks_of_events), std::end(tracks_of_events),
                                         [kind](const auto& y) { return y.first == kind; });
  return found == std::end(tracks_of_events) ? std::string_view{} : found->second;
}

/// @returns the path below the site.
std::string_view below_site(std::string_view path) {
  const auto slash = path.find('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

class trace_writer {
public:
  trace_writer(const run_export& x, std::ostream& out)
    : export_(x), index_(x.log), times_(last_time(x)), json_(out) {}

  void write() {
    write_head();
    for (const auto& site : export_.log.sites())
      tracks_.process(site);
    write_requests();
    write_faults();
    write_events();
    write_backends();
    write_consumers();
    write_names();
    json_.text("\n]}\n");
    json_.end();
  }

private:
  void write_head() {
    const auto starts = index_.all<run_started>();
    json_.text(chrome_trace_mark);
    json_.text("\",\"program\":").string(export_.program);
    if (!starts.empty()) {
      const auto& start = payload_of<run_started>(starts.front());
      json_.text(",\"name\":").string(start.name).text(",\"seed\":").integer(start.seed);
    }
    json_.text("},\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
  }

  /// Begins an event; the caller adds what is particular to it, and ends it by "}".
  json_stream& event_of(std::string_view phase, std::string_view name, track_place where,
                        instant at) {
    json_.text(std::exchange(first_, false) ? "\n" : ",\n");
    json_.text("{\"ph\":").string(phase).text(",\"name\":").string(name);
    json_.text(",\"pid\":").integer(where.process).text(",\"tid\":").integer(where.thread);
    return json_.text(",\"ts\":").number(times_.at(at));
  }

  /// @returns the latest time that the trace can show.
  static duration last_time(const run_export& x) {
    auto result = x.log.events().empty() ? run_start : x.log.events().back().at;
    for (const auto& request : x.requests)
      result = std::max(result, request.root().to);
    return result.time_since_epoch();
  }

  /// Begins a span, which the caller ends by "}". One of no length is an instant: viewers close at an
  /// instant before they open, and would find nothing to close.
  void span_of(std::string_view name, track_place where, instant from, instant to) {
    if (from == to)
      event_of("i", name, where, from).text(",\"s\":\"t\"");
    else
      event_of("X", name, where, from).text(",\"dur\":").number(times_.between(from, to));
  }

  void write_slice(const hop_span& x, const request_spans& of, std::string_view name,
                   track_place where) {
    span_of(name, where, x.from, x.to);
    json_.text(",\"cat\":")
      .string(x.parent == 0 && x.kind == hop_kind::request ? "request" : "hop");
    json_.text(",\"args\":{\"consumer\":").string(of.consumer);
    json_.text(",\"request\":").integer(of.number).text(",\"entity\":").string(x.entity);
    if (!x.region.empty())
      json_.text(",\"region\":").string(x.region);
    json_.text(",\"outcome\":").string(to_string(x.how)).text(",\"attempt\":").integer(x.attempt);
    if (x.abandoned)
      json_.text(",\"abandoned\":true");
    if (is_step(x.kind))
      json_.text(",\"counted_ns\":").integer(x.counted.count());
    json_.text("}}");
  }

  static std::string name_of(const hop_span& x, const request_spans& of) {
    std::string result{to_string(x.kind)};
    std::replace(result.begin(), result.end(), '_', ' ');
    if (x.kind == hop_kind::request)
      return result + " " + thousands(of.number);
    if (x.kind == hop_kind::balancer_try)
      return "try in " + x.region;
    return result;
  }

  void write_requests() {
    const auto places = tracks_.place(export_.requests);
    for (std::size_t i = 0; i < export_.requests.size(); ++i) {
      const auto& request = export_.requests[i];
      for (std::size_t j = 0; j < request.spans.size(); ++j)
        write_slice(request.spans[j], request, name_of(request.spans[j], request), places[i][j]);
      write_flows(request, places[i]);
    }
  }

  /// An arrow from each span to the next one that another site has.
  void write_flows(const request_spans& request, const std::vector<track_place>& places) {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < request.spans.size(); ++i) {
      const auto& x = request.spans[i];
      if (!is_step(x.kind) || x.parent == 0)
        continue;
      const auto same_try = last && request.spans[*last].parent == x.parent;
      if (same_try && places[*last] != places[i] && request.spans[*last].to == x.from) {
        ++flows_;
        // Within the earlier slice, since its end belongs to what comes next.
        write_flow("s", request.spans[*last].from, places[*last]);
        write_flow("f", x.from, places[i]);
      }
      last = i;
    }
  }

  void write_flow(std::string_view phase, instant at, track_place where) {
    event_of(phase, "way", where, at).text(",\"cat\":\"way\",\"id\":").integer(flows_);
    json_.text(phase == "f" ? ",\"bp\":\"e\"}" : "}");
  }

  /// A fault is a span from its beginning to its end, or to the run's.
  void write_faults() {
    std::vector<std::pair<instant, instant>> spans;
    std::vector<const event*> begun;
    for (const auto* x : index_.all<fault_started>()) {
      auto end = index_.run_end();
      for (const auto* y : index_.effects_of(x->id))
        if (std::holds_alternative<fault_ended>(y->what))
          end = y->at;
      if (!export_.window.meets(x->at, end))
        continue;
      begun.push_back(x);
      spans.emplace_back(x->at, end);
    }
    const auto places = tracks_.place(export_.log.sites().front(), "faults that last", spans);
    for (std::size_t i = 0; i < begun.size(); ++i) {
      const auto& fault = payload_of<fault_started>(begun[i]);
      span_of(fault.what, places[i], spans[i].first, spans[i].second);
      json_.text(",\"cat\":\"fault\",\"args\":");
      write_details(*begun[i]);
      json_.text("}");
    }
  }

  void write_details(const event& x) {
    details_.clear();
    append_event_details(details_, x);
    json_.text(details_);
  }

  void write_events() {
    for (const auto& x : export_.log.events()) {
      const auto track = track_of(x);
      if (track.empty() || !export_.window.holds(x.at))
        continue;
      const auto where = tracks_.thread(first_part(x.entity), track);
      const auto name = std::string{kind_of(x)} + " " + std::string{below_site(x.entity)};
      event_of("i", name, where, x.at).text(",\"s\":\"t\",\"cat\":\"event\",\"args\":");
      write_details(x);
      json_.text("}");
    }
  }

  /// Counts of a second, or of several.
  void write_counter(std::string_view site, const std::string& name, instant at,
                     std::initializer_list<std::pair<std::string_view, std::int64_t>> values) {
    event_of("C", name, {tracks_.process(site), 0}, at).text(",\"args\":{");
    auto first = true;
    for (const auto& [key, value] : values) {
      json_.text(std::exchange(first, false) ? "" : ",").string(key).text(":").integer(value);
    }
    json_.text("}}");
  }

  /// @returns a count of a step as one a second, rounded to the nearest.
  [[nodiscard]] std::int64_t per_second(std::uint64_t count, std::size_t seconds) const {
    return static_cast<std::int64_t>((count + seconds / 2) / seconds);
  }

  void write_backends() {
    const auto all = steps_of<revision_sample>(
      export_, index_, [](const revision_sample&) { return std::string_view{}; });
    for (const auto& [key, step] : all) {
      const auto& samples = step.samples;
      const auto entity = std::get<1>(key);
      const auto& last = *samples.back();
      const auto site = first_part(entity);
      const std::string name{below_site(entity)};
      // Counts of instances are those at the end.
      const auto end = step.to;
      write_counter(site, name + " instances", end,
                    {{"ready", last.ready},
                     {"deprioritised", last.deprioritised},
                     {"starting", last.starting},
                     {"draining", last.draining},
                     {"crashed", last.crashed}});
      write_counter(site, name + " queue", end, {{"waiting", last.queue}});
      write_counter(
        site, name + " arrivals per second", step.from,
        {{"arrivals", per_second(sum(samples, &revision_sample::arrivals), samples.size())}});
    }
  }

  void write_consumers() {
    const auto all = steps_of<client_sample>(
      export_, index_, [](const client_sample&) { return std::string_view{}; });
    for (const auto& [key, step] : all) {
      const auto& samples = step.samples;
      const auto entity = std::get<1>(key);
      const auto ended = ended_of(samples);
      std::uint64_t failed = 0;
      for (std::size_t i = 1; i < ended.size(); ++i)
        failed += ended[i];
      write_counter(first_part(entity), "answers per second", step.from,
                    {{"ok", per_second(ended[0], samples.size())},
                     {"failed", per_second(failed, samples.size())}});
    }
    const auto tries = steps_of<attempt_sample>(
      export_, index_, [](const attempt_sample& y) -> std::string_view { return y.region; });
    for (const auto& [key, step] : tries) {
      const auto& samples = step.samples;
      const auto& [grid, entity, region] = key;
      write_counter(first_part(entity), "tries per second to " + std::string{region}, step.from,
                    {{"sent", per_second(sum(samples, &attempt_sample::sent), samples.size())}});
    }
  }

  void write_names() {
    for (const auto& [where, name] : tracks_.names()) {
      const auto of_process = where.thread == 0;
      event_of("M", of_process ? "process_name" : "thread_name", where, run_start);
      json_.text(",\"args\":{\"name\":").string(name).text("}}");
      event_of("M", of_process ? "process_sort_index" : "thread_sort_index", where, run_start);
      json_.text(",\"args\":{\"sort_index\":");
      json_.integer(of_process ? where.process : where.thread).text("}}");
    }
  }

  const run_export& export_;
  event_index index_;
  trace_times times_;
  json_stream json_;
  trace_tracks tracks_;
  std::string details_;
  std::uint64_t flows_ = 0;
  bool first_ = true;
};

} // namespace

void write_chrome_trace(const run_export& x, std::ostream& out) {
  trace_writer{x, out}.write();
}

} // namespace spillover
