#pragma once

#include "lb/outlier_detection.hpp"

namespace spillover {

/// Calls `f` with the key and the value of each setting of outlier detection, for reading and writing.
template <class F, class Self>
void for_each_outlier_field(F&& f, Self& x) {
  f("consecutive_5xx", x.consecutive_5xx);
  f("consecutive_gateway_failure", x.consecutive_gateway_failure);
  f("interval", x.interval);
  f("base_ejection_time", x.base_ejection_time);
  f("max_ejection_time", x.max_ejection_time);
  f("max_ejection_time_jitter", x.max_ejection_time_jitter);
  f("max_ejection_percent", x.max_ejection_percent);
  f("always_eject_one_host", x.always_eject_one_host);
  f("enforcing_consecutive_5xx", x.enforcing_consecutive_5xx);
  f("enforcing_consecutive_gateway_failure", x.enforcing_consecutive_gateway_failure);
  f("enforcing_success_rate", x.enforcing_success_rate);
  f("enforcing_failure_percentage", x.enforcing_failure_percentage);
  f("success_rate_minimum_hosts", x.success_rate_minimum_hosts);
  f("success_rate_request_volume", x.success_rate_request_volume);
  f("success_rate_stdev_factor", x.success_rate_stdev_factor);
  f("failure_percentage_threshold", x.failure_percentage_threshold);
  f("failure_percentage_minimum_hosts", x.failure_percentage_minimum_hosts);
  f("failure_percentage_request_volume", x.failure_percentage_request_volume);
  f("split_external_local_origin_errors", x.split_external_local_origin_errors);
  f("consecutive_local_origin_failure", x.consecutive_local_origin_failure);
  f("enforcing_consecutive_local_origin_failure", x.enforcing_consecutive_local_origin_failure);
  f("enforcing_local_origin_success_rate", x.enforcing_local_origin_success_rate);
  f("enforcing_failure_percentage_local_origin", x.enforcing_failure_percentage_local_origin);
}

} // namespace spillover
