#pragma once
/// \file
/// Starter memory. That of all processes of a host is one piece of shared memory, so that they reach each other's
/// directly; its name is gone as soon as all have mapped it. Until then it is locked, so that what killed processes
/// left is told apart, and removed by the shared-memory wire's next maker (see shm_wire.hpp).

#include <filesystem>
#include <span>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/pollable/descriptor.hpp"

namespace ayatori::acp {

class StarterMemory {
 public:
  StarterMemory() = default;

  /// `each` bytes, zeroed, for each of `count` processes, of which this is number `own`; `count` 1: of this process
  /// alone. All of them call it with the same `key` before any of them forgets the name. Errors: no memory.
  [[nodiscard]] static Result<StarterMemory> make(std::uint64_t key, std::uint32_t own, std::uint32_t count,
                                                  Bytes each);

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
  wires::Descriptor locked_;
};

}  // namespace ayatori::acp
