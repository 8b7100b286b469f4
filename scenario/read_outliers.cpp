#include "scenario/outlier_fields.hpp"
#include "scenario/read.hpp"
#include "scenario/values.hpp"

#include <algorithm>

namespace spillover {

outlier_detection_config read_outlier_detection(const section& from) {
  outlier_detection_config result;
  const auto read = [&from](std::string_view key, auto& into) { from.read(key, into); };
  for_each_outlier_field(read, result);
  if (!from.has("max_ejection_time"))
    result.max_ejection_time = std::max(result.max_ejection_time, result.base_ejection_time);
  if (from.fine({"base_ejection_time", "max_ejection_time"})
      && result.max_ejection_time < result.base_ejection_time)
    from.fail("max_ejection_time", "must be at least base_ejection_time ("
                                     + to_string(result.base_ejection_time) + "); got "
                                     + to_string(result.max_ejection_time));
  else if (from.clean())
    from.report(validate(result));
  return result;
}

} // namespace spillover
