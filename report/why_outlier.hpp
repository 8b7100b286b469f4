#pragma once

#include "model/event.hpp"
#include "report/why_words.hpp"

namespace spillover {

/// @param of the event of `x`
/// @returns what a proxy made of a region, with the arithmetic behind it (B-43..B-46).
event_words words_of_outlier(const event& of, const outlier_changed& x);

} // namespace spillover
