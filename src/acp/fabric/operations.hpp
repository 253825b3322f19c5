#pragma once
/// \file
/// What is under way to or from peers. The number of an operation is its token in the transport.

#include <deque>
#include <memory>
#include <vector>

#include "ayatori/transport/endpoint.hpp"
#include "completions.hpp"
#include "matching.hpp"

namespace ayatori::fabric {

class Port;

/// The lower 32 bits are its place, the upper ones distinguish it from those that had the place before.
using OperationId = std::uint64_t;

/// How the end of an operation is reported.
struct Report {
  void* context = nullptr;
  std::uint64_t flags = 0;  ///< of the completion
  std::size_t length = 0;
  bool silent = false;   ///< only if it fails
  bool never = false;    ///< not even then: a call without a context (fi_inject) has nothing to name it by
  bool at_once = false;  ///< when the memory is the caller's again (FI_INJECT_COMPLETE)
};

struct Operation {
  enum class Kind : std::uint8_t { message, long_message, write, read, atomic, notice, fetch, probe };
  /// What has to happen before it ends.
  enum Part : std::uint8_t { carried = 1, answered = 2 };

  Kind kind = Kind::message;
  std::uint8_t missing = carried;
  bool has_data = false;
  std::uint32_t generation = 0;  ///< odd: in use
  Port* port = nullptr;          ///< nullptr: nobody waits for it
  Address peer{};
  Report report{};
  std::uint64_t data = 0;
  transport::RemoteAddress at{};
  std::span<const std::byte> bytes{};     ///< the caller's: of a long message, of a write
  std::span<std::byte> into{};            ///< the caller's: of a read, of a fetch
  std::unique_ptr<std::byte[]> memory{};  // NOLINT(modernize-avoid-c-arrays): ours, with what is sent
  std::size_t memory_size = 0;
  std::shared_ptr<Pieces> pieces{};  ///< of the caller, that `bytes` or `into` is the whole of
  void* result = nullptr;            ///< of an atomic
  std::size_t result_size = 0;
  Receive receive{};  ///< of a fetch …
  Arrival arrival{};  ///< … and what it fetches

  [[nodiscard]] bool is_access() const { return kind == Kind::write || kind == Kind::read || kind == Kind::atomic; }
};

/// Not thread-safe.
class Operations {
 public:
  /// So many of programs; those by which this provider answers peers come in addition.
  static constexpr std::size_t max_operations = 4096;

  [[nodiscard]] bool full() const { return used_ >= max_operations; }
  [[nodiscard]] bool empty() const { return used_ == 0; }

  [[nodiscard]] OperationId take(Operation operation) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(slots_.size()));
      slots_.emplace_back();
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    ++used_;
    operation.generation = slots_[slot].generation + 1;
    slots_[slot] = std::move(operation);
    return std::uint64_t{slots_[slot].generation} << 32 | slot;
  }

  /// nullptr if it has ended.
  [[nodiscard]] Operation* find(OperationId id) {
    const std::size_t slot = id & 0xFFFF'FFFF;
    return slot < slots_.size() && slots_[slot].generation == id >> 32 && id >> 32 & 1 ? &slots_[slot] : nullptr;
  }

  Operation give_back(OperationId id) {
    const auto slot = static_cast<std::uint32_t>(id);
    Operation ended = std::move(slots_[slot]);
    slots_[slot] = Operation{};
    slots_[slot].generation = ended.generation + 1;
    free_.push_back(slot);
    --used_;
    return ended;
  }

  template <typename Visit>
  void visit(Visit visit) {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot].generation & 1) visit(std::uint64_t{slots_[slot].generation} << 32 | slot, slots_[slot]);
    }
  }

 private:
  std::deque<Operation> slots_;
  std::vector<std::uint32_t> free_;
  std::size_t used_ = 0;
};

}  // namespace ayatori::fabric
