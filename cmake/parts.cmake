# What the build needs, and what it can do without. Packages are called as Debian calls them; docs/install.md has the names
# of other distributions.

set(ayatori_left_out_file ${CMAKE_BINARY_DIR}/left-out.txt)
file(WRITE ${ayatori_left_out_file} "")

# ayatori_left_out(PACKAGES WHAT): one line of configure's, and one of a file that `./run build` reads.
function(ayatori_left_out packages what)
  message(STATUS "not found: ${packages}; left out: ${what}")
  file(APPEND ${ayatori_left_out_file} "${packages}: ${what}\n")
endfunction()

# The language. A version of the compiler would not do: Clang's depends on the C++ library that it finds.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#include <expected>\nint main() { return std::expected<int, int>(0).value(); }"
                          AYATORI_HAS_EXPECTED)
if(NOT AYATORI_HAS_EXPECTED)
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} (${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}) has no <expected> of "
          "C++23: GCC has it from 12 on, Clang from 19 on with GCC's library. Another compiler: CXX=g++-12 in a new build folder")
endif()

find_package(Threads REQUIRED)
find_package(fmt QUIET)
find_package(nlohmann_json QUIET)
# Compiled into the topology's code from its header.
find_path(XXHASH_INCLUDE xxhash.h)
# Compiled into base from its header.
find_path(TOMLPLUSPLUS_INCLUDE toml++/toml.h)
# Slurm's topology.yaml. As an archive where there is one, so that programs with libnwtopo need it not.
find_path(YAML_INCLUDE yaml.h)
find_library(YAML_LIBRARY NAMES libyaml.a yaml)
foreach(needed libfmt-dev:fmt_FOUND nlohmann-json3-dev:nlohmann_json_FOUND libxxhash-dev:XXHASH_INCLUDE
               libtomlplusplus-dev:TOMLPLUSPLUS_INCLUDE libyaml-dev:YAML_INCLUDE libyaml-dev:YAML_LIBRARY)
  string(REGEX MATCH "(.*):(.*)" unused ${needed})
  if(NOT ${CMAKE_MATCH_2})
    list(APPEND absent ${CMAKE_MATCH_1})
  endif()
endforeach()
if(absent)
  list(REMOVE_DUPLICATES absent)
  list(JOIN absent " " absent)
  message(FATAL_ERROR "not found: ${absent} (Debian's names; docs/install.md has those of other distributions). "
          "In a folder of your own: -DCMAKE_PREFIX_PATH=DIR")
endif()

# Keys that follow from the secret of a job.
find_path(NETTLE_INCLUDE nettle/umac.h)
find_library(NETTLE_LIBRARY nettle)
if(NOT NETTLE_INCLUDE OR NOT NETTLE_LIBRARY)
  list(REMOVE_ITEM AYATORI_PRODUCTS mpi acp)
  ayatori_left_out(nettle-dev "the MPI plug-in and libacp, whose jobs have a secret")
endif()
if(NOT AYATORI_PRODUCTS)
  message(FATAL_ERROR "nothing is left to build")
endif()

# For ib:live, which loads the libraries when it is asked for. libibnetdisc's header includes those of libibmad and
# libibumad, which Debian packages apart.
find_path(IBNETDISC_INCLUDE infiniband/ibnetdisc.h)
find_path(IBMAD_INCLUDE infiniband/mad.h)
find_path(IBUMAD_INCLUDE infiniband/umad.h)
if(IBNETDISC_INCLUDE AND IBMAD_INCLUDE AND IBUMAD_INCLUDE)
  set(IBNETDISC_FOUND TRUE)
else()
  set(IBNETDISC_FOUND FALSE)
  ayatori_left_out("libibnetdisc-dev libibmad-dev libibumad-dev" "the source ib:live")
endif()
if(NOT "mpi" IN_LIST AYATORI_PRODUCTS AND NOT "acp" IN_LIST AYATORI_PRODUCTS)
  return()
endif()

# The wire over network adapters, which loads the library when it is asked for, and plans in programs that use them.
find_path(IBVERBS_INCLUDE infiniband/verbs.h)
if(NOT IBVERBS_INCLUDE)
  ayatori_left_out(libibverbs-dev "plans for InfiniBand connections (run --plan), acprun over verbs")
endif()

if("mpi" IN_LIST AYATORI_PRODUCTS)
  include(cmake/mpi.cmake)
endif()
