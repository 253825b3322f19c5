#pragma once
/// \file
/// The libfabric that has loaded this library, any version from 1.15 on. Only it is asked: a process may have several,
/// and this library is linked to none.
///
/// What differs between versions, and why that is safe:
///
/// - *What libfabric and programs hand over and get back* (fi_info and its attributes, fi_cq_err_entry, …): later
/// versions
///   have more members at the end of a structure. This library uses those that 1.15 has, at the same places in all. A
///   structure that libfabric reads whole is allocated by the libfabric that reads it (new_info), with zeros.
/// - *Tables of functions* (fi_ops_ep, …) begin with the size that they had for our compiler. Callers look at it before
///   they call what is newer.
/// - *Structures that programs see and we allocate* (fid_ep, fid_domain, …) are the same in all versions.

#include <rdma/providers/fi_prov.h>

#include <cstdint>

namespace ayatori::fabric {

struct Loader {
  std::uint32_t version = 0;
  decltype(&fi_dupinfo) duplicate = nullptr;
  decltype(&fi_strerror) text_of_error = nullptr;
  decltype(&fi_param_define) define_parameter = nullptr;
  decltype(&fi_param_get) get_parameter = nullptr;

  [[nodiscard]] fi_info* new_info() const { return duplicate(nullptr); }
};

/// Valid once find_loader() has succeeded.
[[nodiscard]] const Loader& loader();

/// `caller`: an address in libfabric's code. False: there are functions that it does not have.
[[nodiscard]] bool find_loader(const void* caller);

}  // namespace ayatori::fabric
