#pragma once
/// \file
/// Tags of one communicator, divided among groups of processes that all send their messages over it.

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

namespace ayatori {

/// Which blocks of tags this process uses. The processes of a new group agree on a block that is free in all of them:
/// two groups with a common process never have the same block at the same time. Safe for concurrent use.
class TagBlocks {
 public:
  static constexpr std::uint32_t max_count = 2048;
  /// By block, one bit: set if the block is free.
  using Mask = std::array<std::uint64_t, max_count / 64>;

  /// Divides the tags from 0 to `last_tag`, which is at least 32,767, as MPI guarantees.
  explicit TagBlocks(int last_tag);

  [[nodiscard]] int first_tag(std::uint32_t block) const { return static_cast<int>(block) * tags_; }
  [[nodiscard]] int tags_per_block() const { return tags_; }

  [[nodiscard]] Mask free_blocks() const;
  /// The lowest block of a mask; nothing if it has none.
  [[nodiscard]] static std::optional<std::uint32_t> lowest(const Mask& mask);
  /// False if the block is in use.
  [[nodiscard]] bool take(std::uint32_t block);
  void give_back(std::uint32_t block);

 private:
  int tags_;
  mutable std::mutex mutex_;
  Mask free_{};
};

}  // namespace ayatori
