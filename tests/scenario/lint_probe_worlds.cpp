#include "tests/scenario/lint_worlds.hpp"

namespace spillover::test {

std::vector<lint_world> probe_worlds() {
  return {
    {"a start of 2 s and two successes of probes every 5 s, against two failures",
     "heals-what-starts",
     {{"health_check:", "auto_healing: {}\n        health_check:"}},
     {{"health_check:", "auto_healing: {initial_delay: 12s}\n        health_check:"}},
     "s:15:23: lint: east/checkout/web: auto-healing waits 5 s after an instance's start, and one start in a hundred takes 2 s or more, after which a check needs 2 successes 5s apart: it may be made anew before it is found healthy, again and again; set initial_delay to 12s or more [heals-what-starts: B-67]\n"
     "s:15:23: lint: west/checkout/web: auto-healing waits 5 s after an instance's start, and one start in a hundred takes 2 s or more, after which a check needs 2 successes 5s apart: it may be made anew before it is found healthy, again and again; set initial_delay to 12s or more [heals-what-starts: B-67]"},
    {"many failures are a delay as well, and the first result may decide",
     "heals-what-starts",
     {{"cold_start: 2s", "cold_start: 21s"},
      {"health_check:",
       "auto_healing: {health_check: {unhealthy_threshold: 5, healthy_threshold: 1}}\n        health_check:"}},
     {{"cold_start: 2s", "cold_start: 20s"},
      {"health_check:",
       "auto_healing: {health_check: {unhealthy_threshold: 5, healthy_threshold: 1}}\n        health_check:"}},
     "s:15:23: lint: east/checkout/web: auto-healing waits 20 s after an instance's start, and one start in a hundred takes 21 s or more, after which a check needs 1 success 5s apart: it may be made anew before it is found healthy, again and again; set initial_delay to 26s or more [heals-what-starts: B-67]\n"
     "s:15:23: lint: west/checkout/web: auto-healing waits 20 s after an instance's start, and one start in a hundred takes 21 s or more, after which a check needs 1 success 5s apart: it may be made anew before it is found healthy, again and again; set initial_delay to 26s or more [heals-what-starts: B-67]"},
    {"a path that is answered with 302",
     "status-not-expected",
     {{"{interval: 5s, timeout: 5s}",
       "{path: /login, path_status: 302, expected_statuses: [200, 204]}"}},
     {{"{interval: 5s, timeout: 5s}",
       "{path: /login, path_status: 302, expected_statuses: [200, 302]}"}},
     "s:15:51: lint: east/checkout/web: a well instance answers 302 on /login, and a success is 200, 204, so that no endpoint is ever healthy; add it to expected_statuses, or ask for another path [status-not-expected: B-35]\n"
     "s:15:51: lint: west/checkout/web: a well instance answers 302 on /login, and a success is 200, 204, so that no endpoint is ever healthy; add it to expected_statuses, or ask for another path [status-not-expected: B-35]"},
    {"a check of auto-healing has a path of its own",
     "status-not-expected",
     {{"health_check:",
       "auto_healing: {initial_delay: 1m, health_check: {path_status: 404}}\n        health_check:"}},
     {{"health_check:",
       "auto_healing: {initial_delay: 1m, health_check: {protocol: tcp}}\n        health_check:"}},
     "s:15:71: lint: east/checkout/web: a well instance answers 404 on /, and a success is 200, so that auto-healing makes every instance anew; add it to expected_statuses, or ask for another path [status-not-expected: B-35]\n"
     "s:15:71: lint: west/checkout/web: a well instance answers 404 on /, and a success is 200, so that auto-healing makes every instance anew; add it to expected_statuses, or ask for another path [status-not-expected: B-35]"},
    {"clients of a closed loop that come when all is over",
     "load-beyond-end",
     {{"[{open_loop: {rate: 50}}]",
       "[{open_loop: {rate: 50}}, {closed_loop: {clients: 5, from: 10m}}]"}},
     {{"[{open_loop: {rate: 50}}]",
       "[{open_loop: {rate: 50}}, {closed_loop: {clients: 5, from: 599s}}]"}},
     "s:22:73: lint: shop: the clients begin at 10m, and the run ends at 10m: they send nothing; let them begin earlier [load-beyond-end: duration]"},
  };
}

} // namespace spillover::test
