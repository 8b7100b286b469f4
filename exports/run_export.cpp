#include "exports/run_export.hpp"

#include "exports/table_rows.hpp"
#include "report/event_details.hpp"
#include "report/expectation.hpp"

#include <utility>

namespace spillover {

namespace {

using enum cell_type;

constexpr table_column run_columns[] = {
  {"schema_version"},
  {"program", text},
  {"name", text},
  {"description", text},
  {"seed"},
  {"lasts_ns"},
  {"lasts_s", seconds},
  {"warm_up_ns"},
  {"warm_up_s", seconds},
  {"ended_ns"},
  {"ended_s", seconds},
  {"complete"},
  {"from_ns"},
  {"from_s", seconds},
  {"to_ns"},
  {"to_s", seconds},
  {"step_ns"},
  {"step_s", seconds},
  {"verdict", text},
};

constexpr table_column events_columns[] = {
  {"nr"},
  {"id", text},
  {"at_ns"},
  {"at_s", seconds},
  {"site", text},
  {"entity", text},
  {"kind", text},
  {"cause", text, true},
  {"details", text},
};

constexpr table_column kept_columns[] = {
  {"consumer", text}, {"request"},
  {"intended_ns"},    {"intended_s", seconds},
  {"ended_ns"},       {"ended_s", seconds},
  {"latency_ns"},     {"latency_s", seconds},
  {"outcome", text},  {"tries"},
  {"kept_as", text},
};

constexpr table_column hops_columns[] = {
  {"consumer", text},
  {"request"},
  {"hop"},
  {"parent", integer, true},
  {"kind", text},
  {"site", text},
  {"entity", text},
  {"region", text, true},
  {"attempt"},
  {"from_ns"},
  {"from_s", seconds},
  {"to_ns"},
  {"to_s", seconds},
  {"duration_ns"},
  {"duration_s", seconds},
  {"counted_ns"},
  {"counted_s", seconds},
  {"outcome", text},
  {"abandoned"},
};

constexpr table_column clocks_columns[] = {
  {"failover"},
  {"service", text},
  {"from_region", text},
  {"to_region", text},
  {"fault", text},
  {"fault_ns"},
  {"fault_s", seconds},
  {"clock", text},
  {"span_ns", integer, true},
  {"span_s", seconds, true},
  {"by", text, true},
  {"detail", text},
  {"basis", text},
};

constexpr table_column expectations_columns[] = {
  {"nr"},
  {"kind", text},
  {"name", text},
  {"what", text},
  {"met"},
  {"measured", text},
  {"value", integer, true},
  {"at_least", integer, true},
  {"at_most", integer, true},
  {"unit", text},
  {"at_ns", integer, true},
  {"at_s", seconds, true},
  {"by", text, true},
};

constexpr table_column books_columns[] = {
  {"account", text},
  {"entity", text},
  {"counterpart", text},
  {"taken"},
  {"ok"},
  {"too_many_requests"},
  {"internal_error"},
  {"bad_gateway"},
  {"unavailable"},
  {"gateway_timeout"},
  {"lb_timeout"},
  {"client_timeout"},
  {"lost"},
  {"in_flight"},
  {"late"},
  {"duplicated"},
};

const table_shape run_table{"run", run_columns};
const table_shape events_table{"events", events_columns};
const table_shape kept_table{"requests_kept", kept_columns};
const table_shape hops_table{"hops", hops_columns};
const table_shape clocks_table{"clocks", clocks_columns};
const table_shape expectations_table{"expectations", expectations_columns};
const table_shape books_table{"books", books_columns};

/// Adds a text, or nothing where it is empty.
void add_or_none(table_rows& rows, std::string_view x) {
  if (x.empty())
    rows.add(std::optional<std::int64_t>{});
  else
    rows.add(x);
}

void write_run(const run_export& x, const event_index& index, table_sink& to) {
  const auto starts = index.all<run_started>();
  const auto start = starts.empty() ? run_started{} : payload_of<run_started>(starts.front());
  const auto end = index.run_end();
  table_rows rows{to, run_table};
  rows.add(export_schema_version).add(std::string_view{x.program});
  rows.add(std::string_view{start.name}).add(std::string_view{start.description});
  rows.add(start.seed).add(start.lasts).add(start.warm_up).add(end);
  rows.add(!index.all<run_ended>().empty()).add(x.window.from).add(std::min(x.window.to, end));
  rows.add(x.step).add(x.judged.exit_code() == 0 ? "pass" : "fail").end();
}

void write_events(const run_export& x, table_sink& to) {
  table_rows rows{to, events_table};
  const auto& sites = x.log.sites();
  std::string details;
  std::int64_t number = 0;
  for (const auto& y : x.log.events()) {
    // The same event has the same number, whatever the window.
    ++number;
    if (!x.window.holds(y.at))
      continue;
    details.clear();
    append_event_details(details, y);
    const auto id = to_string(y.id, sites);
    const auto cause = to_string(y.cause, sites);
    rows.add(number).add(std::string_view{id}).add(y.at).add(std::string_view{sites[y.id.site]});
    rows.add(std::string_view{y.entity}).add(kind_of(y));
    add_or_none(rows, cause);
    rows.add(std::string_view{details}).end();
  }
}

void write_kept(const run_export& x, table_sink& to) {
  table_rows rows{to, kept_table};
  for (const auto& y : x.kept.requests) {
    const auto& what = y.what;
    if (!x.window.meets(what.intended, what.ended))
      continue;
    const auto reasons = reasons_of(y);
    rows.add(std::string_view{x.kept.consumers[what.consumer]}).add(what.number);
    rows.add(what.intended).add(what.ended).add(what.latency()).add(to_string(what.how));
    rows.add(what.tries).add(std::string_view{reasons}).end();
  }
}

void write_hops(const run_export& x, table_sink& to) {
  table_rows rows{to, hops_table};
  for (const auto& request : x.requests)
    for (std::size_t i = 0; i < request.spans.size(); ++i) {
      const auto& y = request.spans[i];
      rows.add(std::string_view{request.consumer}).add(request.number).add(i);
      rows.add(i == 0 ? std::optional<std::size_t>{} : std::optional{y.parent});
      rows.add(to_string(y.kind)).add(first_part(y.entity)).add(std::string_view{y.entity});
      add_or_none(rows, y.region);
      rows.add(y.attempt).add(y.from).add(y.to).add(y.to - y.from).add(y.counted);
      rows.add(to_string(y.how)).add(y.abandoned).end();
    }
}

void write_clocks(const run_export& x, table_sink& to) {
  table_rows rows{to, clocks_table};
  const auto& sites = x.log.sites();
  std::int64_t number = 0;
  for (const auto& y : x.judged.failovers) {
    ++number;
    const auto fault = to_string(y.fault, sites);
    const auto write = [&](std::string_view clock, const clock_reading& reading) {
      const auto by = to_string(reading.by, sites);
      rows.add(number).add(std::string_view{y.service}).add(std::string_view{y.from});
      rows.add(std::string_view{y.to}).add(std::string_view{fault}).add(y.fault_at).add(clock);
      rows.add(reading.span);
      add_or_none(rows, by);
      rows.add(std::string_view{reading.detail}).add(std::string_view{reading.basis}).end();
    };
    write("detect", y.detect);
    write("aggregate", y.aggregate);
    write("propagate", y.propagate);
    write("route", y.route);
    write("failover", {y.failover, {}, "detect, aggregate, propagate and route", {}});
    write("capacity", y.capacity);
    write("failback", y.failback);
  }
}

void write_expectations(const run_export& x, table_sink& to) {
  table_rows rows{to, expectations_table};
  std::int64_t number = 0;
  for (const auto& y : x.judged.judgements) {
    ++number;
    const auto words = words_of(y.expected);
    const auto by = to_string(y.by, x.log.sites());
    rows.add(number).add(std::string_view{words.kind}).add(std::string_view{y.expected.name});
    rows.add(std::string_view{y.what}).add(y.met).add(std::string_view{y.measured}).add(y.value);
    rows.add(words.at_least).add(words.at_most).add(std::string_view{words.unit}).add(y.at);
    add_or_none(rows, by);
    rows.end();
  }
}

void write_books(const event_index& index, table_sink& to) {
  table_rows rows{to, books_table};
  for (const auto* x : index.all<books_closed>()) {
    const auto& books = payload_of<books_closed>(x);
    rows.add(std::string_view{books.account}).add(std::string_view{x->entity});
    rows.add(std::string_view{books.counterpart}).add(books.taken).add(books.ended);
    rows.add(books.in_flight).add(books.late).add(books.duplicated).end();
  }
}

} // namespace

std::vector<std::string_view> export_tables() {
  return {run_table.name,          events_table.name, requests_table.name, tries_table.name,
          backends_table.name,     kept_table.name,   hops_table.name,     clocks_table.name,
          expectations_table.name, books_table.name};
}

void write_tables(const run_export& x, table_sink& to) {
  const event_index index{x.log};
  write_run(x, index, to);
  write_events(x, to);
  write_requests(x, index, to);
  write_tries(x, index, to);
  write_backends(x, index, to);
  write_kept(x, to);
  write_hops(x, to);
  write_clocks(x, to);
  write_expectations(x, to);
  write_books(index, to);
}

} // namespace spillover
