# ayatori_product(libX): two targets with all C++ of a product, neither of which is installed. What is installed takes what
# it needs of the archive libX_parts into itself, and exports C alone. The tests, a hundred programs, share libX_inside.
#
# ayatori_exports(TARGET SYMBOL…): a shared library exports these symbols alone; * stands for any letters.
#
# ayatori_library(NAME IN libX USES A B … [LINKS X Y …] SOURCES a.cpp … [TESTS a_test.cpp …] [THREAD_TESTS b_test.cpp …]
#                 [TEST_USES C …])
#
# One folder of src/ = one object library, which becomes part of the product IN. Its headers are an include
# root of their own (include/ayatori/NAME/), and only the folders listed under USES are on its include path: an
# #include against the direction of docs/map.md does not compile. LINKS are outside libraries. TESTS become one
# GoogleTest program, NAME_test, linked to that product; it also sees the folders under TEST_USES: a test may stand
# above what it tests. THREAD_TESTS become NAME_threads_test: with ThreadSanitizer there are no others, and the target
# thread_tests builds all of them.

if(AYATORI_TESTS)
  enable_testing()
  find_package(GTest REQUIRED)
  add_custom_target(thread_tests)
endif()
include(cmake/precompiled.cmake)

function(ayatori_product product)
  string(REGEX REPLACE "^lib" "" name ${product})
  add_library(${product}_parts STATIC EXCLUDE_FROM_ALL)
  set_target_properties(${product}_parts PROPERTIES OUTPUT_NAME ${name}_parts LINKER_LANGUAGE CXX)
  add_library(${product}_inside SHARED EXCLUDE_FROM_ALL)
  set_target_properties(${product}_inside PROPERTIES OUTPUT_NAME ${name}_inside)
endfunction()

function(ayatori_exports target)
  set(versions ${CMAKE_CURRENT_BINARY_DIR}/${target}.map)
  list(JOIN ARGN "; " symbols)
  file(CONFIGURE OUTPUT ${versions} CONTENT "{ global: ${symbols}; local: *; };\n")
  target_link_options(${target} PRIVATE LINKER:--version-script=${versions})
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${versions})
endfunction()

# GCC optimises some folders of a product together, into one object: once for all that it becomes part of, and the linker
# would leave functions of std:: in the exports of what it optimises itself.
function(ayatori_optimise_together product)
  get_property(folders GLOBAL PROPERTY ayatori_together_in_${product})
  if(NOT folders)
    return()
  endif()
  list(TRANSFORM folders REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_RELEASE}")
  set(together ${CMAKE_CURRENT_BINARY_DIR}/${product}_together.o)
  add_custom_command(
    OUTPUT ${together}
    COMMAND ${CMAKE_CXX_COMPILER} ${flags} -fPIC -flto=auto -r -nostdlib -flinker-output=nolto-rel ${objects} -o ${together}
    DEPENDS ${objects}
    COMMAND_EXPAND_LISTS
    VERBATIM)
  foreach(made ${product} ${product}_parts ${product}_inside)
    if(TARGET ${made})
      target_sources(${made} PRIVATE ${together})
    endif()
  endforeach()
endfunction()

function(ayatori_library name)
  cmake_parse_arguments(ARG "" "IN" "USES;LINKS;SOURCES;TESTS;THREAD_TESTS;TEST_USES" ${ARGN})

  add_library(${name}_headers INTERFACE)
  target_include_directories(${name}_headers INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/include)
  set(headers ${name}_headers)
  foreach(used IN LISTS ARG_USES)
    list(APPEND headers ${used}_headers)
  endforeach()

  add_library(${name} OBJECT ${ARG_SOURCES})
  # A message passes many small functions, each of which would cost as much again by being called from outside.
  set(together OFF)
  if(ARG_IN STREQUAL libacp OR name STREQUAL carriers OR name STREQUAL player)
    target_compile_options(${name} PRIVATE -fno-semantic-interposition)
    if(AYATORI_TOGETHER)
      set(together ON)
      set_target_properties(${name} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
      set_property(GLOBAL APPEND PROPERTY ayatori_together_in_${ARG_IN} ${name})
    endif()
  endif()
  foreach(product ${ARG_IN} ${ARG_IN}_parts ${ARG_IN}_inside)
    if(TARGET ${product} AND together)
      target_link_libraries(${product} PRIVATE fmt::fmt openmp ${ARG_LINKS})
    elseif(TARGET ${product})
      target_link_libraries(${product} PRIVATE ${name})
    endif()
  endforeach()
  target_link_libraries(${name} PRIVATE ${headers} fmt::fmt openmp ${ARG_LINKS})
  ayatori_precompiled(${name} library)

  set_property(GLOBAL PROPERTY ayatori_product_of_${name} ${ARG_IN})
  if(AYATORI_TESTS)
    foreach(used IN LISTS ARG_TEST_USES)
      list(APPEND headers ${used}_headers)
    endforeach()
    ayatori_unit_tests(${name}_test "${ARG_TESTS}" LINKS ${headers} ${ARG_IN}_inside)
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
  set(linked ${product}_inside)
  if(product STREQUAL libayatori)
    set(linked libnwtopo_inside)
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
