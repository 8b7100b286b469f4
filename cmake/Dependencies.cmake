# Every third-party library, in one place. scripts/packages.txt names the Debian package of each;
# the test tidy.packages keeps the two lists in step.

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(CAF 0.17.6 EXACT REQUIRED COMPONENTS core)
find_package(Boost 1.74 REQUIRED) # headers only: Boost::headers
find_package(absl REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Protobuf REQUIRED)
find_package(SQLiteCpp REQUIRED) # finds SQLite too
find_package(cppzmq REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(spdlog REQUIRED)
find_package(valijson REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)

find_path(PCG_INCLUDE_DIR pcg_random.hpp REQUIRED)
mark_as_advanced(PCG_INCLUDE_DIR)
add_library(pcg::pcg INTERFACE IMPORTED)
target_include_directories(pcg::pcg INTERFACE "${PCG_INCLUDE_DIR}")

if(SPILLOVER_TESTS)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
endif()

if(SPILLOVER_BENCH)
  find_package(benchmark REQUIRED)
endif()
