# Finds the C++ Actor Framework, for which Debian ships no CMake package file.
#
#   find_package(CAF 0.17.6 EXACT REQUIRED COMPONENTS core)
#
# Components: core, io. Each found component is the imported target CAF::<component>.

find_path(CAF_INCLUDE_DIR caf/config.hpp DOC "Directory that holds caf/config.hpp")
mark_as_advanced(CAF_INCLUDE_DIR)

set(CAF_VERSION_STRING "")
if(CAF_INCLUDE_DIR)
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" caf_version_line
    REGEX "^#define CAF_VERSION [0-9]+" LIMIT_COUNT 1)
  if(caf_version_line MATCHES "CAF_VERSION ([0-9]+)")
    # major * 10000 + minor * 100 + patch: 0.17.6 is written 1706.
    math(EXPR caf_major "${CMAKE_MATCH_1} / 10000")
    math(EXPR caf_minor "${CMAKE_MATCH_1} / 100 % 100")
    math(EXPR caf_patch "${CMAKE_MATCH_1} % 100")
    set(CAF_VERSION_STRING "${caf_major}.${caf_minor}.${caf_patch}")
  endif()
endif()

if(NOT CAF_FIND_COMPONENTS)
  set(CAF_FIND_COMPONENTS core)
endif()
foreach(component IN LISTS CAF_FIND_COMPONENTS)
  find_library(CAF_${component}_LIBRARY caf_${component} DOC "CAF's ${component} library")
  mark_as_advanced(CAF_${component}_LIBRARY)
  if(CAF_INCLUDE_DIR AND CAF_${component}_LIBRARY)
    set(CAF_${component}_FOUND TRUE)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(CAF
  REQUIRED_VARS CAF_INCLUDE_DIR
  VERSION_VAR CAF_VERSION_STRING
  HANDLE_COMPONENTS
  REASON_FAILURE_MESSAGE
    "Spillover is for the C++ Actor Framework 0.17.6. On Debian 12: apt-get install libcaf-dev")

if(CAF_FOUND)
  find_package(Threads REQUIRED)
  foreach(component IN LISTS CAF_FIND_COMPONENTS)
    if(CAF_${component}_FOUND AND NOT TARGET CAF::${component})
      add_library(CAF::${component} UNKNOWN IMPORTED)
      set_target_properties(CAF::${component} PROPERTIES
        IMPORTED_LOCATION "${CAF_${component}_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES Threads::Threads)
    endif()
  endforeach()
  if(TARGET CAF::io AND TARGET CAF::core)
    target_link_libraries(CAF::io INTERFACE CAF::core)
  endif()
endif()
