#pragma once

#include <string>
#include <string_view>

namespace spillover {

/// Appends a field of a CSV file, in quotes where RFC 4180 asks for them.
void append_csv_field(std::string& out, std::string_view x);

} // namespace spillover
