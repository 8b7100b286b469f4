#pragma once

#include "model/event.hpp"
#include "report/why_words.hpp"

namespace spillover {

/// What happened to a connection of a client that balances for itself (B-87), and what it uses afterwards.
event_words words_of_connection(const event& of, const connection_changed& x);

} // namespace spillover
