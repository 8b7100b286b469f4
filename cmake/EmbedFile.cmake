# cmake -DFILE=<file> -DOUTPUT=<source> -DHEADER=<header> -DFUNCTION=<name> -P EmbedFile.cmake
#
# Writes a source that defines the function of a header, of namespace spillover, which returns the
# file's content. No tool but CMake is needed.
file(READ "${FILE}" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" lines "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${lines}")
file(WRITE "${OUTPUT}" "// Made from ${FILE} by cmake/EmbedFile.cmake.
#include \"${HEADER}\"

namespace spillover {

namespace {

constexpr unsigned char bytes[] = {
${bytes}};

} // namespace

std::string_view ${FUNCTION}() noexcept {
  return {reinterpret_cast<const char*>(bytes), sizeof(bytes)};
}

} // namespace spillover
")
