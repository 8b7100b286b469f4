# How everything here is compiled, and the functions that make a library or a test.

get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
if(NOT CMAKE_BUILD_TYPE AND NOT is_multi_config)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(SPILLOVER_CCACHE ccache DOC "Compiler cache; empty to do without")
find_program(SPILLOVER_MOLD mold DOC "Fast linker; empty to use the compiler's own")
mark_as_advanced(SPILLOVER_CCACHE SPILLOVER_MOLD)
if(SPILLOVER_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${SPILLOVER_CCACHE}")
endif()

add_library(spillover_build INTERFACE)
target_compile_features(spillover_build INTERFACE cxx_std_20)
set(CMAKE_CXX_EXTENSIONS OFF)
target_include_directories(spillover_build INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(spillover_build INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  # Fused multiply-add rounds once instead of twice, so that compilers and build types would differ
  # in the last bit. For the same reason -ffast-math and -march=native are never used.
  -ffp-contract=off)
if(SPILLOVER_WERROR)
  target_compile_options(spillover_build INTERFACE -Werror)
endif()
if(SPILLOVER_MOLD)
  target_link_options(spillover_build INTERFACE -fuse-ld=mold)
endif()
if(SPILLOVER_SANITIZE)
  set(sanitizer_flags -fsanitize=${SPILLOVER_SANITIZE} -fno-omit-frame-pointer)
  if(SPILLOVER_SANITIZE MATCHES "undefined")
    # CAF 0.17.6's headers bind references to null on purpose (init_fun_factory.hpp).
    list(APPEND sanitizer_flags -fno-sanitize-recover=all -fno-sanitize=null)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Instrumented, g++ 12 takes variants for uninitialised that are not.
    list(APPEND sanitizer_flags -Wno-maybe-uninitialized)
  endif()
  target_compile_options(spillover_build INTERFACE ${sanitizer_flags})
  target_link_options(spillover_build INTERFACE ${sanitizer_flags})
endif()

if(SPILLOVER_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "SPILLOVER_FUZZ needs clang, which brings libFuzzer: use the preset fuzz")
  endif()
  # The libraries count what they pass through; only a fuzzer itself links to libFuzzer.
  target_compile_options(spillover_build INTERFACE -fsanitize=fuzzer-no-link)
endif()

# spillover_add_library(<name> [SOURCES <file>...] [LINKS <target>...])
#
# Makes the static library spillover_<name>, used as spillover::<name>; without sources it is a
# header-only one. Sources are relative to the calling CMakeLists.txt. Links pass on to users,
# because our headers include the headers of what they link.
function(spillover_add_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "spillover_add_library(${name}): unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(arg_SOURCES)
    add_library(spillover_${name} STATIC ${arg_SOURCES})
    target_link_libraries(spillover_${name} PUBLIC spillover_build ${arg_LINKS})
  else()
    add_library(spillover_${name} INTERFACE)
    target_link_libraries(spillover_${name} INTERFACE spillover_build ${arg_LINKS})
  endif()
  add_library(spillover::${name} ALIAS spillover_${name})
endfunction()

# spillover_label(<label> TARGETS <target>...)
#
# Makes the target label_<label> build these targets too: what the tests of that label need. A
# preset that runs one label then builds no more than that.
function(spillover_label label)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "TARGETS")
  if(NOT TARGET label_${label})
    add_custom_target(label_${label})
  endif()
  add_dependencies(label_${label} ${arg_TARGETS})
endfunction()

# spillover_add_test(<name> SOURCES <file>... [LINKS <target>...] [LABELS <label>...])
#
# Makes the GoogleTest binary test_<name> and registers its cases as <name>.<Suite>.<Case>. Tests
# run in the project's root, which SPILLOVER_SOURCE_DIR names: relative, so that what was compiled in
# one clone serves the compiler cache of another.
# Labels with a meaning: determinism (repeated by other compilers), tsan (run under the thread
# sanitizer), no_tsan (never run there); bench, long, docker and tidy (parts of scripts/test.sh of
# their own). A test made with add_test() gets its labels by set_tests_properties(), and names the
# targets it runs to spillover_label().
function(spillover_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LINKS;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR
      "spillover_add_test(${name}): needs SOURCES; unknown: ${arg_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT SPILLOVER_TESTS)
    return()
  endif()
  add_executable(test_${name} ${arg_SOURCES})
  target_link_libraries(test_${name} PRIVATE
    spillover_build ${arg_LINKS} GTest::gtest_main GTest::gmock rapidcheck)
  target_compile_definitions(test_${name} PRIVATE SPILLOVER_SOURCE_DIR=".")
  include(GoogleTest)
  gtest_discover_tests(test_${name}
    TEST_PREFIX "${name}."
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60)
  if(NOT arg_LABELS)
    return()
  endif()
  foreach(label IN LISTS arg_LABELS)
    spillover_label(${label} TARGETS test_${name})
  endforeach()
  # Not by the PROPERTIES of gtest_discover_tests: it would keep only the first label. Discovery
  # leaves the names of the cases in test_<name>_TESTS.
  set(script "${CMAKE_CURRENT_BINARY_DIR}/test_${name}_labels.cmake")
  file(CONFIGURE OUTPUT "${script}" @ONLY CONTENT [[
if(test_@name@_TESTS)
  set_tests_properties(${test_@name@_TESTS} PROPERTIES LABELS "@arg_LABELS@")
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${script}")
endfunction()
