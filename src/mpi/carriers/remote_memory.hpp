#pragma once
/// \file
/// Reads the memory of another process of this machine, where the kernel permits it (process_vm_readv(2)).

#include <cstddef>
#include <cstdint>
#include <span>

#include "segment_layout.hpp"

namespace ayatori {

/// Part of another process's memory. Lies in outboxes, as a list.
struct RemotePiece {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// One process as its reader knows it.
class RemoteMemory {
 public:
  /// Copies `from`, piece after piece, into `to`, piece after piece; both have the same number of bytes. False if the
  /// kernel does not permit it, in this namespace, by this user or for this kind of memory; `to` may be overwritten
  /// in part then. `view` and `peer` say whose memory it is.
  [[nodiscard]] bool read(const SegmentView& view, Rank peer, std::span<const RemotePiece> from,
                          std::span<const std::span<std::byte>> to);

 private:
  enum class Permission : std::uint8_t { unknown, given, refused };

  [[nodiscard]] static Permission ask(const SegmentView& view, Rank peer);

  Permission permission_ = Permission::unknown;
};

}  // namespace ayatori
