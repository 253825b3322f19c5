#include <dlfcn.h>
#include <link.h>

#include <string>
#include <vector>

#include "exchange.hpp"

namespace ayatori::launch {

void* loaded_with(const char* function) {
  std::vector<std::string> objects;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* names) {
        static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
        return 0;
      },
      &objects);
  for (const std::string& name : objects) {
    void* const object = dlopen(name.empty() ? nullptr : name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (object && dlsym(object, function)) return object;
    if (object) dlclose(object);
  }
  return nullptr;
}

}  // namespace ayatori::launch
