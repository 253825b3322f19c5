# The products, and the folders that they are made of (docs/map.md).
#
# ayatori_product(NAME [BELOW PRODUCT …]): the C++ of a product, the target ayatori_NAME, over that of the products below
# it. It leaves no library: what is installed links it and shows its own C functions alone (ayatori_c_library).
#
# ayatori_library(NAME IN PRODUCT USES A B … [LINKS X Y …] SOURCES a.cpp … [TESTS a_test.cpp …] [THREAD_TESTS b_test.cpp …]
#                 [TEST_USES C …])
#
# One folder of a product = one object library. Its headers are an include root of their own (include/ayatori/NAME/), and
# only the folders listed under USES are on its include path: an #include against the direction of docs/map.md does not
# compile. LINKS are outside libraries. TESTS become one GoogleTest program, NAME_test; it also sees the folders under
# TEST_USES: a test may stand above what it tests. THREAD_TESTS become NAME_threads_test: with ThreadSanitizer there are
# no others, and the target thread_tests builds all of them.

if(AYATORI_TESTS)
  find_package(GTest QUIET)
  if(NOT GTest_FOUND)
    set(AYATORI_TESTS OFF)
    message(STATUS "not found: libgtest-dev; left out: unit tests")
  endif()
endif()
if(AYATORI_TESTS)
  enable_testing()
  add_custom_target(thread_tests)
endif()
include(cmake/precompiled.cmake)

# Tests look inside, and fifty of them link a shared library in less time than an archive.
if(AYATORI_TESTS)
  set(ayatori_inside SHARED)
else()
  set(ayatori_inside STATIC)
endif()

function(ayatori_product name)
  cmake_parse_arguments(ARG "" "" "BELOW" ${ARGN})
  add_library(ayatori_${name} ${ayatori_inside})
  # Not libayatori_NAME: the plug-in is libayatori_mpi.so.
  set_target_properties(ayatori_${name} PROPERTIES OUTPUT_NAME ${name}_inside LINKER_LANGUAGE CXX)
  foreach(below IN LISTS ARG_BELOW)
    target_link_libraries(ayatori_${name} PUBLIC ayatori_${below})
  endforeach()
endfunction()

