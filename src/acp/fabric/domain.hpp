#pragma once
/// \file
/// A domain of libfabric, its registered memory, and its address vectors.

#include <rdma/fi_domain.h>

#include <optional>
#include <span>
#include <unordered_map>

#include "addresses.hpp"
#include "ayatori/base/random.hpp"
#include "completions.hpp"

namespace ayatori::fabric {

class Node;
struct MemoryRegion;

struct Domain : fid_domain {
  Domain(Node& owner, const fi_info& info, void* its_context);

  /// The memory that a peer names, if it may access it so: FI_REMOTE_READ, FI_REMOTE_WRITE. Nothing if not.
  [[nodiscard]] std::optional<std::span<std::byte>> memory_at(std::uint64_t key, std::uint64_t address, Bytes size,
                                                              std::uint64_t access) const;

  Node& node;
  bool virtual_addresses;   ///< mr_basic, FI_MR_VIRT_ADDR: remote addresses are those of the owner
  bool own_keys;            ///< mr_basic, FI_MR_PROV_KEY: the keys are ours, random
  std::uint32_t users = 0;  ///< what was opened in it
  Random keys;
  std::unordered_map<std::uint64_t, MemoryRegion*> regions;
};

struct MemoryRegion : fid_mr {
  MemoryRegion(Domain& owner, std::span<std::byte> its_memory, std::uint64_t its_access, void* its_context);

  Domain& domain;
  std::span<std::byte> memory;
  std::uint64_t access;
};

struct AddressVector : fid_av {
  AddressVector(Domain& owner, void* its_context);

  Domain& domain;
  std::uint32_t bound = 0;  ///< endpoints that use it
  Addresses addresses;
};

/// What an endpoint is called, 16 bytes: the job, the rank, the number of the endpoint.
struct EndpointName {
  std::uint64_t job = 0;
  Rank rank = 0;
  EndpointNumber endpoint = 0;
  std::uint16_t version = 1;
};
static_assert(sizeof(EndpointName) == 16);

/// Remote memory is that of an endpoint's domain; the number of this endpoint is in the upper 16 bits of the offset.
inline constexpr int offset_bits = 48;
inline constexpr EndpointNumber no_endpoint = 0xFFFF;  ///< the bytes of a long message, whose operation is the key

/// What fi_getinfo says of this process, which has perhaps not joined its job: the parts that only an open endpoint has
/// are left open, as other providers leave a port. fi_getname has them.
inline constexpr EndpointName still_without_name{.rank = no_id, .endpoint = no_endpoint};

[[nodiscard]] constexpr std::uint64_t remote_offset(EndpointNumber endpoint, std::uint64_t offset) {
  return std::uint64_t{endpoint} << offset_bits | (offset & ((std::uint64_t{1} << offset_bits) - 1));
}
[[nodiscard]] constexpr EndpointNumber endpoint_in(std::uint64_t offset) {
  return static_cast<EndpointNumber>(offset >> offset_bits);
}
[[nodiscard]] constexpr std::uint64_t offset_in(std::uint64_t offset) {
  return offset & ((std::uint64_t{1} << offset_bits) - 1);
}

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** made, void* context);
int open_address_vector(fid_domain* domain, fi_av_attr* attributes, fid_av** made, void* context);
int open_queue(fid_domain* domain, fi_cq_attr* attributes, fid_cq** made, void* context);
int open_counter(fid_domain* domain, fi_cntr_attr* attributes, fid_cntr** made, void* context);
[[nodiscard]] fi_ops_mr* memory_functions();

}  // namespace ayatori::fabric
