#include "report/csv_field.hpp"

namespace spillover {

void append_csv_field(std::string& out, std::string_view x) {
  if (x.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += x;
    return;
  }
  out += '"';
  for (const auto c : x) {
    if (c == '"')
      out += '"';
    out += c;
  }
  out += '"';
}

} // namespace spillover
