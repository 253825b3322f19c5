#include "domain.hpp"

#include <fmt/core.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <utility>

#include "atomics.hpp"
#include "info.hpp"
#include "node.hpp"
#include "port.hpp"
#include "provider.hpp"

namespace ayatori::fabric {

namespace {

Domain& domain_of(fid* object) { return *static_cast<Domain*>(reinterpret_cast<fid_domain*>(object)); }

// ---- Memory

int close_memory(fid* object) {
  auto* const region = static_cast<MemoryRegion*>(reinterpret_cast<fid_mr*>(object));
  {
    const Node::Lock lock(region->domain.node);
    region->domain.regions.erase(region->key);
    --region->domain.users;
  }
  delete region;
  return 0;
}

fi_ops* region_functions() {
  static fi_ops made{sizeof(fi_ops), close_memory, refused, refused, refused, nullptr, refused};
  return &made;
}

int add_memory(fid* object, std::span<std::byte> memory, std::uint64_t access, std::uint64_t wanted_key, fid_mr** made,
               void* context) {
  Domain& domain = domain_of(object);
  auto region = std::make_unique<MemoryRegion>(domain, memory, access, context);
  const Node::Lock lock(domain.node);
  // The upper bit stays free for programs that test a key for FI_KEY_NOTAVAIL.
  region->key = domain.own_keys ? domain.keys() >> 1 : wanted_key;
  if (!domain.regions.try_emplace(region->key, region.get()).second) return -FI_ENOKEY;
  ++domain.users;
  *made = region.release();
  return 0;
}

int add_memory(fid* object, const void* memory, size_t size, uint64_t access, uint64_t offset, uint64_t key,
               uint64_t flags, fid_mr** made, void* context) {
  if (flags != 0) return -FI_EBADFLAGS;
  if (offset != 0) return -FI_EINVAL;
  const std::span bytes(static_cast<std::byte*>(const_cast<void*>(memory)), size);
  return add_memory(object, bytes, access, key, made, context);
}

int add_memory(fid* object, const iovec* pieces, size_t count, uint64_t access, uint64_t offset, uint64_t key,
               uint64_t flags, fid_mr** made, void* context) {
  if (count != 1) return -FI_EINVAL;
  return add_memory(object, pieces->iov_base, pieces->iov_len, access, offset, key, flags, made, context);
}

int add_memory(fid* object, const fi_mr_attr* attributes, uint64_t flags, fid_mr** made) {
  if (attributes->iface != FI_HMEM_SYSTEM) return -FI_ENOSYS;
  return add_memory(object, attributes->mr_iov, attributes->iov_count, attributes->access, attributes->offset,
                    attributes->requested_key, flags, made, attributes->context);
}

// ---- Address vectors

AddressVector& vector_of(fid_av* av) { return *static_cast<AddressVector*>(av); }

/// Every rank has the same wrong addresses.
void complain_of_other_job(const launch::Placement& placement) {
  static bool said = false;
  if (std::exchange(said, true)) return;
  complain(
      fmt::format("rank {} of {}, started by {}, reaches no process of another job: MPI_Comm_spawn makes such "
                  "processes, and so do ACP_RANK and ACP_PROCS, left in the environment of mpirun",
                  placement.rank, placement.procs, placement.launcher));
}

/// FI_AV_TABLE and FI_AV_MAP give the same: an index.
int insert(fid_av* av, const void* names, size_t count, fi_addr_t* found, uint64_t flags, void* context) {
  AddressVector& vector = vector_of(av);
  if ((flags & ~(FI_MORE | FI_SYNC_ERR)) != 0) return -FI_EBADFLAGS;
  const Node::Lock lock(vector.domain.node);
  const launch::Placement& placement = vector.domain.node.placement();
  const Bytes before = vector.addresses.memory_bytes();
  int inserted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    EndpointName name;
    std::memcpy(&name, static_cast<const std::byte*>(names) + i * sizeof name, sizeof name);
    const bool good = name.job == placement.job_key && name.rank < placement.procs && name.version == 1;
    if (found) found[i] = good ? vector.addresses.insert({name.rank, name.endpoint}) : FI_ADDR_NOTAVAIL;
    if (!found && good) vector.addresses.insert({name.rank, name.endpoint});
    if ((flags & FI_SYNC_ERR) != 0) static_cast<int*>(context)[i] = good ? 0 : FI_EADDRNOTAVAIL;
    inserted += good ? 1 : 0;
    if (!good) complain_of_other_job(placement);
  }
  vector.domain.node.count_address_bytes(vector.addresses.memory_bytes() - before);
  return inserted;
}

int remove(fid_av* av, fi_addr_t* indices, size_t count, uint64_t flags) {
  AddressVector& vector = vector_of(av);
  if (flags != 0) return -FI_EBADFLAGS;
  const Node::Lock lock(vector.domain.node);
  for (std::size_t i = 0; i < count; ++i) vector.addresses.remove(indices[i]);
  return 0;
}

int look_up(fid_av* av, fi_addr_t address, void* name, size_t* size) {
  const AddressVector& vector = vector_of(av);
  const Node::Lock lock(vector.domain.node);
  const auto found = vector.addresses.at(address);
  if (!found) return -FI_EINVAL;
  const EndpointName whole{
      .job = vector.domain.node.placement().job_key, .rank = found->rank, .endpoint = found->endpoint};
  std::memcpy(name, &whole, std::min(*size, sizeof whole));
  *size = sizeof whole;
  return 0;
}

const char* to_text(fid_av*, const void* address, char* buffer, size_t* size) {
  EndpointName name;
  std::memcpy(&name, address, sizeof name);
  const int needed = std::snprintf(buffer, *size, "ayatori://%016llx/%u/%u", static_cast<unsigned long long>(name.job),
                                   name.rank, name.endpoint);
  *size = static_cast<std::size_t>(needed) + 1;
  return buffer;
}

int close_vector(fid* object) {
  AddressVector* const vector = &vector_of(reinterpret_cast<fid_av*>(object));
  {
    const Node::Lock lock(vector->domain.node);
    if (vector->bound > 0) return -FI_EBUSY;
    --vector->domain.users;
  }
  delete vector;
  return 0;
}

int bind_nothing(fid*, fid* bound, uint64_t) { return bound->fclass == FI_CLASS_EQ ? 0 : -FI_EINVAL; }

fi_ops* vector_functions() {
  static fi_ops made{sizeof(fi_ops), close_vector, bind_nothing, refused, refused, nullptr, refused};
  return &made;
}

fi_ops_av* address_functions() {
  static fi_ops_av made{sizeof(fi_ops_av), insert, refused, refused, remove, look_up, to_text, refused};
  return &made;
}

// ---- The domain

int query_atomic(fid_domain*, fi_datatype type, fi_op operation, fi_atomic_attr* attributes, uint64_t flags) {
  if ((flags & ~(FI_FETCH_ATOMIC | FI_COMPARE_ATOMIC)) != 0) return -FI_EBADFLAGS;
  AtomicForm form = AtomicForm::write;
  if ((flags & FI_FETCH_ATOMIC) != 0) form = AtomicForm::fetch;
  if ((flags & FI_COMPARE_ATOMIC) != 0) form = AtomicForm::compare;
  const std::size_t most = max_count(type, operation, form);
  if (most == 0) return -FI_EOPNOTSUPP;
  attributes->count = most;
  attributes->size = size_of(type);
  return 0;
}

int close_domain(fid* object) {
  Domain* const domain = &domain_of(object);
  {
    const Node::Lock lock(domain->node);
    if (domain->users > 0) return -FI_EBUSY;
  }
  delete domain;
  return 0;
}

fi_ops* domain_object_functions() {
  static fi_ops made{sizeof(fi_ops), close_domain, bind_nothing, refused, refused, nullptr, refused};
  return &made;
}

fi_ops_domain* domain_functions() {
  static fi_ops_domain made{sizeof(fi_ops_domain),
                            open_address_vector,
                            open_queue,
                            open_endpoint,
                            refused,
                            open_counter,
                            refused,
                            refused,
                            refused,
                            query_atomic,
                            refused};
  return &made;
}

}  // namespace

