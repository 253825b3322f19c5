# ayatori_library(NAME IN libX USES A B … [LINKS X Y …] SOURCES a.cpp … [TESTS a_test.cpp …] [THREAD_TESTS b_test.cpp …]
#                 [TEST_USES C …])
#
# One folder of src/ = one object library, which becomes part of the shared library IN. Its headers are an include
# root of their own (include/ayatori/NAME/), and only the folders listed under USES are on its include path: an
# #include against the direction of docs/map.md does not compile. LINKS are outside libraries. TESTS become one
# GoogleTest program, NAME_test, linked to that library; it also sees the folders under TEST_USES: a test may stand
# above what it tests. THREAD_TESTS become NAME_threads_test: with ThreadSanitizer there are no others, and the target
# thread_tests builds all of them.

if(AYATORI_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  add_custom_target(thread_tests)
endif()
include(cmake/precompiled.cmake)

function(ayatori_library name)
  cmake_parse_arguments(ARG "" "IN" "USES;LINKS;SOURCES;TESTS;THREAD_TESTS;TEST_USES" ${ARGN})

  add_library(${name}_headers INTERFACE)
  target_include_directories(${name}_headers INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
  set(headers ${name}_headers)
  foreach(used IN LISTS ARG_USES)
    list(APPEND headers ${used}_headers)
  endforeach()

  add_library(${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(${ARG_IN} PRIVATE ${name})
  target_link_libraries(${name} PRIVATE ${headers} fmt::fmt openmp ${ARG_LINKS})
  ayatori_precompiled(${name} library)
  if(ARG_IN STREQUAL libacp OR name STREQUAL carriers OR name STREQUAL player)
    # A message passes many small functions, each of which would cost as much again by being called from outside.
    target_compile_options(${name} PRIVATE -fno-semantic-interposition)
    set_target_properties(${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION_RELEASE ${AYATORI_IPO})
  endif()

  set_property(GLOBAL PROPERTY ayatori_product_of_${name} ${ARG_IN})
  if(AYATORI_TESTS)
    foreach(used IN LISTS ARG_TEST_USES)
      list(APPEND headers ${used}_headers)
    endforeach()
    ayatori_unit_tests(${name}_test "${ARG_TESTS}" LINKS ${headers} ${ARG_IN})
    if(ARG_THREAD_TESTS)
      ayatori_parts(linked ${ARG_IN} ${name} ${ARG_USES} ${ARG_TEST_USES})
      ayatori_unit_tests(${name}_threads_test "${ARG_THREAD_TESTS}" LINKS ${headers} ${linked})
      add_dependencies(thread_tests ${name}_threads_test)
    endif()
  endif()
endfunction()

# ayatori_parts(RESULT PRODUCT FOLDERS…): what a test of these folders links. Of libayatori only the folders and
# libnwtopo, since all of it takes minutes to compile for one test; any other product whole.
function(ayatori_parts result product)
  set(linked ${product})
  if(product STREQUAL libayatori)
    set(linked libnwtopo)
    foreach(folder IN LISTS ARGN)
      get_property(in GLOBAL PROPERTY ayatori_product_of_${folder})
      if(in STREQUAL libayatori)
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
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} fmt::fmt openmp GTest::gtest_main Threads::Threads)
  target_compile_options(${name} PRIVATE ${ayatori_caller_options})
  ayatori_precompiled(${name} test)
  target_compile_definitions(${name} PRIVATE AYATORI_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  ayatori_gtest(${name})
endfunction()

# One entry of ctest for the whole program: under sanitizers most of a test's time is the start of its process.
function(ayatori_gtest name)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
                       ENVIRONMENT LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp)
endfunction()
