#include "in_network.hpp"

#include <link.h>

#include <string_view>

namespace ayatori::plugin {

namespace {

int is_of_sharp(dl_phdr_info* library, std::size_t /*size*/, void* /*data*/) {
  const std::string_view path = library->dlpi_name;
  return path.substr(path.rfind('/') + 1).starts_with("libsharp_coll.so") ? 1 : 0;
}

}  // namespace

bool reduces_in_switches() { return dl_iterate_phdr(is_of_sharp, nullptr) != 0; }

}  // namespace ayatori::plugin
