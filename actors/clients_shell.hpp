#pragma once

#include "actors/shell.hpp"
#include "consumers/client.hpp"

namespace spillover {

/// All clients of one consumer.
class clients_shell final : public shell<clients_actor>, private client_effects {
public:
  struct setup {
    entity_id id = nobody;
    std::string path;
    /// Where requests go: the load balancer.
    entity_id target = nobody;
    /// Place among the scenario's consumers.
    std::uint32_t consumer = 0;
    std::vector<load_config> traffic;
    client_config config;
    /// Counts the processes of the consumer, from 1.
    std::uint32_t incarnation = 1;
  };

  clients_shell(caf::actor_config& config, site& where, setup with);

  void on_record(const record& x) override;
  void fetch(const record& x) const noexcept override { clients_.fetch(x.arg); }

protected:
  behavior_type make_behavior() override;

private:
  // `record::attempt` of a timer: the second's end, or what the decider asked for, shifted by one.
  enum timer : std::uint16_t { second_timer, first_of_clients };

  void send(std::uint64_t request, std::uint32_t key, std::uint16_t attempt,
            instant intended) override;
  void wake(instant due, std::uint8_t what, std::uint32_t key) override;
  void will_retry(std::uint64_t request, outcome how, instant due) override;
  void ended(const ended_request& x) override;
  void close_second();
  void close();

  setup setup_;
  clients clients_;
};

} // namespace spillover
