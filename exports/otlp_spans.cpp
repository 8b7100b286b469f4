#include "exports/otlp_text.hpp"
#include "model/hash.hpp"

#include <algorithm>
#include <utility>

namespace spillover {

namespace {

// Numbers of SpanKind and of StatusCode in opentelemetry/proto/trace/v1/trace.proto.
constexpr int kind_internal = 1;
constexpr int kind_server = 2;
constexpr int kind_client = 3;
constexpr int status_error = 2;

constexpr int kind_of_hop(hop_kind x) noexcept {
  switch (x) {
    case hop_kind::client_try:
    case hop_kind::balancer_try: return kind_client;
    case hop_kind::service: return kind_server;
    default: return kind_internal;
  }
}

/// @returns the status code that an answer of this kind has; 0 when there is none.
constexpr int http_status(outcome x) noexcept {
  switch (x) {
    case outcome::ok: return 200;
    case outcome::too_many_requests: return 429;
    case outcome::internal_error: return 500;
    case outcome::bad_gateway: return 502;
    case outcome::unavailable: return 503;
    case outcome::gateway_timeout:
    case outcome::lb_timeout: return 504;
    case outcome::client_timeout:
    case outcome::lost: break;
  }
  return 0;
}

class spans_writer {
public:
  spans_writer(const run_export& x, calendar_time start, std::ostream& out)
    : export_(x), index_(x.log), start_(start), json_(out) {
    const auto starts = index_.all<run_started>();
    if (!starts.empty()) {
      const auto& begun = payload_of<run_started>(starts.front());
      seed_ = splitmix64{begun.seed ^ fnv1a_64(begun.name)}();
    }
  }

  void write() {
    json_.text(otlp_spans_mark);
    auto first = true;
    for (const auto& site : export_.log.sites()) {
      json_.text(std::exchange(first, false) ? "\n" : ",\n");
      write_otlp_site(json_, export_, index_, site, "scopeSpans", "spans");
      write_site(site);
      json_.text("]}]}");
    }
    json_.text("\n]}\n");
    json_.end();
  }

private:
  void write_site(std::string_view site) {
    auto first = true;
    for (const auto& request : export_.requests)
      for (std::size_t i = 0; i < request.spans.size(); ++i) {
        if (first_part(request.spans[i].entity) != site)
          continue;
        json_.text(std::exchange(first, false) ? "\n" : ",\n");
        write_span(request, i);
      }
  }

  /// @returns a number that nobody else has, and that is never 0.
  static std::uint64_t id_from(std::uint64_t seed) noexcept {
    const auto result = splitmix64{seed}();
    return result == 0 ? 1 : result;
  }

  void write_span(const request_spans& request, std::size_t place) {
    const auto& x = request.spans[place];
    const auto key = seed_ ^ fnv1a_64(request.consumer) ^ splitmix64 { request.number }();
    const auto span_id = [key](std::size_t i) { return id_from(key + 2 + i); };
    json_.text("{\"traceId\":").hex({id_from(key), id_from(key + 1)});
    json_.text(",\"spanId\":").hex({span_id(place)});
    if (place > 0)
      json_.text(",\"parentSpanId\":").hex({span_id(x.parent)});
    std::string name{to_string(x.kind)};
    std::replace(name.begin(), name.end(), '_', ' ');
    json_.text(",\"name\":").string(name).text(",\"kind\":").integer(kind_of_hop(x.kind));
    json_.text(",\"startTimeUnixNano\":").quoted(unix_nanos(start_, x.from));
    json_.text(",\"endTimeUnixNano\":").quoted(unix_nanos(start_, x.to)).text(",");
    write_attributes(request, x);
    write_status(x);
    json_.text("}");
  }

  void write_attributes(const request_spans& request, const hop_span& x) {
    otlp_attributes to{json_};
    to.add("spillover.consumer", request.consumer).add("spillover.request", request.number);
    to.add("spillover.hop", to_string(x.kind)).add("spillover.entity", x.entity);
    to.add("spillover.outcome", to_string(x.how)).add("spillover.attempt", x.attempt);
    if (is_step(x.kind))
      to.add("spillover.counted_ns", x.counted.count());
    if (x.abandoned)
      to.add_flag("spillover.abandoned", true);
    if (!x.region.empty())
      to.add("cloud.region", x.region);
    if (x.kind == hop_kind::client_try)
      to.add("server.address", request.consumer + "/lb");
    else if (x.kind == hop_kind::balancer_try)
      to.add("server.address", x.region);
    else if (x.kind == hop_kind::service)
      to.add("server.address", x.entity);
    const auto answered = x.kind == hop_kind::request || kind_of_hop(x.kind) != kind_internal;
    if (const auto code = http_status(x.how); answered && !x.abandoned && code != 0)
      to.add("http.response.status_code", code);
    if (x.how != outcome::ok)
      to.add("error.type", to_string(x.how));
    to.end();
  }

  /// Status stays unset where nothing went wrong, and for servers that refuse what is the client's fault.
  void write_status(const hop_span& x) {
    const auto refused = kind_of_hop(x.kind) == kind_server && x.how == outcome::too_many_requests;
    json_.text(",\"status\":{");
    if (x.abandoned || (x.how != outcome::ok && !refused)) {
      json_.text("\"code\":").integer(status_error).text(",\"message\":");
      json_.string(x.abandoned ? "nobody waits for it any more" : to_string(x.how));
    }
    json_.text("}");
  }

  const run_export& export_;
  event_index index_;
  calendar_time start_;
  json_stream json_;
  std::uint64_t seed_ = 0;
};

} // namespace

bool is_region(const event_index& index, std::string_view site) {
  const auto all = index.all<revision_sample>();
  return std::any_of(all.begin(), all.end(),
                     [site](const event* x) { return first_part(x->entity) == site; });
}

void write_otlp_site(json_stream& out, const run_export& x, const event_index& index,
                     std::string_view site, std::string_view scopes, std::string_view list) {
  const auto starts = index.all<run_started>();
  out.text("{\"resource\":{");
  otlp_attributes to{out};
  to.add("service.name", site);
  if (!starts.empty()) {
    const auto& start = payload_of<run_started>(starts.front());
    to.add("service.namespace", start.name).add("spillover.seed", start.seed);
  }
  if (is_region(index, site))
    to.add("cloud.region", site);
  to.end();
  out.text("},\"").text(scopes).text("\":[{").text(otlp_scope_mark).text(",\"version\":");
  const auto space = x.program.find(' ');
  out.string(space == std::string::npos ? std::string_view{}
                                        : std::string_view{x.program}.substr(space + 1));
  out.text("},\"").text(list).text("\":[");
}

void write_otlp_spans(const run_export& x, calendar_time start, std::ostream& out) {
  spans_writer{x, start, out}.write();
}

} // namespace spillover
