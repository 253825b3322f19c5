#pragma once
// The MPI's own functions, from its library itself. Both names of a collective, MPI_Bcast and PMPI_Bcast, are the
// plug-in's where it is preloaded, so neither can say what the MPI alone would do.

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

/// The library in which a function is that the plug-in does not stand in front of.
inline const Dl_info& library_of_the_mpi() {
  static const Dl_info found = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(&MPI_Get_version), &info);
    return info;
  }();
  return found;
}

template <typename Function>
Function* mpis_own(const char* name) {
  static void* const library = dlopen(library_of_the_mpi().dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  void* const address = library == nullptr ? nullptr : dlsym(library, name);
  Dl_info place{};
  if (address == nullptr || dladdr(address, &place) == 0 || place.dli_fbase != library_of_the_mpi().dli_fbase) {
    std::printf("%s is not found in %s\n", name, library_of_the_mpi().dli_fname);
    std::abort();
  }
  Function* function = nullptr;
  std::memcpy(&function, &address, sizeof function);
  return function;
}

/// MPIS_OWN(Bcast)(…): what the MPI does without the plug-in.
#define MPIS_OWN(name) (mpis_own<decltype(MPI_##name)>("PMPI_" #name))
