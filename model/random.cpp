#include "model/random.hpp"

#include "model/hash.hpp"

namespace spillover {

namespace {

using state_type = pcg64::state_type;

// Four words from SplitMix64, which starts at the mixed seed xor the FNV-1a hash of the name: the
// first two are the generator's state, the others its stream, high half first. The seed is mixed
// before it meets the name, so that seeds 1 and 2 do not meet the same start by similar names.
pcg64 engine_of(std::uint64_t seed, std::string_view name) noexcept {
  splitmix64 words{splitmix64{seed}() ^ fnv1a_64(name)};
  const auto wide = [&words] {
    const state_type high = words();
    return (high << 64) | state_type{words()};
  };
  const auto state = wide();
  const auto stream = wide();
  return {state, stream};
}

} // namespace

random_stream::random_stream(std::uint64_t seed, std::string_view name) noexcept
  : engine_(engine_of(seed, name)) {}

} // namespace spillover
