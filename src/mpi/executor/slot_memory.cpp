#include "ayatori/executor/slot_memory.hpp"

namespace ayatori {

SlotMemory::SlotMemory(const Schedule& schedule, Rank participant) : offsets_{0} {
  for (Slot slot = 0; slot < schedule.slot_count(); ++slot) {
    offsets_.push_back(offsets_.back() + schedule.slot_bytes(participant, slot));
  }
  bytes_.resize(offsets_.back());
}

}  // namespace ayatori
