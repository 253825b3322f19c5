#pragma once
/// \file
/// Starter memory. The processes of a host share one shm file, so that each reaches the memory of the others by loads
/// and stores. Its name is removed as soon as all have mapped it. Until then it is locked; the file of a killed process
/// is recognised by the missing lock, and removed by the next process that makes a ShmWire (shm_wire.hpp).

#include <filesystem>
#include <span>

#include "ayatori/base/descriptor.hpp"
#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori::acp {

class StarterMemory {
 public:
  StarterMemory() = default;

  /// Makes `each` bytes, zeroed, for each of the `count` processes of a host; `rank` is this process's. The first host
  /// has the lowest ranks, and so on. With `count` 1 the memory is private. All processes call it with the same `key`
  /// before any of them calls forget_name(). Error: no memory.
  [[nodiscard]] static Result<StarterMemory> make(std::uint64_t key, Rank rank, std::uint32_t count, Bytes each);

  StarterMemory(StarterMemory&& other) noexcept;
  StarterMemory& operator=(StarterMemory&& other) noexcept;
  ~StarterMemory();

  void forget_name();

  [[nodiscard]] std::span<std::byte> all() const { return all_; }
  [[nodiscard]] std::span<std::byte> own() const { return own_; }

 private:
  std::span<std::byte> all_;
  std::span<std::byte> own_;
  std::filesystem::path name_;
  Descriptor locked_;
};

}  // namespace ayatori::acp