Domain::Domain(Node& owner, const fi_info& info, void* its_context)
    : fid_domain{},
      node(owner),
      virtual_addresses((info.domain_attr->mr_mode & (mr_basic | FI_MR_VIRT_ADDR)) != 0),
      own_keys((info.domain_attr->mr_mode & (mr_basic | FI_MR_PROV_KEY)) != 0),
      keys(owner.seed_of_keys()) {
  fid.fclass = FI_CLASS_DOMAIN;
  fid.context = its_context;
  fid.ops = domain_object_functions();
  ops = domain_functions();
  mr = memory_functions();
}

std::optional<std::span<std::byte>> Domain::memory_at(std::uint64_t key, std::uint64_t address, Bytes size,
                                                      std::uint64_t access) const {
  const auto found = regions.find(key);
  if (found == regions.end()) return std::nullopt;
  const MemoryRegion& region = *found->second;
  const auto base = virtual_addresses ? reinterpret_cast<std::uintptr_t>(region.memory.data()) : 0;
  const std::uint64_t offset = address - base;
  if ((region.access & access) == 0 || offset > region.memory.size() || size > region.memory.size() - offset) {
    return std::nullopt;
  }
  return region.memory.subspan(offset, size);
}

MemoryRegion::MemoryRegion(Domain& owner, std::span<std::byte> its_memory, std::uint64_t its_access, void* its_context)
    : fid_mr{}, domain(owner), memory(its_memory), access(its_access) {
  fid.fclass = FI_CLASS_MR;
  fid.context = its_context;
  fid.ops = region_functions();
}

