#pragma once

#include "model/random.hpp"
#include "producers/revision.hpp"
#include "producers/traffic_split.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// Bounds for a whole service, divided over its revisions by their traffic. What is
/// absent is not set.
struct service_scaling {
  /// Kept warm by all revisions together, 0..10000.
  std::optional<std::uint32_t> min_instances = std::nullopt;

  /// Upper bound for those that the split sends traffic to, 1..10000.
  std::optional<std::uint32_t> max_instances = std::nullopt;

  /// Manual scaling: this many instances, and no autoscaler; 1..10000.
  std::optional<std::uint32_t> manual_instances = std::nullopt;

  friend bool operator==(const service_scaling&, const service_scaling&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const service_scaling& x);

/// @returns `x` after an order to scale: what the order leaves out stays, but that bounds and a fixed number
///          take each other's place.
service_scaling scaled(const service_scaling& x, const service_scaling& order) noexcept;

/// How a deployed revision gets its traffic.
struct rollout_plan {
  /// Shares that it gets one after the other, ascending, each 1..100; at least one. The others give up
  /// theirs in proportion to what they had (largest remainder).
  std::vector<std::uint32_t> steps = {100};

  /// From one step to the next, above 0.
  duration every = std::chrono::minutes{1};

  /// A revision that has not enough instances by then has failed; above 0.
  duration deadline = std::chrono::minutes{10};

  friend bool operator==(const rollout_plan&, const rollout_plan&) = default;
};

/// Lists every reason why `x` cannot be used, each as `field: reason`; empty when valid.
std::vector<std::string> validate(const rollout_plan& x);

/// One revision of a service by its name. A service that has but one may leave the name empty.
struct named_revision {
  std::string name;
  revision_config config;
};

/// Everything that makes a service.
struct service_config {
  /// At least one, at most 1000; names differ. Those that `traffic` names exist when the run begins, or
  /// else the first; the others can be deployed.
  std::vector<named_revision> revisions;

  /// The last of those that exist at the start is the latest. Empty: all traffic goes to the latest.
  std::vector<traffic_target> traffic = {};

  service_scaling scaling = {};

  /// Name the random stream of the split.
  std::uint64_t seed = 0;
  std::string path = {};
};

/// A step in the life of a deployed revision.
enum class rollout_step : std::uint8_t {
  /// Its instances start.
  deploying,
  /// It has enough of them, and may get traffic.
  ready,
  /// It gets none, and is let go of; the traffic stays where it was.
  failed,
  /// Another order came before it got all its traffic.
  superseded,
};

/// @returns the name used in files, e.g. "deploying".
std::string_view to_string(rollout_step x) noexcept;

/// What a service asks of the world around it.
class service_effects {
public:
  virtual ~service_effects() = default;

  /// @returns what one of its revisions asks of the world.
  virtual revision_effects& of(std::uint32_t revision) = 0;

  /// @param instances that run, and `needed` of them before it gets traffic
  virtual void rollout_stepped(std::uint32_t revision, rollout_step step, std::uint32_t instances,
                               std::uint32_t needed, std::string_view why) = 0;

  /// @param shares percents by revision, none of them 0; @param tags revisions by tag
  virtual void traffic_changed(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& shares,
                               const std::vector<std::pair<std::string, std::uint32_t>>& tags,
                               std::string_view why) = 0;

  /// A second of a revision that has a name ended.
  virtual void sampled(std::uint32_t revision, const revision_sample& x) = 0;
};

/// A service in one region, as Cloud Run and Knative know it: its revisions, which requests each of
/// them gets, and how new ones take over (A-51..A-61). With one revision it adds nothing to that.
class service {
public:
  explicit service(const service_config& config);

  /// @returns how many instances of each revision serve when the run begins.
  [[nodiscard]] std::vector<std::uint32_t> initial_counts() const;

  /// Begins with what exists when the run does.
  void begin(instant now, service_effects& out);

  /// @returns the revision that the next request goes to.
  std::uint32_t choose() noexcept {
    return only_ ? *only_ : static_cast<std::uint32_t>(splitter_->choose(random_));
  }

  /// @returns the revision that a request to the URL of a tag goes to, if the tag is in use.
  [[nodiscard]] std::optional<std::uint32_t> tagged(std::string_view tag) const noexcept;

  /// Of a request's serial.
  static std::uint32_t number_of(std::uint64_t serial) noexcept {
    return static_cast<std::uint32_t>(serial >> revision::serial_bits);
  }

  /// @param number of a revision that exists
  [[nodiscard]] revision& at(std::uint32_t number) noexcept { return *revisions_[number]; }
  [[nodiscard]] const revision& at(std::uint32_t number) const noexcept {
    return *revisions_[number];
  }
  [[nodiscard]] bool exists(std::uint32_t number) const noexcept {
    return revisions_[number] != nullptr;
  }
  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(revisions_.size());
  }
  [[nodiscard]] const std::string& name_of(std::uint32_t number) const noexcept {
    return config_.revisions[number].name;
  }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const noexcept;

