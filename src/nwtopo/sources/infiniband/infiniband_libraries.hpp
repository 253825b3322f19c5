#pragma once
/// \file
/// libibnetdisc and the libraries that it needs, loaded when a fabric is discovered: programs with libnwtopo need none
/// of them.

#include <infiniband/ibnetdisc.h>
#include <infiniband/mad.h>
#include <infiniband/umad.h>

#include "ayatori/base/error.hpp"

namespace ayatori {

/// The functions of these libraries that are called here, by their own names.
struct InfinibandLibraries {
  decltype(&::ibnd_discover_fabric) ibnd_discover_fabric;
  decltype(&::ibnd_destroy_fabric) ibnd_destroy_fabric;
  decltype(&::ibnd_iter_nodes_type) ibnd_iter_nodes_type;
  decltype(&::mad_get_field) mad_get_field;
  decltype(&::mad_get_field64) mad_get_field64;
  decltype(&::madrpc_show_errors) madrpc_show_errors;
  decltype(&::umad_init) umad_init;
  decltype(&::umad_get_ca_device_list) umad_get_ca_device_list;
  decltype(&::umad_free_ca_device_list) umad_free_ca_device_list;
  decltype(&::umad_open_port) umad_open_port;
  decltype(&::umad_close_port) umad_close_port;
};

/// They stay loaded. Error: libibnetdisc is not installed.
[[nodiscard]] Result<InfinibandLibraries> load_infiniband_libraries();

}  // namespace ayatori
