#include "exports/otlp_text.hpp"
#include "exports/series.hpp"
#include "model/histogram.hpp"

#include <initializer_list>
#include <utility>

namespace spillover {

namespace {

// Each point counts what its step had: 1 is AGGREGATION_TEMPORALITY_DELTA in
// opentelemetry/proto/metrics/v1/metrics.proto.
constexpr std::string_view delta = R"("aggregationTemporality":1,)";
constexpr std::string_view growing = R"("aggregationTemporality":1,"isMonotonic":true,)";

/// Buckets of a latency are put together by powers of two: 64 each, from 1 us on.
constexpr std::uint32_t buckets_in_one = 64;
constexpr std::uint32_t most_buckets = latency_histogram::bucket_count / buckets_in_one;

struct metric_words {
  std::string_view name;
  std::string_view unit;
  std::string_view description;
};

class metrics_writer {
public:
  metrics_writer(const run_export& x, calendar_time start, std::ostream& out)
    : export_(x), index_(x.log), start_(start), json_(out) {}

  void write() {
    const auto nameless = [](const auto&) { return std::string_view{}; };
    requests_ = steps_of<client_sample>(export_, index_, nameless);
    tries_ = steps_of<attempt_sample>(
      export_, index_, [](const attempt_sample& y) -> std::string_view { return y.region; });
    backends_ = steps_of<revision_sample>(export_, index_, nameless);
    json_.text(otlp_metrics_mark);
    auto first = true;
    for (const auto& site : export_.log.sites()) {
      json_.text(std::exchange(first, false) ? "\n" : ",\n");
      write_otlp_site(json_, export_, index_, site, "scopeMetrics", "metrics");
      write_site(site);
      json_.text("]}]}");
    }
    json_.text("\n]}\n");
    json_.end();
  }

private:
  void write_site(std::string_view site) {
    first_metric_ = true;
    write_requests(site);
    write_latency(site);
    write_tries(site);
    write_instances(site);
    write_queue(site);
  }

  /// Begins a metric, up to its points.
  void begin(const metric_words& x, std::string_view kind, std::string_view more) {
    json_.text(std::exchange(first_metric_, false) ? "\n" : ",\n").text("{\"name\":");
    json_.string(x.name).text(",\"unit\":").string(x.unit).text(",\"description\":");
    json_.string(x.description).text(",\"").text(kind).text("\":{").text(more);
    json_.text("\"dataPoints\":[");
    first_point_ = true;
  }
  void end() { json_.text("]}}"); }

  /// Begins a point of a step, with the time that its samples are of, and attributes.
  template <class T>
  void point(const step_samples<T>& step,
             std::initializer_list<std::pair<std::string_view, std::string_view>> attributes) {
    json_.text(std::exchange(first_point_, false) ? "\n{" : ",\n{");
    json_.text("\"startTimeUnixNano\":").quoted(unix_nanos(start_, step.from));
    json_.text(",\"timeUnixNano\":");
    json_.quoted(unix_nanos(start_, step.to)).text(",");
    otlp_attributes to{json_};
    for (const auto& [key, value] : attributes)
      to.add(key, value);
    to.end();
  }

  void value(std::uint64_t x) { json_.text(",\"asInt\":").quoted(x).text("}"); }

  void write_requests(std::string_view site) {
    begin({"spillover.requests", "{request}", "Requests of clients that ended"}, "sum", growing);
    for (const auto& [key, step] : requests_) {
      const auto entity = std::get<1>(key);
      if (first_part(entity) == site)
        write_ended(step, {});
    }
    end();
  }

  void write_tries(std::string_view site) {
    begin({"spillover.tries", "{request}", "Tries of the load balancer that ended"}, "sum",
          growing);
    for (const auto& [key, step] : tries_) {
      const auto& [from, entity, region] = key;
      if (first_part(entity) == site)
        write_ended(step, region);
    }
    end();
  }

  /// A point for each way to end that something took.
  template <class T>
  void write_ended(const step_samples<T>& step, std::string_view region) {
    const auto ended = ended_of(step.samples);
    for (std::size_t i = 0; i < ended.size(); ++i) {
      if (ended[i] == 0)
        continue;
      const auto how = to_string(static_cast<outcome>(i));
      if (region.empty())
        point(step, {{"spillover.outcome", how}});
      else
        point(step, {{"spillover.outcome", how}, {"server.address", region}});
      value(ended[i]);
    }
  }

  void write_latency(std::string_view site) {
    begin({"spillover.request.duration", "s", "Latency of requests that were answered"},
          "histogram", delta);
    for (const auto& [key, step] : requests_) {
      const auto entity = std::get<1>(key);
      if (first_part(entity) != site)
        continue;
      std::array<std::uint64_t, most_buckets + 1> counts{};
      std::uint64_t all = 0;
      for (const auto* x : step.samples)
        for (const auto& [bucket, count] : x->latency) {
          counts[bucket / buckets_in_one] += count;
          all += count;
        }
      point(step, {});
      json_.text(",\"count\":").quoted(all).text(",\"bucketCounts\":[");
      for (std::size_t i = 0; i < counts.size(); ++i)
        json_.text(i == 0 ? "" : ",").quoted(counts[i]);
      json_.text("],\"explicitBounds\":[");
      write_bounds();
      json_.text("]}");
    }
    end();
  }

  /// Seconds as decimal numbers; a bucket of ours ends below its bound, one of OTLP at it.
  void write_bounds() {
    for (std::uint32_t i = 0; i < most_buckets; ++i) {
      const auto bound = latency_histogram::upper_bound((i + 1) * buckets_in_one - 1);
      const auto rest = bound.count() % 1'000'000'000;
      std::string digits = std::to_string(1'000'000'000 + rest);
      digits.front() = '.';
      json_.text(i == 0 ? "" : ",").integer(bound.count() / 1'000'000'000).text(digits);
    }
  }

  void write_instances(std::string_view site) {
    begin({"spillover.instances", "{instance}", "Instances by state, at the end of a step"},
          "gauge", "");
    for (const auto& [key, step] : backends_) {
      const auto entity = std::get<1>(key);
      if (first_part(entity) != site)
        continue;
      const auto& last = *step.samples.back();
      // Named once more, because C++20 as clang 14 has it lets no lambda refer to a structured binding.
      const auto add = [&, &seconds = step](std::string_view state, std::uint32_t count) {
        point(seconds, {{"spillover.backend", entity}, {"spillover.state", state}});
        value(count);
      };
      add("starting", last.starting);
      add("ready", last.ready);
      add("deprioritised", last.deprioritised);
      add("draining", last.draining);
      add("crashed", last.crashed);
    }
    end();
  }

  void write_queue(std::string_view site) {
    begin({"spillover.queue.length", "{request}", "Requests that wait, at the end of a step"},
          "gauge", "");
    for (const auto& [key, step] : backends_) {
      const auto entity = std::get<1>(key);
      if (first_part(entity) != site)
        continue;
      point(step, {{"spillover.backend", entity}});
      value(step.samples.back()->queue);
    }
    end();
  }

  const run_export& export_;
  event_index index_;
  calendar_time start_;
  json_stream json_;
  sampled_steps<client_sample> requests_;
  sampled_steps<attempt_sample> tries_;
  sampled_steps<revision_sample> backends_;
  bool first_metric_ = true;
  bool first_point_ = true;
};

} // namespace

void write_otlp_metrics(const run_export& x, calendar_time start, std::ostream& out) {
  metrics_writer{x, start, out}.write();
}

} // namespace spillover
