#pragma once

#include "model/books.hpp"
#include "model/deadline_queue.hpp"
#include "model/event.hpp"
#include "model/slot_table.hpp"
#include "producers/autoscaling/adaptive_concurrency.hpp"
#include "producers/autoscaling/config.hpp"
#include "producers/billing/tally.hpp"
#include "producers/fleet.hpp"
#include "producers/instance_router.hpp"
#include "producers/on_demand.hpp"
#include "producers/pending_queue.hpp"
#include "producers/pod_finder.hpp"
#include "producers/pod_router.hpp"
#include "producers/request_router.hpp"
#include "producers/session_affinity.hpp"
#include "producers/start_quota.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spillover {

/// Everything that makes a revision.
struct revision_config {
  instance_config instance;
  autoscaling_config autoscaling;
  pending_config pending;
  scale_in_config scale_in;
  duration request_timeout = std::chrono::seconds{300};

  /// Name its random streams, e.g. by "us-east1/checkout/web".
  std::uint64_t seed = 0;
  std::string path = {};

  /// Its place among the revisions of its service, below 65536; part of the serials of its requests.
  std::uint32_t number = 0;

  /// When it begins to exist in the run.
  instant began = run_start;

  /// Where the platform packs; has no meaning elsewhere.
  routing_config routing = {};

  billing::config billing = {};
};

/// What the revisions of one service share: the quotas on their starts.
struct start_pool {
  start_quota quota;
  std::vector<const fleet*> fleets; // of all of them

  /// @returns how many instances they have, draining ones left out.
  [[nodiscard]] std::uint32_t members() const noexcept;
};

/// What a revision asks of the world around it.
class revision_effects {
public:
  virtual ~revision_effects() = default;

  /// Hands a request to an instance.
  /// @param key what the answer brings back, together with `serial`
  virtual void dispatch(std::uint32_t instance, std::uint32_t key, std::uint64_t serial,
                        const record& request) = 0;

  /// Tells how a request ended. One that ended `lost` gets no answer, but is off the books.
  virtual void answer(const record& request, outcome how) = 0;

  /// Starts the process of an instance, a new one or again.
  virtual void start(std::uint32_t instance) = 0;

  /// Ends the process of an instance that has nothing left to do.
  virtual void stop(std::uint32_t instance) = 0;

  virtual void changed(const fleet::change& x) = 0;
  virtual void decided(std::string_view policy, std::uint32_t before, const recommendation& x,
                       const fleet_size& size) = 0;

  /// A quota kept it from starting all the instances that it wants; told when a number changes.
  virtual void denied(std::uint32_t wanted, const start_quota::answer& x) = 0;

  /// The pending queue filled (from empty), or emptied.
  virtual void queue_changed(std::uint32_t length) = 0;

  /// The activator came into the path of requests, or left it (C-27), because of this excess burst
  /// capacity (C-21), or because no pod is wanted.
  virtual void path_changed(bool activator, std::int64_t excess_burst_capacity) = 0;
};

/// One revision of a service in one region: its instances, its autoscaler, and the requests that wait
/// for an instance: in Cloud Run's pending queue, or at Knative's activator.
class revision {
public:
  /// Requests that an activator lets wait; beyond, and at the request timeout, they end
  /// `unavailable` (C-29).
  static constexpr std::size_t activator_depth = 10'000;

  /// Serials count up from the revision's number, shifted left by this.
  static constexpr unsigned serial_bits = 48;

  /// @param pool shared with the other revisions of its service; outlives it
  revision(const revision_config& config, start_pool& pool);
  revision(const revision&) = delete;
  revision& operator=(const revision&) = delete;

  /// Begins with `count` instances that serve at once.
  void begin(instant now, std::uint32_t count, revision_effects& out);

  /// Holds it at `count` instances, whatever its autoscaler says, until `release`.
  /// @param why shown as the driver of the decision
  void hold(instant now, std::uint32_t count, std::string_view why, revision_effects& out);

  /// Lets its autoscaler decide again, from its next decision on.
  void release() noexcept { held_.reset(); }

  /// Holds it at no instances: what starts ends at once, what serves drains.
  void abandon(instant now, std::string_view why, revision_effects& out);

  /// Keeps other bounds than those of its settings, where the policy has any.
  void set_bounds(instant now, const scaling_bounds& x, revision_effects& out);

  /// Tells whether requests can reach it, by a share of the traffic or a tag.
  void set_reachable(instant now, bool reachable) { scaler_->set_reachable(now, reachable); }

  /// @returns how many instances its autoscaler would want for a load that others carry now.
  /// @param seconds what each of the last seconds used, oldest first; its autoscaler has seen them then
  /// @param recommended how many those others have
  [[nodiscard]] std::uint32_t wanted_for(instant now, std::span<const second_usage> seconds,
                                         std::uint32_t recommended);

