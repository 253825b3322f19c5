# An MPI's compilers: AYATORI_MPICC_FAMILY and AYATORI_MPICXX_FAMILY. Debian has two MPIs next to each other, as mpicc.openmpi
# and mpicc.mpich; elsewhere mpicc is that of one. Others by -DAYATORI_MPICC_mpich=/opt/mpich/bin/mpicc.

function(ayatori_mpi_header_defines macro result compiler)
  execute_process(COMMAND ${compiler} -E -dM -include mpi.h -x c /dev/null OUTPUT_VARIABLE macros ERROR_QUIET)
  string(FIND "${macros}" "#define ${macro} " place)
  if(place LESS 0)
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

# As find_program asks: FALSE for a compiler of something else.
function(ayatori_compiles_for_openmpi result compiler)
  set(is_it TRUE)
  ayatori_mpi_header_defines(OMPI_MAJOR_VERSION is_it ${compiler})
  set(${result} ${is_it} PARENT_SCOPE)
endfunction()
function(ayatori_compiles_for_mpich result compiler)
  set(is_it TRUE)
  ayatori_mpi_header_defines(MPICH_VERSION is_it ${compiler})
  set(${result} ${is_it} PARENT_SCOPE)
endfunction()

function(ayatori_find_mpi family name)
  find_program(AYATORI_MPICC_${family} NAMES mpicc.${family} mpicc VALIDATOR ayatori_compiles_for_${family})
  if(NOT AYATORI_MPICC_${family})
    ayatori_left_out(lib${family}-dev "the MPI plug-in for ${name}")
    return()
  endif()
  cmake_path(GET AYATORI_MPICC_${family} PARENT_PATH folder)
  cmake_path(GET AYATORI_MPICC_${family} FILENAME program)
  string(REPLACE mpicc mpicxx program ${program})
  find_program(AYATORI_MPICXX_${family} ${program} PATHS ${folder} NO_DEFAULT_PATH)
endfunction()

ayatori_find_mpi(openmpi "Open MPI")
ayatori_find_mpi(mpich MPICH)
