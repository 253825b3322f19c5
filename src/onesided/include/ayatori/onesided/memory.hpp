#pragma once
/// \file
/// The memory of this process that has global addresses. Not thread-safe.

#include <optional>

#include "ayatori/onesided/address_space.hpp"
#include "ayatori/transport/regions.hpp"

namespace ayatori::onesided {

class Memory {
 public:
  Memory(const AddressSpace& space, Rank self) : space_(space), self_(self), published_(AddressSpace::regions) {}

  /// Names the registration, and is never used again. The bytes stay the caller's, and must stay until remove().
  /// Errors: nothing to register, more than a region can hold, no region left.
  [[nodiscard]] Result<std::uint64_t> add(std::byte* start, Bytes size);
  /// False: there is no such registration.
  bool remove(std::uint64_t key);

  /// Nothing if `at` is not in what was registered.
  [[nodiscard]] std::optional<GlobalAddress> address_of(std::uint64_t key, const std::byte* at) const;

  /// Memory of other processes that lies in this one's address space, too: region 0 of `count` ranks from `first` on,
  /// `each` bytes apart. It must stay as long as this.
  void map(Rank first, Rank count, std::byte* start, Bytes each) { mapped_ = {first, count, start, each}; }

  /// Where this process can reach it directly, as its own or mapped; nullptr if not all of it.
  [[nodiscard]] std::byte* reach(const Location& location, Bytes size) const;

  /// Of this process's own; nullptr if it is not all here.
  [[nodiscard]] std::byte* find(const Location& location, Bytes size) const;
  [[nodiscard]] std::byte* find(const transport::RemoteRange& range) const;

  /// Of a peer that reads: of what is registered, or of the directory.
  [[nodiscard]] std::optional<std::span<const std::byte>> read(const transport::RemoteRange& range) const;

 private:
  AddressSpace space_;
  Rank self_;
  transport::PublishedRegions published_;
  struct Mapped {
    Rank first = 0;
    Rank count = 0;
    std::byte* start = nullptr;
    Bytes each = 0;
  } mapped_;
};

/// Copies as memmove does; an aligned 1, 2, 4 or 8 bytes at once, so that who polls them sees them whole, and then sees
/// all that was stored before.
void store(std::byte* to, const std::byte* from, Bytes size);

}  // namespace ayatori::onesided
