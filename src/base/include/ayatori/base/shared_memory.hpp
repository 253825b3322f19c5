#pragma once
/// \file
/// Memory that the processes of one machine share. It has no name (memfd_create(2)): others open the descriptor of the
/// process that made it, /proc/PID/fd/N, which the kernel lets processes of the same user do. Nothing is left of it
/// when its processes end, however they end.

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "ayatori/base/descriptor.hpp"

namespace ayatori {

struct Unmap {
  std::size_t bytes = 0;
  void operator()(std::byte* start) const;
};

struct SharedMemory {
  std::unique_ptr<std::byte, Unmap> memory;
  Descriptor file;  ///< of the process that made it; others find it as long as it is open
  ino_t inode = 0;  ///< distinguishes it from later memory at the same place

  [[nodiscard]] std::span<std::byte> bytes() const { return {memory.get(), memory.get_deleter().bytes}; }
};

/// When pages are allocated. If they are not allocated at once, a lack of memory is a SIGBUS later.
enum class Pages : std::uint8_t { at_once, when_used };

/// Zeroed memory, whose size no process can change. Error: there is none.
[[nodiscard]] Result<SharedMemory> make_shared_memory(std::size_t bytes, Pages pages);

/// Maps the memory of another process, without its descriptor. Errors: with code ENOENT if there is none now; it is not
/// this user's, or empty.
[[nodiscard]] Result<SharedMemory> open_shared_memory(const std::string& path);

/// Where other processes find a descriptor.
[[nodiscard]] std::string path_of(pid_t process, int descriptor);

}  // namespace ayatori