  void on_request(instant now, const record& request, revision_effects& out);

  /// An instance ended a request.
  void on_response(instant now, std::uint32_t key, std::uint64_t serial, outcome how,
                   revision_effects& out);

  /// A starting instance can serve.
  void on_ready(instant now, std::uint32_t index, revision_effects& out);

  /// An instance's process ended against its will; what it held fails with 502.
  void on_down(instant now, std::uint32_t index, revision_effects& out);

  /// The startup probe of a starting instance gave up, and its container was stopped: the instance
  /// never served. It counts as crashed until `restart`, so that it is replaced only while it is
  /// wanted.
  void on_start_failed(instant now, std::uint32_t index, revision_effects& out);

  /// The liveness probe of an instance failed, and its container was stopped; what it held fails with
  /// 503. As above from then on.
  void on_liveness_failed(instant now, std::uint32_t index, revision_effects& out);

  /// The readiness probe of an instance changed its mind: without `takes_requests` the instance gets
  /// nothing new, finishes what it has, and is a member as before.
  void on_readiness(instant now, std::uint32_t index, bool takes_requests, revision_effects& out);

  /// Starts a crashed instance again.
  void restart(instant now, std::uint32_t index, revision_effects& out);

  /// The quotas on starts changed. What they deny is wanted again by the ordinary rules: at the next
  /// evaluation, or by the next request that finds no slot; an overdue request that may start none
  /// fails as at the maximum, with 429. Crashed instances start again whatever the quota.
  void forget_denials() noexcept { denied_demand_ = denied_evaluation_ = {}; }

  /// CPU time that an instance used in the second that is ending.
  void on_usage(std::uint32_t index, duration cpu) noexcept;

  /// A second ended, and every instance told its usage: observes, and decides when it is time.
  /// @param carried what its autoscaler sees instead of what its instances used, while others carry the
  ///        load that it is to take over
  /// @returns the second's numbers
  revision_sample on_second(instant now, revision_effects& out,
                            const second_usage* carried = nullptr);

  /// @returns what all instances together used in the second that ended last.
  [[nodiscard]] const second_usage& used() const noexcept { return used_; }

  /// A deadline of the pending queue, the request timeout or the next look of the autoscaler may have
  /// come.
  void on_deadline(instant now, revision_effects& out);

  /// @returns when `on_deadline` has work next, or `never`.
  [[nodiscard]] instant next_deadline() const noexcept;

  /// Requests taken, by how they ended.
  [[nodiscard]] const books& requests() const noexcept { return books_; }

  /// @returns what it cost up to now.
  [[nodiscard]] billing::bill bill(instant now) { return tally_.total(now); }

  /// Instances that have a process (or had one that crashed), in the order of their indices.
  [[nodiscard]] const std::vector<std::uint32_t>& present() const noexcept { return present_; }

  [[nodiscard]] instance_state state(std::uint32_t index) const { return fleet_.state(index); }
  [[nodiscard]] const fleet::counts& count() const noexcept { return fleet_.count(); }

  /// How many instances are wanted.
  [[nodiscard]] std::uint32_t recommended() const noexcept { return fleet_.recommended(); }

  /// Draining ones included, and those that a request is still with.
  [[nodiscard]] bool is_empty() const noexcept { return present_.empty(); }

private:
  static constexpr std::uint32_t no_instance = pending_queue::no_instance;

  struct pending {
    record request;
    std::uint64_t serial = 0;
    instant dispatched{};
    std::uint32_t instance = no_instance;
    bool answered = false; // its timeout came while the instance still works on it
    bool proxied = false;  // it came through the activator
  };

  /// What is known of one instance, but for what every request touches: that is in its meter.
  struct process {
    std::int64_t cpu = 0; // nanoseconds in this second
    instant started{};
    instant expected{}; // ready by then, as predicted at its start
    instant ready_changed{};
    std::uint32_t requests = 0; // in this second, when the autoscaler asks for it
    bool reached_limit = false; // in this second, when limits are tuned
    bool set_aside = false;     // its readiness probe keeps it from the router
    bool unseen = false;        // by the activator, while it is in the path
    bool saturated = false;     // its CPU, in the last second
  };

  /// What a quota denied last; nothing wanted when all was granted since.
  struct denial {
    std::uint32_t wanted = 0;
    std::uint32_t granted = 0;
    friend bool operator==(const denial&, const denial&) = default;
  };

