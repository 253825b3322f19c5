#pragma once
/// \file
/// The slots of one participant in one piece of memory, for whoever has no buffers of a caller to execute in.

#include <cstddef>
#include <span>
#include <vector>

#include "ayatori/schedule/schedule.hpp"

namespace ayatori {

/// Slots follow each other in the order of their numbers: the one region of a program that was compiled with
/// ProgramOptions' default.
class SlotMemory {
 public:
  /// All bytes are 0.
  SlotMemory(const Schedule& schedule, Rank participant);

  [[nodiscard]] std::span<std::byte> slot(Slot slot) {
    return std::span(bytes_).subspan(offsets_[slot], offsets_[slot + 1] - offsets_[slot]);
  }
  [[nodiscard]] std::span<const std::byte> slot(Slot slot) const {
    return std::span(bytes_).subspan(offsets_[slot], offsets_[slot + 1] - offsets_[slot]);
  }
  [[nodiscard]] Slot slot_count() const { return static_cast<Slot>(offsets_.size() - 1); }
  [[nodiscard]] std::byte* data() { return bytes_.data(); }

 private:
  std::vector<std::size_t> offsets_;  // by slot, and the end
  std::vector<std::byte> bytes_;
};

}  // namespace ayatori
