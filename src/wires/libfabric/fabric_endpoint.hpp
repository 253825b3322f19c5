#pragma once
/// \file
/// A FI_EP_DGRAM endpoint with all that it needs (fi_endpoint(3)), opened in order and closed in the opposite order.

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <memory>
#include <span>

#include "ayatori/libfabric/libfabric_wire.hpp"

namespace ayatori::wires {

template <typename Object>
struct CloseFabricObject {
  void operator()(Object* object) const { fi_close(&object->fid); }
};
template <typename Object>
using FabricObject = std::unique_ptr<Object, CloseFabricObject<Object>>;

struct FreeInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};

/// What a call of libfabric returned instead of success.
[[nodiscard]] Failure refused_by(const std::string& provider, std::string_view call, std::int64_t code);

struct FabricEndpoint {
  /// Errors: no such provider, or it refuses something.
  [[nodiscard]] static Result<FabricEndpoint> open(const LibfabricOptions& options);

  /// Registers memory that is sent from or received into; nullptr if the provider does not need that.
  [[nodiscard]] Result<FabricObject<fid_mr>> registered(std::span<std::byte> memory) const;

  [[nodiscard]] std::size_t prefix_bytes() const;  ///< that are the provider's, before each datagram
  [[nodiscard]] std::size_t datagram_bytes() const { return info->ep_attr->max_msg_size; }
  [[nodiscard]] Result<FabricAddress> address() const;

  std::unique_ptr<fi_info, FreeInfo> info;
  FabricObject<fid_fabric> fabric;
  FabricObject<fid_domain> domain;
  FabricObject<fid_av> peers;
  FabricObject<fid_cq> sent;
  FabricObject<fid_cq> received;
  int received_descriptor = -1;  // ready when something may have been received; -1 if the provider has none
  FabricObject<fid_ep> endpoint;
};

}  // namespace ayatori::wires