  [[nodiscard]] static std::unique_ptr<request_router> make_router(const revision_config& x,
                                                                   const platform& where);
  [[nodiscard]] std::optional<std::uint32_t> dispatch(instant now, const record& request);
  void count_busy(instant now, std::uint32_t index) noexcept;
  void assign(instant now, std::uint32_t key, std::uint32_t index, revision_effects& out);
  [[nodiscard]] bool may_wait(const pending& x) const noexcept;
  [[nodiscard]] std::uint32_t reserve(instant now, revision_effects& out);
  void enqueue(instant now, std::uint32_t key, revision_effects& out);
  void serve_queue(instant now, revision_effects& out);
  void release_instance(instant now, const pending& x, revision_effects& out);
  void settle(instant now, std::uint32_t key, outcome how, revision_effects& out);
  void end_timed_out(instant now, std::uint32_t key, revision_effects& out);
  std::uint32_t start_instance(instant now, revision_effects& out);
  std::uint32_t start_on_demand(instant now, std::string_view why, revision_effects& out);
  [[nodiscard]] std::uint32_t grant(instant now, std::uint32_t wanted, denial& last,
                                    revision_effects& out);
  void apply(instant now, const std::vector<fleet::change>& changes, revision_effects& out);
  void tell(instant now, const fleet::change& x, revision_effects& out);
  std::vector<std::uint32_t> take_held(instant now, std::uint32_t index);
  void fail(instant now, const std::vector<std::uint32_t>& held, outcome how,
            revision_effects& out);
  void end_process(instant now, std::uint32_t index, std::string_view why, outcome how,
                   revision_effects& out);
  void move_to(std::uint32_t index, request_router::tier where);
  void evaluate(instant now, revision_effects& out);
  void carry_out(instant now, const recommendation& wish, revision_effects& out);
  void look_at_changes(instant now, revision_effects& out);
  void follow_path(revision_effects& out);
  void become_ready(instant now, std::uint32_t index, instance_state state);
  void retire(instant now, std::uint32_t index);
  void route_to(std::uint32_t index, instance_state state);
  [[nodiscard]] request_router::tier tier_of(instance_state state) const noexcept;
  [[nodiscard]] bool is_routed_to(std::uint32_t index) const noexcept {
    return !processes_[index].set_aside && !processes_[index].unseen;
  }
  void find_pods(instant now, revision_effects& out);
  void see(std::uint32_t index);
  struct usage {
    std::int64_t cpu = 0;  // nanoseconds
    std::int64_t busy = 0; // requests in flight x nanoseconds
  };
  usage collect_usage(instant now);
  void tune(std::uint32_t index, double cpu_utilisation);
  revision_sample take_sample(instant now, const usage& x);
  void expire_pending(instant now, revision_effects& out);
  [[nodiscard]] bool may_start_on_demand() const noexcept { return !held_ && scaler_->on_demand(); }
  [[nodiscard]] std::uint32_t coming() const noexcept;
  [[nodiscard]] on_demand_waits waits(instant now, std::uint32_t coming) const noexcept;
  [[nodiscard]] fleet_size size() const noexcept;
  [[nodiscard]] duration limit() const noexcept;
  void leave(std::uint32_t index);

  revision_config config_;
  platform platform_;
  std::unique_ptr<autoscaler> scaler_;
  request_watcher* watcher_; // the autoscaler, if it counts requests
  bool per_instance_;        // it looks at single instances
  fleet fleet_;
  std::unique_ptr<request_router> router_;
  instance_router* packer_; // the router, if it packs
  pod_router* pods_;        // or else
  std::optional<session_table> sessions_;
  std::unique_ptr<pod_finder> finder_; // when the activator does not know pods at once
  bool proxied_ = false;               // what requests come through now
  pending_queue queue_;
  double cores_; // of an instance, by its limits
  cold_start_estimator cold_start_;
  billing::tally tally_;
  start_pool& pool_;
  /// What it is held at, and why.
  struct hold_order {
    std::uint32_t count = 0;
    std::string_view why;
  };
  std::optional<hold_order> held_;
  denial denied_demand_;     // to a request
  denial denied_evaluation_; // to the autoscaler
  slot_table<pending> requests_;
  deadline_queue timeouts_;
  books books_;
  std::uint64_t serial_;
  double hold_ns_; // mean time a request holds a slot, weighted to the last ones

  std::vector<process> processes_; // by index
  std::int64_t departed_busy_ = 0; // `busy` of those that stopped in this second
  std::vector<std::uint32_t> present_;
  std::uint32_t set_aside_ = 0;         // of them, by their readiness probes
  std::vector<std::uint32_t> starting_; // in the order of their starts
  std::vector<std::uint32_t> utilisation_;
  std::vector<adaptive_concurrency> tuned_; // by index, when limits are tuned
  std::uint64_t limits_ = 0;                // of those that serve, in the second that ended
  std::uint32_t limited_ = 0;               // and how many they are
  std::vector<instance_usage> usages_;      // in this second, when the autoscaler asks for it
  std::uint32_t seen_running_ = 0;          // by the autoscaler
  bool saturated_ = false;                  // the CPU of all that serve, in the last second
  std::int64_t seconds_ = 0;
  revision_sample sample_;
  second_usage used_; // without single instances
};

} // namespace spillover
