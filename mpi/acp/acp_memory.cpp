#include "acp_memory.hpp"

#include <algorithm>
#include <cstring>

namespace ayatori {

namespace {

constexpr Bytes alignment = 64;

}  // namespace

Result<acp_handle_t> start_copy(acp_ga_t to, acp_ga_t from, Bytes bytes, acp_handle_t order) {
  const acp_handle_t handle = acp_copy(to, from, bytes, order);
  if (handle == static_cast<acp_handle_t>(ACP_HANDLE_NULL)) return refused("acp_copy");
  return handle;
}

Result<bool> has_ended(acp_handle_t handle) {
  if (acp_inquire(handle) != 0) return false;
  if (acp_complete(handle) != 0) return refused("a put");
  return true;
}

Result<AcpMemory> AcpMemory::make(Bytes begin, Bytes bytes) {
  const int rank = acp_rank();
  if (rank < 0) return refused("libacp is not open");
  AcpMemory memory;
  memory.self_ = static_cast<Rank>(rank);
  memory.starter_ = acp_query_starter_ga(rank);
  memory.offset_ = begin;
  memory.bytes_ = bytes;
  const acp_ga_t first = memory.starter_ + begin;
  memory.begin_ = static_cast<std::byte*>(acp_query_address(first));
  if (begin % alignment != 0 || memory.begin_ == nullptr || acp_query_address(first + bytes - 1) == nullptr) {
    return with_hint(fail("bytes {} to {} are not in the starter memory", begin, begin + bytes),
                     "ACP_STARTER_BYTES sets its size");
  }
  return memory;
}

AcpMemory::~AcpMemory() {
  for (const Registered& each : registered_) acp_unregister_memory(each.key);
}

Result<Bytes> AcpMemory::take(Bytes bytes) {
  const Bytes whole = (bytes + alignment - 1) / alignment * alignment;
  if (whole > bytes_ - taken_) {
    return with_hint(fail("{} of {} bytes for rings are taken, and {} more are needed", taken_, bytes_, whole),
                     "more starter memory (ACP_STARTER_BYTES) for the carrier, which each peer and stream takes from");
  }
  const Bytes offset = taken_;
  taken_ += whole;
  std::memset(at(offset), 0, whole);
  return offset;
}

acp_ga_t AcpMemory::at(Rank rank, Bytes offset) const {
  const acp_ga_t starter = rank == self_ ? starter_ : acp_query_starter_ga(static_cast<int>(rank));
  return starter + offset_ + offset;
}

Result<> AcpMemory::add(std::span<std::byte> memory) {
  if (memory.empty()) return {};
  const acp_atkey_t key = acp_register_memory(memory.data(), memory.size(), 0);
  if (key == ACP_ATKEY_NULL) return refused("acp_register_memory");
  registered_.push_back({memory.data(), memory.size(), key, acp_query_ga(key, memory.data())});
  return {};
}

void AcpMemory::take_back(const std::byte* memory) {
  const auto found = std::find_if(registered_.begin(), registered_.end(),
                                  [&](const Registered& each) { return each.begin == memory; });
  if (found == registered_.end()) return;
  acp_unregister_memory(found->key);
  registered_.erase(found);
}

Result<acp_ga_t> AcpMemory::make_private_word() {
  private_words_.push_back(std::make_unique<std::uint64_t>(0));
  auto* const word = reinterpret_cast<std::byte*>(private_words_.back().get());
  if (auto added = add({word, sizeof(std::uint64_t)}); !added) return Failure(added.error());
  return global_address(word, sizeof(std::uint64_t));
}

Result<acp_ga_t> AcpMemory::global_address(const std::byte* memory, Bytes bytes) const {
  for (const Registered& each : registered_) {
    if (memory >= each.begin && memory + bytes <= each.begin + each.bytes) {
      return each.ga + static_cast<acp_ga_t>(memory - each.begin);
    }
  }
  // Starter memory lies around the part.
  const std::byte* const starter = begin_ - offset_;
  const acp_ga_t ga = starter_ + static_cast<acp_ga_t>(memory - starter);
  if (memory >= starter && acp_query_address(ga) == memory && acp_query_address(ga + bytes - 1) == memory + bytes - 1) {
    return ga;
  }
  return fail("the memory of a message was not added to the carrier");
}

}  // namespace ayatori