  /// A request did not get to a revision: its tag is not in use, or the load balancer in front has no
  /// endpoint for it (B-69).
  void refuse(outcome how = outcome::unavailable) noexcept;

  /// Deploys a revision: starts enough instances of it, then sends it traffic. "Enough" is what
  /// its autoscaler asks for under the load that it is to take over, for Cloud Run's; for Knative's the
  /// initial scale; for others the minimum, at least one. While the traffic is pinned to revisions by
  /// name, a plan of one step of 100 leaves the traffic alone.
  void deploy(instant now, std::uint32_t number, const rollout_plan& plan, service_effects& out);

  /// @returns why traffic cannot be split so, e.g. since a revision was never ready; nothing when it can.
  [[nodiscard]] std::string refusal(const std::vector<traffic_target>& targets) const;

  /// Sends all traffic to an earlier revision, one that was ready. One whose instances are kept by requests (Cloud Run's,
  /// Knative's) gets it at once; others when they have enough instances again.
  void roll_back(instant now, std::uint32_t number, service_effects& out);

  /// Changes the split at once; requests that are in flight stay where they are.
  /// @param targets valid, and not refused
  void split(instant now, const std::vector<traffic_target>& targets, service_effects& out);

  /// Changes what is set for the whole service, at once; absent members stay.
  void scale(instant now, const service_scaling& x, service_effects& out);

  /// Something happened to a revision: a rollout may go on.
  void follow(instant now, service_effects& out) {
    if (rollout_)
      follow_rollout(now, out);
  }

  /// An instance of a revision failed before it was ready.
  void on_start_failed(instant now, std::uint32_t number, service_effects& out);

  void lay_quota(std::uint32_t fault, const quota_fault& what);
  void take_off_quota(std::uint32_t fault);

  /// A second ended, and every instance told its usage.
  /// @returns the second's numbers, of all revisions together
  revision_sample on_second(instant now, service_effects& out);

  void on_deadline(instant now, service_effects& out);
  [[nodiscard]] instant next_deadline() const noexcept;

  /// Requests taken, by how they ended.
  [[nodiscard]] books requests() const noexcept;

private:
  struct rollout {
    std::uint32_t number = 0;
    rollout_plan plan;
    std::vector<traffic_target> base = {}; // the traffic that was
    bool prepared = false;
    bool pinned = false;  // an earlier revision, by name, instead of the latest
    bool moves = true;    // traffic follows
    std::size_t step = 0; // that comes next
    std::uint32_t needed = 0;
    instant due{}; // the deadline, or the next step
  };

  // In service_rollout.cpp.
  void prepare(instant now, service_effects& out);
  void follow_rollout(instant now, service_effects& out);
  void take_step(instant now, service_effects& out);
  void supersede(instant now, service_effects& out);
  void fail_rollout(instant now, std::string_view why, service_effects& out);
  [[nodiscard]] std::vector<traffic_target> mixed(std::uint32_t percent) const;
  [[nodiscard]] std::vector<traffic_target> pinned_to(std::uint32_t number) const;
  static second_usage share_of(const second_usage& x, std::uint32_t percent) noexcept;

  void create(instant now, std::uint32_t number, bool fresh);
  void send_traffic(instant now, std::vector<traffic_target> targets, std::string_view why,
                    service_effects& out);
  void route();
  void tell_traffic(std::string_view why, service_effects& out) const;
  void apply_scaling(instant now, service_effects& out);
  /// What a revision keeps to, of its own settings and those for all.
  struct bounds {
    std::uint32_t least = 0;
    std::uint32_t most = 0;
    std::optional<std::uint32_t> by_hand;
  };
  [[nodiscard]] bounds bounds_now(std::uint32_t number) const;
  void let_go(instant now, std::uint32_t number, service_effects& out);
  void take_up(instant now, std::uint32_t number, service_effects& out);
  [[nodiscard]] std::uint32_t resolve(const traffic_target& x) const noexcept;
  [[nodiscard]] std::vector<std::uint32_t> shares() const;
  template <class Policy>
  [[nodiscard]] bool follows(std::uint32_t number) const noexcept {
    return std::holds_alternative<Policy>(config_.revisions[number].config.autoscaling);
  }
  [[nodiscard]] bool is_tagged(std::uint32_t number) const noexcept;
  [[nodiscard]] bool is_preparing(std::uint32_t number) const noexcept {
    return rollout_ && !rollout_->prepared && rollout_->number == number;
  }

  service_config config_;
  start_pool pool_;
  std::vector<std::unique_ptr<revision>> revisions_; // those that do not exist yet are null
  std::vector<bool> wanted_;                         // have traffic or a tag
  std::vector<bool> was_ready_;
  std::uint32_t latest_ = 0; // that was ready

  std::vector<traffic_target> traffic_; // in force
  std::optional<std::uint32_t> only_;   // who gets all of it, if one does
  std::optional<traffic_splitter> splitter_;
  random_stream random_;

  std::optional<rollout> rollout_;
  std::deque<second_usage> carried_; // what serves used in each of the last seconds
  books refused_;
};

} // namespace spillover
