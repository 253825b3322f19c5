# ayatori_precompiled(NAME KIND): NAME is compiled with the common headers of its kind, which are compiled once:
# `library`, `test` (also GoogleTest), `program`, or `fuzzer`.
#
# A third less to compile. The preset `dev` is built without, so an #include that was forgotten is noticed there.

option(AYATORI_PRECOMPILE "Compile common headers once" OFF)

# Compilers refuse headers that were compiled with other options: one target a kind owns them, with the kind's options.
function(ayatori_common_headers kind)
  cmake_parse_arguments(ARG "" "" "HEADERS;LINKS;OPTIONS" ${ARGN})
  file(CONFIGURE OUTPUT precompiled.cpp CONTENT "int main() {}\n")
  if(kind STREQUAL library)
    add_library(precompiled_${kind} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
  else()
    add_executable(precompiled_${kind} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
  endif()
  target_link_libraries(precompiled_${kind} PRIVATE fmt::fmt ${ARG_LINKS})
  target_compile_options(precompiled_${kind} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(precompiled_${kind} PRIVATE <algorithm> <expected> <functional> <map> <memory> <optional> <random>
    <ranges> <set> <span> <string> <string_view> <unordered_map> <variant> <vector> <fmt/format.h> <fmt/ranges.h>
    ${ARG_HEADERS})
endfunction()

if(AYATORI_PRECOMPILE)
  ayatori_common_headers(library)
  ayatori_common_headers(program OPTIONS ${ayatori_caller_options})
  if(AYATORI_TESTS)
    ayatori_common_headers(test LINKS GTest::gtest Threads::Threads OPTIONS ${ayatori_caller_options}
                           HEADERS <gtest/gtest.h>)
  endif()
  if(AYATORI_FUZZ)
    ayatori_common_headers(fuzzer)
  endif()
endif()

function(ayatori_precompiled name kind)
  if(AYATORI_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM precompiled_${kind})
  endif()
endfunction()
