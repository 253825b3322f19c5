#pragma once
/// \file
/// Starter memory. The processes of a host share one piece of memory, so that each reaches the memory of the others by
/// loads and stores. The first process makes it, and the others find it in the job's private folder until all have
/// mapped it.

#include <filesystem>
#include <optional>
#include <span>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/shm/shm_file.hpp"

namespace ayatori::acp {

class StarterMemory {
 public:
  StarterMemory() = default;

  /// Makes `each` bytes and `more` bytes, zeroed, for each of the `count` processes of a host, whose ranks begin at
  /// `first`; this process is the `own`-th of them. With `count` 1 the memory is private. All processes call it with
  /// the same `folder` before any of them calls forget_name(). Error: no memory.
  [[nodiscard]] static Result<StarterMemory> make(const std::filesystem::path& folder, Rank first, std::uint32_t own,
                                                  std::uint32_t count, Bytes each, Bytes more);

  /// No further process finds it.
  void forget_name();
  void disown();  ///< see PollableWire

  [[nodiscard]] std::span<std::byte> all() const { return all_; }    ///< `each` bytes of each process
  [[nodiscard]] std::span<std::byte> more() const { return more_; }  ///< `more` bytes of each process
  [[nodiscard]] std::span<std::byte> own() const { return own_; }

 private:
  std::span<std::byte> all_;
  std::span<std::byte> own_;
  std::span<std::byte> more_;
  std::optional<wires::OwnShmFile> made_;  // by this process
  SharedMemory opened_;                    // made by another one
};

}  // namespace ayatori::acp
