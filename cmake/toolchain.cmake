# Language, warnings and sanitizers.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

# A compiler cache, if there is one (CCACHE_DISABLE=1: not this time). What it must overlook: precompiled headers have
# macros that it can't see, and times of their own.
find_program(AYATORI_CCACHE ccache)
if(AYATORI_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(overlooked pch_defines,time_macros,include_file_mtime,include_file_ctime)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=${overlooked} ${AYATORI_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  else()
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion)
# What a library does not use of an archive, the linker leaves out.
if(NOT AYATORI_SANITIZE)
  add_compile_options(-ffunction-sections -fdata-sections)
endif()
if(AYATORI_SANITIZE)
  add_compile_options(-fsanitize=${AYATORI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${AYATORI_SANITIZE})
  if(AYATORI_SANITIZE MATCHES undefined)
    # AddressSanitizer meets a bad pointer anyway; these checks double the time to compile.
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
endif()

# What is compiled beside libraries and fuzzers: with sanitizers twice as fast without optimisation, and it spends its time
# in the libraries. Only they count for fuzzers where inputs lead.
if(AYATORI_SANITIZE)
  list(APPEND ayatori_caller_options -O0)
endif()
if(AYATORI_SANITIZE MATCHES fuzzer)
  list(APPEND ayatori_caller_options -fno-sanitize=fuzzer-no-link)
endif()
