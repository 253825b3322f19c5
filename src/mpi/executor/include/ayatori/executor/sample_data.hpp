#pragma once
/// \file
/// Data for an execution whose result is to be checked: every contribution has bytes of its own, so that the result
/// shows which contributions are in it. Whatever executes schedules is tested with it, here, over MPI and under SMPI.

#include "ayatori/base/error.hpp"
#include "ayatori/executor/executor.hpp"
#include "ayatori/executor/slot_memory.hpp"
#include "ayatori/schedule/postcondition.hpp"

namespace ayatori {

/// Byte `index` of a contribution: a hash of rank, slot and index, so that sums of different contributions differ.
[[nodiscard]] std::byte sample_byte(Contribution contribution, std::size_t index);

/// The reduction of sample data: byte by byte, modulo 256. An executor's Combine.
void add_bytes(std::byte* to, const std::byte* from, std::size_t bytes, OperandOrder order = OperandOrder::any);

/// Fills the slots that hold the participant's own contributions at the start (slots_at_start), and all others with
/// bytes that belong to no contribution. Routers contribute nothing.
void fill_with_sample_data(const Schedule& schedule, Rank participant, SlotMemory& memory);

/// Compares every byte of the slots that hold a result for `rank` (slots_at_end) with content_at_end; slots that must
/// hold nothing must be as they were filled. Error: the first wrong byte, with its rank and slot.
[[nodiscard]] Result<> check_sample_data(const Schedule& schedule, Rank rank, const SlotMemory& memory);

}  // namespace ayatori
