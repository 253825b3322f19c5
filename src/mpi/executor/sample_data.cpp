#include "ayatori/executor/sample_data.hpp"

#include <utility>

namespace ayatori {

namespace {

/// SplitMix64's finalizer (Steele, Lea and Flood, 2014).
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xBF58'476D'1CE4'E5B9;
  bits = (bits ^ (bits >> 27)) * 0x94D0'49BB'1331'11EB;
  return bits ^ (bits >> 31);
}

/// What a slot holds that nobody has contributed to.
std::byte filler_byte(Slot slot, std::size_t index) { return sample_byte({no_id, slot}, index); }

std::byte sum_over_ranks(Rank ranks, Slot slot, std::size_t index) {
  std::byte sum{};
  for (Rank rank = 0; rank < ranks; ++rank) {
    const std::byte part = sample_byte({rank, slot}, index);
    add_bytes(&sum, &part, 1);
  }
  return sum;
}

std::byte expected_byte(const Schedule& schedule, Slot slot, const SlotContent& content, std::size_t index) {
  switch (content.kind) {
    case SlotContent::Kind::nothing:
      return filler_byte(slot, index);
    case SlotContent::Kind::contribution:
      return sample_byte(content.contribution, index);
    case SlotContent::Kind::combination:
      return sum_over_ranks(schedule.call().ranks, content.contribution.slot, index);
  }
  std::unreachable();
}

}  // namespace

std::byte sample_byte(Contribution contribution, std::size_t index) {
  const std::uint64_t owner = (std::uint64_t{contribution.rank} << 32) | contribution.slot;
  return static_cast<std::byte>(mixed(mixed(owner) + index) & 0xFF);
}

void add_bytes(std::byte* to, const std::byte* from, std::size_t bytes, OperandOrder) {
  for (std::size_t i = 0; i < bytes; ++i) {
    to[i] = static_cast<std::byte>(static_cast<unsigned>(to[i]) + static_cast<unsigned>(from[i]));
  }
}

void fill_with_sample_data(const Schedule& schedule, Rank participant, SlotMemory& memory) {
  const bool is_rank = participant < schedule.call().ranks;
  const SlotRange own = is_rank ? slots_at_start(schedule, participant) : SlotRange{};
  for (Slot slot = 0; slot < memory.slot_count(); ++slot) {
    const bool is_own = slot - own.first < own.count;
    const auto bytes = memory.slot(slot);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = is_own ? sample_byte({participant, slot}, i) : filler_byte(slot, i);
    }
  }
}

Result<> check_sample_data(const Schedule& schedule, Rank rank, const SlotMemory& memory) {
  const SlotRange result = slots_at_end(schedule, rank);
  for (Slot slot = result.first; slot < result.first + result.count; ++slot) {
    const SlotContent content = content_at_end(schedule, rank, slot);
    const auto bytes = memory.slot(slot);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != expected_byte(schedule, slot, content, i)) {
        return fail("rank {}: byte {} of slot {} is wrong after {}", rank, i, slot,
                    to_word(schedule.call().collective));
      }
    }
  }
  return {};
}

}  // namespace ayatori