# ayatori_c_library(NAME HEADERS MAP PARTS…): libNAME.so of these folders, which shows the functions in MAP alone.
# HEADERS is the folder of its public headers.
function(ayatori_c_library name headers map)
  add_library(lib${name} SHARED)
  target_link_libraries(lib${name} PRIVATE ${ARGN})
  set_target_properties(lib${name} PROPERTIES OUTPUT_NAME ${name} VERSION ${PROJECT_VERSION} SOVERSION 0
                        LINKER_LANGUAGE CXX LINK_DEPENDS ${map} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  target_link_options(lib${name} PRIVATE LINKER:--version-script=${map} LINKER:--gc-sections)
  target_include_directories(lib${name} INTERFACE $<BUILD_INTERFACE:${headers}>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

# ayatori_shows_only(NAME FUNCTION): a library for one purpose, which shows the function by which it is entered alone.
function(ayatori_shows_only name function)
  set(map ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  file(CONFIGURE OUTPUT ${map} CONTENT "{ global: ${function}; local: *; };\n")
  target_link_options(${name} PRIVATE LINKER:--version-script=${map} LINKER:--gc-sections)
endfunction()

function(ayatori_library name)
  cmake_parse_arguments(ARG "" "IN" "USES;LINKS;SOURCES;TESTS;THREAD_TESTS;TEST_USES" ${ARGN})

  add_library(${name}_headers INTERFACE)
  add_library(headers::${name} ALIAS ${name}_headers)
  target_include_directories(${name}_headers INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
  ayatori_headers_of(headers ${name} ${ARG_USES})

  add_library(${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(ayatori_${ARG_IN} PRIVATE ${name})
  target_link_libraries(${name} PRIVATE ${headers} fmt::fmt ${ARG_LINKS})
  ayatori_precompiled(${name} library)
  # A message passes many small functions: no detour for libraries that might replace them.
  target_compile_options(${name} PRIVATE -fno-semantic-interposition)

  set_property(GLOBAL PROPERTY ayatori_used_by_${name} ${ARG_USES})
  set_property(GLOBAL PROPERTY ayatori_product_of_${name} ${ARG_IN})
  set_property(GLOBAL APPEND PROPERTY ayatori_folders_of_${ARG_IN} ${name})
  if(AYATORI_TESTS)
    if(ARG_TESTS OR ARG_THREAD_TESTS)
      ayatori_headers_of(headers ${name} ${ARG_USES} ${ARG_TEST_USES})
    endif()
    ayatori_unit_tests(${name}_test "${ARG_TESTS}" LINKS ${headers} ayatori_${ARG_IN})
    if(ARG_THREAD_TESTS)
      ayatori_parts(linked ${ARG_IN} ${name} ${ARG_USES} ${ARG_TEST_USES})
      ayatori_unit_tests(${name}_threads_test "${ARG_THREAD_TESTS}" LINKS ${headers} ${linked})
      add_dependencies(thread_tests ${name}_threads_test)
    endif()
  endif()
endfunction()

# ayatori_headers_of(RESULT FOLDERS…): their include roots. A name with :: must exist, or CMake fails.
function(ayatori_headers_of result)
  foreach(folder IN LISTS ARGN)
    list(APPEND headers headers::${folder})
  endforeach()
  set(${result} ${headers} PARENT_SCOPE)
endfunction()

# ayatori_with_used(RESULT FOLDERS…): these, and all that they use: for libraries that are compiled where nothing else is
# wanted, and would take a whole product otherwise.
function(ayatori_with_used result)
  set(left ${ARGN})
  while(left)
    list(POP_FRONT left folder)
    if(NOT folder IN_LIST found)
      list(APPEND found ${folder})
      get_property(used GLOBAL PROPERTY ayatori_used_by_${folder})
      list(APPEND left ${used})
    endif()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# ayatori_parts(RESULT PRODUCT FOLDERS…): what a test of these folders links. Of the planner and of what runs in MPI
# programs only the folders and ayatori_nwtopo, since all of it takes minutes to compile for one test; any other product
# whole.
function(ayatori_parts result product)
  set(whole base secret nwtopo acp)
  set(linked ayatori_${product})
  if(NOT product IN_LIST whole)
    set(linked ayatori_nwtopo)
    foreach(folder IN LISTS ARGN)
      get_property(in GLOBAL PROPERTY ayatori_product_of_${folder})
      if(NOT in IN_LIST whole)
        list(APPEND linked ${folder})
      endif()
    endforeach()
  endif()
  set(${result} ${linked} PARENT_SCOPE)
endfunction()

# One GoogleTest program of these files, if there are any. With ThreadSanitizer only of those that have threads.
function(ayatori_unit_tests name files)
  if(NOT files OR (AYATORI_SANITIZE MATCHES thread AND NOT name MATCHES "_threads_test$"))
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "LINKS" ${ARGN})
  add_executable(${name} ${files})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} fmt::fmt GTest::gtest_main Threads::Threads)
  target_compile_options(${name} PRIVATE ${ayatori_caller_options})
  ayatori_precompiled(${name} test)
  target_compile_definitions(${name} PRIVATE AYATORI_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  ayatori_gtest(${name})
endfunction()

# One entry of ctest for the whole program: under sanitizers most of a test's time is the start of its process.
function(ayatori_gtest name)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
                       ENVIRONMENT LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan.supp)
endfunction()

# ayatori_fuzz(NAME IN PRODUCT USES A B … [SEES FOLDER …]): one libFuzzer program, NAME_fuzz.cpp, seeded from
# corpus/NAME/. It sees the headers of the folders under USES, and what stands in the folders under SEES.
# `./run test` runs each briefly; `build/asan/fuzz/NAME_fuzz src/PRODUCT/fuzz/corpus/NAME` runs one for as long as you like.
function(ayatori_fuzz name)
  if(NOT AYATORI_FUZZ)
    return()
  endif()
  cmake_parse_arguments(ARG "" "IN" "USES;SEES" ${ARGN})
  ayatori_headers_of(headers ${ARG_USES})
  add_executable(${name}_fuzz ${name}_fuzz.cpp)
  target_link_libraries(${name}_fuzz PRIVATE ${headers} ayatori_${ARG_IN} fmt::fmt)
  target_include_directories(${name}_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/src/base/fuzz ${ARG_SEES})
  ayatori_precompiled(${name}_fuzz fuzzer)
  target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
  set_target_properties(${name}_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzz)
endfunction()
