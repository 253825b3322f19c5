#pragma once
/// \file
/// The memory of this process that has global addresses. Not thread-safe.

#include <optional>

#include "ayatori/onesided/address_space.hpp"
#include "ayatori/transport/rdma.hpp"
#include "ayatori/transport/regions.hpp"

namespace ayatori::onesided {

class Memory {
 public:
  Memory(const AddressSpace& space, Rank self) : space_(space), self_(self), published_(AddressSpace::regions) {}

  /// Registers memory and returns the key of the registration, which no later one has. The bytes stay the caller's, and
  /// must stay until remove().
  /// Errors: nothing to register, more than a region can hold, no region left.
  [[nodiscard]] Result<std::uint64_t> add(std::byte* start, Bytes size);
  /// Ends a registration; false if there is none with this key.
  bool remove(std::uint64_t key);

  /// The global address of a byte; nothing if the byte does not belong to the registration.
  [[nodiscard]] std::optional<GlobalAddress> address_of(std::uint64_t key, const std::byte* at) const;

  /// Memory of other processes that lies in this one's address space, too: region 0 of `count` ranks from `first` on,
  /// `each` bytes apart. The memory must outlive this object.
  void map(Rank first, Rank count, std::byte* start, Bytes each) { mapped_ = {first, count, start, each}; }

  /// The memory that this process can reach by loads and stores, its own or mapped; nullptr if it does not reach all of
  /// it.
  [[nodiscard]] std::byte* reach(const Location& location, Bytes size) const;

  /// Registered memory of this process; nullptr if not all of it is registered.
  [[nodiscard]] std::byte* find(const Location& location, Bytes size) const;
  [[nodiscard]] std::byte* find(const transport::RemoteRange& range) const;

  /// Sets the adapter. keys() registers a region with it at the first call for that region. It must outlive this
  /// object.
  void use(transport::Rdma* adapter) { adapter_ = adapter; }

  /// Whether the registration with this key has not ended.
  [[nodiscard]] bool has(std::uint64_t key) const;
  /// The keys of a region by which the adapter reaches it; nothing if there is no such region, or if the adapter does
  /// not take it.
  [[nodiscard]] std::optional<transport::RdmaKeys> keys(std::uint32_t region);
  /// The same of a region that has these bytes.
  [[nodiscard]] std::optional<transport::RdmaKeys> keys_of(std::span<const std::byte> bytes);

  /// What a peer may read: registered memory, and the directory of regions. An aligned 1, 2, 4 or 8 bytes are loaded
  /// atomically; the result is valid until the next call.
  [[nodiscard]] std::optional<std::span<const std::byte>> read(const transport::RemoteRange& range);

 private:
  AddressSpace space_;
  Rank self_;
  transport::PublishedRegions published_;
  struct AdapterKeys {
    bool asked = false;
    std::optional<transport::RdmaKeys> keys{};
  };
  std::uint64_t word_read_ = 0;  // what read() has loaded atomically
  transport::Rdma* adapter_ = nullptr;
  std::vector<AdapterKeys> adapter_keys_;  // by region, as far as they were asked for
  struct Mapped {
    Rank first = 0;
    Rank count = 0;
    std::byte* start = nullptr;
    Bytes each = 0;
  } mapped_;
};

/// Copies as memmove does. An aligned 1, 2, 4 or 8 bytes are loaded atomically, and stored atomically with release
/// order. A process that polls them never reads a part of them. Once it reads them, it also sees all earlier stores.
void store(std::byte* to, const std::byte* from, Bytes size);

}  // namespace ayatori::onesided
