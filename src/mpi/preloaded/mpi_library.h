#pragma once
/// \file
/// The MPI of a process into which a library of ours was preloaded: it was linked to the program, or loaded later by
/// dlopen (as mpi4py does), or is not there (in shells and launchers). Not safe for concurrent use.

/// The function of this name after our library: the MPI's, or that of another library that is preloaded. NULL without
/// one. An MPI that was loaded later is made visible to all of the process.
void* mpi_library_function(const char* name);

/// The variable that the program uses: its copy of one of the MPI's (R_X86_64_COPY), or the MPI's. NULL without one.
void* mpi_library_variable(const char* name);

/// In an MPI that was loaded later, whoever has called it; NULL if there is none, or it lacks the function.
void* mpi_library_function_loaded_later(const char* name);

/// Whether the process has an MPI of the standard ABI (MPI 5.0, chapter 20: libmpi_abi.so), whose handles and constants
/// are those of no family.
int mpi_library_has_standard_abi(void);
