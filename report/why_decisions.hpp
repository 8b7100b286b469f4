#pragma once

#include "model/event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillover {

/// Looks inputs of a decision up by name; the decision must outlive it.
class decision_inputs {
public:
  explicit decision_inputs(const scaling_decided& x) noexcept : all_(x.inputs) {}

  [[nodiscard]] std::optional<std::int64_t> find(std::string_view name) const;

  /// @returns 0 when there is none.
  [[nodiscard]] std::int64_t get(std::string_view name) const { return find(name).value_or(0); }

  /// @returns whether there is one that is not 0.
  [[nodiscard]] bool is_set(std::string_view name) const { return get(name) != 0; }

private:
  const std::vector<std::pair<std::string, std::int64_t>>& all_;
};

/// @returns a number of thousandths without zeros at its end, e.g. "0.6".
std::string milli_text(std::int64_t x);

/// @returns e.g. "min 1, max 50 (acts)".
/// @param least, most which of them decided
/// @param no_most what a maximum of 0 is called, e.g. "none"; nothing calls it 0
std::string bounds_text(const decision_inputs& x, bool least, bool most,
                        std::string_view no_most = {});

// The words of each policy, in lines. Each takes decisions whose inputs it knows, and says nothing of
// others.
std::vector<std::string> cloud_run_words(const scaling_decided& d);
std::vector<std::string> on_demand_words(const scaling_decided& d);
std::vector<std::string> knative_words(const scaling_decided& d);
std::vector<std::string> netscaler_words(const scaling_decided& d);
std::vector<std::string> hpa_words(const scaling_decided& d);

/// @returns whether it only carries on what an earlier decision began, such as a node that joins: it says
///          nothing of the load.
bool is_later_step(const scaling_decided& x);

/// @returns the inputs of a scaling decision as people would compute them; those of a policy that is
///          not known here by their names.
std::vector<std::string> words_of_inputs(const scaling_decided& x);

} // namespace spillover
