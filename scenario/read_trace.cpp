#include "scenario/named_file.hpp"
#include "scenario/names.hpp"
#include "scenario/read.hpp"
#include "scenario/trace_file.hpp"
#include "scenario/write_trace.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace spillover {

namespace {

trace_source read_source(const section& from) {
  trace_source result;
  from.read("file", result.file);
  if (from.has("format"))
    read_name(from, "format", trace_formats, result.format.emplace());
  from.read("bucket", result.bucket);
  from.read("column", result.column);
  from.read("owner", result.owner);
  from.read("app", result.app);
  from.read("function", result.function);
  from.read("trigger", result.trigger);
  return result;
}

// Keys of one format have no meaning with another.
void refuse_keys(const section& from, trace_format format) {
  const struct {
    trace_format only = trace_format::counts;
    std::vector<std::string_view> keys = {};
  } owned[] = {
    {trace_format::counts, {"bucket", "column"}},
    {trace_format::azure_functions_2019, {"owner", "app", "function", "trigger"}},
  };
  for (const auto& x : owned)
    for (const auto key : x.keys)
      if (format != x.only && from.has(key))
        from.fail(key, "has a meaning with format " + std::string{name_of(x.only, trace_formats)}
                         + " alone; this is " + std::string{name_of(format, trace_formats)});
}

void check(const section& from, const trace_config& x) {
  const auto& traffic = *x.traffic;
  std::string digest;
  from.read("digest", digest);
  if (!digest.empty() && digest != digest_of(traffic))
    from.fail("digest", "the file holds other traffic now, of digest " + digest_of(traffic)
                          + "; bring the file back, or take the key away");
  if (from.fine({"from", "to"}) && x.to && *x.to <= x.from)
    from.fail("to", "must be after from (" + to_string(x.from) + "); got " + to_string(*x.to));
  else if (from.clean())
    from.report(validate(x));
}

} // namespace

trace_config read_trace(const section& from, scenario_draft& draft) {
  trace_config result;
  result.source = read_source(from);
  from.read("at", result.at);
  from.read("scale", result.scale);
  from.read("warp", result.warp);
  from.read("from", result.from);
  from.read("to", result.to);
  read_name(from, "arrivals", arrival_processes, result.arrivals);
  from.read("repeat", result.repeat);
  if (!from.has("file"))
    return result;
  const auto found = find_named_file(draft.folder, result.source.file, "traces/monday.csv");
  if (const auto* refused = std::get_if<refused_name>(&found)) {
    from.fail("file", refused->reason);
    return result;
  }
  // Several loads may play parts of one file, which is read once, and reported once.
  auto known = std::find_if(draft.traces.begin(), draft.traces.end(),
                            [&result](const auto& x) { return x.source == result.source; });
  if (known == draft.traces.end()) {
    auto read = read_trace_file(std::get<std::filesystem::path>(found), result.source,
                                from.find("file")->at, from.problems());
    if (read.lines.all > read.lines.empty)
      refuse_keys(from, read.format);
    result.traffic = std::move(read.traffic);
    result.remarks = std::move(read.remarks);
    known = draft.traces.insert(draft.traces.end(), result);
  }
  result.traffic = known->traffic;
  result.remarks = known->remarks;
  if (result.traffic)
    check(from, result);
  return result;
}

} // namespace spillover
