# ayatori_precompiled(NAME OWNER): NAME is compiled with the headers of OWNER (`precompiled` for libraries,
# `precompiled_tests` for unit tests), which are compiled once.
#
# A third less to compile. The preset `dev` is built without, so an #include that was forgotten is noticed there.

option(AYATORI_PRECOMPILE "Compile common headers once" OFF)

if(AYATORI_PRECOMPILE)
  set(common_headers <algorithm> <expected> <functional> <map> <memory> <optional> <random> <ranges> <set> <span> <string>
                     <string_view> <unordered_map> <variant> <vector> <fmt/format.h> <fmt/ranges.h>)
  file(CONFIGURE OUTPUT precompiled.cpp CONTENT "int main() {}\n")

  add_library(precompiled OBJECT ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(precompiled PRIVATE fmt::fmt openmp)
  target_precompile_headers(precompiled PRIVATE ${common_headers})

  if(AYATORI_TESTS)
    # A program, for these are compiled for another kind of position independence than libraries.
    add_executable(precompiled_tests ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(precompiled_tests PRIVATE fmt::fmt openmp GTest::gtest Threads::Threads)
    target_compile_options(precompiled_tests PRIVATE ${ayatori_caller_options})
    target_precompile_headers(precompiled_tests PRIVATE ${common_headers} <gtest/gtest.h>)
  endif()
endif()

function(ayatori_precompiled name owner)
  if(AYATORI_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM ${owner})
  endif()
endfunction()
