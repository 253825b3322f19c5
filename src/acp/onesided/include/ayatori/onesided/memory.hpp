#pragma once
/// \file
/// The memory of this process that has global addresses. Not thread-safe.

#include <functional>
#include <optional>
#include <span>

#include "ayatori/onesided/address_space.hpp"
#include "ayatori/transport/rdma.hpp"
#include "ayatori/transport/regions.hpp"

namespace ayatori::onesided {

class Memory {
 public:
  /// `seed`: of the keys of regions; a secret of this process.
  Memory(const AddressSpace& space, Rank self, std::uint64_t seed)
      : space_(space), self_(self), published_(AddressSpace::regions, seed) {}

  /// Registers memory and returns the key of the registration, which no later one has. The bytes stay the caller's, and
  /// must stay until remove().
  /// Errors: nothing to register, more than a region can hold, no region left.
  [[nodiscard]] Result<std::uint64_t> add(std::byte* start, Bytes size);
  /// Ends a registration; false if there is none with this key.
  bool remove(std::uint64_t key);

  /// The global address of a byte; nothing if the byte does not belong to the registration.
  [[nodiscard]] std::optional<GlobalAddress> address_of(std::uint64_t key, const std::byte* at) const;

  /// Memory that the processes of a host share: region 0 of `count` ranks from `first` on, `each` bytes apart from
  /// `start` on, and what each says of its other regions, neighbour_bytes apart from `neighbours` on, zeroed at first.
  /// It must outlive this object. `process` names this process to the others.
  struct Shared {
    Rank first = 0;
    Rank count = 0;
    std::byte* start = nullptr;
    Bytes each = 0;
    std::byte* neighbours = nullptr;
  };
  static constexpr Bytes neighbour_bytes = 8'192;
  void share(const Shared& shared, std::uint64_t process);

  /// Copies between local memory and that of another process of this host, from `address` on. `read_twice`: each half
  /// of `local` gets the same bytes, read one after the other. False: it can't, and nothing or a part was copied.
  enum class Neighbourly : std::uint8_t { read, read_twice, write };
  using NeighbourCopy =
      std::function<bool(std::uint64_t process, std::uint64_t address, std::span<std::byte> local, Neighbourly what)>;
  void use(NeighbourCopy copy) { neighbour_copy_ = std::move(copy); }

  /// Copies between `local` and registered memory of a process of this host that is not mapped. False if it is none, if
  /// not all of it is registered, or if it can't be done: then the process has to be asked.
  [[nodiscard]] bool copy_to_neighbour(const Location& to, const std::byte* local, Bytes size);
  [[nodiscard]] bool copy_from_neighbour(const Location& from, std::byte* local, Bytes size);

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
  [[nodiscard]] std::optional<transport::Region> neighbours_region(const Location& location, Bytes size) const;
  [[nodiscard]] bool copy_neighbour(const Location& location, std::span<std::byte> local, Neighbourly what);

  Shared shared_;
  NeighbourCopy neighbour_copy_;
};

/// Copies as memmove does. An aligned 1, 2, 4 or 8 bytes are loaded atomically, and stored atomically with release
/// order. A process that polls them never reads a part of them. Once it reads them, it also sees all earlier stores.
void store(std::byte* to, const std::byte* from, Bytes size);

}  // namespace ayatori::onesided
