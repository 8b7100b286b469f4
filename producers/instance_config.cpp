#include "producers/instance_config.hpp"

#include <algorithm>
#include <numeric>
#include <variant>

namespace spillover {

namespace {

/// @returns why `x` is no distribution of spans, or "" when it is one.
std::string problem_of(const constant_distribution& x) {
  return x.value < duration::zero() ? "must not be negative" : "";
}

std::string problem_of(const exponential_distribution& x) {
  return x.mean <= duration::zero() ? "mean must be above 0" : "";
}

std::string problem_of(const lognormal_distribution& x) {
  if (x.median <= duration::zero())
    return "median must be above 0";
  return x.p99 < x.median ? "p99 must be at least the median" : "";
}

std::string problem_of(const empirical_distribution& x) {
  if (x.values.empty())
    return "needs at least one value";
  const auto negative = [](duration value) { return value < duration::zero(); };
  return std::any_of(x.values.begin(), x.values.end(), negative) ? "values must not be negative"
                                                                 : "";
}

void check(const char* field, const distribution& x, std::vector<std::string>& problems) {
  const auto problem = std::visit([](const auto& y) { return problem_of(y); }, x);
  if (!problem.empty())
    problems.push_back(std::string{field} + ": " + problem);
}

/// Adds what `validate` says of a part of the instance.
template <class Part>
void check_part(const char* field, const Part& x, std::vector<std::string>& problems) {
  for (auto& problem : validate(x))
    problems.push_back(std::string{field}.append(".").append(problem));
}

} // namespace

std::vector<std::string> validate(const instance_config& x) {
  std::vector<std::string> problems;
  if (!(x.cpu > 0 && x.cpu <= 64))
    problems.emplace_back("cpu: must be above 0 and at most 64");
  if (x.concurrency > 1000)
    problems.emplace_back("concurrency: must be within 0..1000");
  check("cold_start", x.cold_start, problems);
  check("service_time", x.service_time, problems);
  if (x.cpu_per_request < duration::zero())
    problems.emplace_back("cpu_per_request: must not be negative");
  const auto is_wrong = [](const sidecar_config& y) { return !(y.cpu > 0 && y.cpu <= 64); };
  if (x.sidecars.size() > 9 || std::any_of(x.sidecars.begin(), x.sidecars.end(), is_wrong))
    problems.emplace_back("sidecars: at most 9, each with a cpu above 0 and at most 64");
  if (x.startup_probe)
    check_part("startup_probe", *x.startup_probe, problems);
  if (x.liveness_probe)
    check_part("liveness_probe", *x.liveness_probe, problems);
  if (x.readiness_probe)
    check_part("readiness_probe", *x.readiness_probe, problems);
  check_part("restart_backoff", x.restart_backoff, problems);
  return problems;
}

double total_cpu(const instance_config& x) noexcept {
  return std::accumulate(x.sidecars.begin(), x.sidecars.end(), x.cpu,
                         [](double sum, const sidecar_config& y) { return sum + y.cpu; });
}

double total_boosted_cpu(const instance_config& x) noexcept {
  if (!x.startup_cpu_boost)
    return total_cpu(x);
  return std::accumulate(
    x.sidecars.begin(), x.sidecars.end(), boosted_cpu(x.cpu),
    [](double sum, const sidecar_config& y) { return sum + boosted_cpu(y.cpu); });
}

duration mean_start(const instance_config& x) {
  const auto mean = mean_of(x.cold_start);
  if (!x.startup_probe)
    return mean;
  const auto seen = probe_start(*x.startup_probe, mean);
  return seen.ready ? seen.after : mean;
}

} // namespace spillover
