# For `./run wheel`: zig compiles for glibc 2.28, whatever this machine has, with its own C++ runtime linked in. It keeps
# what it compiled, without ccache.
# AYATORI_WHEEL_PARTS is a folder that scripts/wheel_parts.sh made: zig's commands in bin/, others' headers and libraries
# in usr/, none of them this machine's.

list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES AYATORI_WHEEL_PARTS AYATORI_WHEEL_MACHINE)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${AYATORI_WHEEL_MACHINE})
set(CMAKE_LIBRARY_ARCHITECTURE ${AYATORI_WHEEL_MACHINE}-linux-gnu)
foreach(tool C_COMPILER=cc CXX_COMPILER=c++ AR=ar RANLIB=ranlib)
  string(REPLACE "=" ";" tool ${tool})
  list(GET tool 0 variable)
  list(GET tool 1 name)
  set(CMAKE_${variable} ${AYATORI_WHEEL_PARTS}/bin/${name})
endforeach()

set(AYATORI_CCACHE "" CACHE FILEPATH "")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG" CACHE STRING "")
set(CMAKE_CXX_FLAGS_RELEASE ${CMAKE_C_FLAGS_RELEASE} CACHE STRING "")
# Its runtime has what debuggers want, ten times the size; it can leave that out while it links, and not afterwards.
foreach(kind SHARED MODULE EXE)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT -s)
endforeach()

set(CMAKE_FIND_ROOT_PATH ${AYATORI_WHEEL_PARTS})
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)  # nanobind is this machine's
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# A wheel has no other place for its libraries than its folders.
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/..;$ORIGIN/../..")
# Compiled from its headers: Debian's library is of another C++ runtime.
set(fmt_DIR ${AYATORI_WHEEL_PARTS}/fmt)

foreach(family openmpi mpich)
  set(AYATORI_MPICC_${family} ${AYATORI_WHEEL_PARTS}/bin/mpicc.${family})
endforeach()
set(ENV{PKG_CONFIG_LIBDIR} ${AYATORI_WHEEL_PARTS}/usr/lib/pkgconfig)
