#ifdef AYATORI_HAVE_IBNETDISC

#include "infiniband_libraries.hpp"

#include <dlfcn.h>

namespace ayatori {

Result<InfinibandLibraries> load_infiniband_libraries() {
  // Whose headers this was compiled with.
  constexpr const char* library = "libibnetdisc.so.5";
  void* const loaded = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  const auto missing = [&] {
    const char* const why = dlerror();
    return with_hint(with_cause(fail("ib:live: {} can't be loaded", library), why ? why : ""),
                     "apt-get install libibnetdisc5; or open what ibnetdiscover prints as ib:FILE");
  };
  if (!loaded) return missing();
  bool all = true;
  // Also finds what libibnetdisc itself needs: libibmad and libibumad.
  const auto function = [&]<typename Function>(Function*& found, const char* name) {
    found = reinterpret_cast<Function*>(dlsym(loaded, name));
    all = all && found != nullptr;
  };
  InfinibandLibraries made{};
  function(made.ibnd_discover_fabric, "ibnd_discover_fabric");
  function(made.ibnd_destroy_fabric, "ibnd_destroy_fabric");
  function(made.ibnd_iter_nodes_type, "ibnd_iter_nodes_type");
  function(made.mad_get_field, "mad_get_field");
  function(made.mad_get_field64, "mad_get_field64");
  function(made.madrpc_show_errors, "madrpc_show_errors");
  function(made.umad_init, "umad_init");
  function(made.umad_get_ca_device_list, "umad_get_ca_device_list");
  function(made.umad_free_ca_device_list, "umad_free_ca_device_list");
  function(made.umad_open_port, "umad_open_port");
  function(made.umad_close_port, "umad_close_port");
  if (!all) return missing();
  return made;
}

}  // namespace ayatori

#endif
