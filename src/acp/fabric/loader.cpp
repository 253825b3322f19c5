#include "loader.hpp"

#include <dlfcn.h>

namespace ayatori::fabric {

namespace {

Loader found;

/// The version of a function that programs of today get. It takes and gives structures as libfabric itself has them.
template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

const Loader& loader() { return found; }

bool find_loader(const void* caller) {
  Dl_info place{};
  if (dladdr(caller, &place) == 0) return false;
  // It stays loaded as long as we are, and in a program that has it linked in, its functions are the program's.
  void* library = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) library = dlopen(nullptr, RTLD_LAZY);
  decltype(&fi_version) version = nullptr;
  find(library, "fi_version", version);
  find(library, "fi_dupinfo", found.duplicate);
  find(library, "fi_strerror", found.text_of_error);
  find(library, "fi_param_define", found.define_parameter);
  find(library, "fi_param_get", found.get_parameter);
  if (version) found.version = version();
  return version && found.duplicate && found.text_of_error && found.define_parameter && found.get_parameter;
}

}  // namespace ayatori::fabric