AddressVector::AddressVector(Domain& owner, void* its_context) : fid_av{}, domain(owner) {
  fid.fclass = FI_CLASS_AV;
  fid.context = its_context;
  fid.ops = vector_functions();
  ops = address_functions();
}

fi_ops_mr* memory_functions() {
  static fi_ops_mr made{sizeof(fi_ops_mr), add_memory, add_memory, add_memory};
  return &made;
}

int open_address_vector(fid_domain* domain, fi_av_attr* attributes, fid_av** made, void* context) {
  // A name or a map is of a vector that processes share; events tell of insertions that take time.
  if (attributes && (attributes->name || attributes->map_addr || attributes->rx_ctx_bits != 0)) return -FI_ENOSYS;
  if (attributes && attributes->flags != 0) return -FI_ENOSYS;
  auto& owner = *static_cast<Domain*>(domain);
  auto* const vector = new (std::nothrow) AddressVector(owner, context);
  if (!vector) return -FI_ENOMEM;
  if (attributes && attributes->type == FI_AV_UNSPEC) attributes->type = FI_AV_TABLE;
  const Node::Lock lock(owner.node);
  ++owner.users;
  *made = vector;
  return 0;
}

/// A program may try several domains, and each one fails alike.
int refuse(const Error& error, int number) {
  static std::once_flag said;
  std::call_once(said, [&] { complain(error.hint.empty() ? error.message : error.message + "; " + error.hint); });
  return number;
}

int open_domain(fid_fabric*, fi_info* info, fid_domain** made, void* context) {
  const auto node = Node::join();
  if (!node) return refuse(node.error(), -FI_ENODEV);
  if (info->domain_attr->data_progress == FI_PROGRESS_AUTO) {
    if (const auto begun = (*node)->make_progress_by_itself(); !begun) return refuse(begun.error(), -FI_EMFILE);
  }
  auto* const domain = new (std::nothrow) Domain(**node, *info, context);
  if (!domain) return -FI_ENOMEM;
  *made = domain;
  return 0;
}

}  // namespace ayatori::fabric
