#pragma once
/// \file
/// Memory that puts reach: a part of every process's starter memory, in which a carrier keeps its rings, and memory of
/// the program that is registered. And the puts themselves, whose errors are libacp's words.

#include <acp.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Starts a copy after `order` and all operations before it. Its source must stay as it is until it has ended.
[[nodiscard]] Result<acp_handle_t> start_copy(acp_ga_t to, acp_ga_t from, Bytes bytes,
                                              acp_handle_t order = ACP_HANDLE_NULL);

/// Whether an operation, and all before it, have ended. Error: one of them failed.
[[nodiscard]] Result<bool> has_ended(acp_handle_t handle);

/// What libacp says of `what`, which it refused.
[[nodiscard]] inline Failure refused(std::string_view what) { return fail("{}: {}", what, acp_error_message()); }

/// Lets libacp send and receive.
inline void make_acp_progress() { acp_inquire(ACP_HANDLE_ALL); }

/// The same part of the starter memory of all processes, in which each hands out its own.
class AcpMemory {
 public:
  /// Bytes begin … begin + bytes − 1, `begin` a multiple of 64. Error: starter memory is smaller.
  [[nodiscard]] static Result<AcpMemory> make(Bytes begin, Bytes bytes);
  AcpMemory(AcpMemory&&) = default;
  AcpMemory& operator=(AcpMemory&&) = delete;
  ~AcpMemory();

  /// Takes zeroed memory of this process, at a multiple of 64, for as long as the object lives. Returns its offset in
  /// the part. Error: nothing is left.
  [[nodiscard]] Result<Bytes> take(Bytes bytes);

  [[nodiscard]] std::byte* at(Bytes offset) const { return begin_ + offset; }
  [[nodiscard]] acp_ga_t at(Rank rank, Bytes offset) const;
  [[nodiscard]] Rank self() const { return self_; }
  [[nodiscard]] Bytes taken() const { return taken_; }

  /// Makes memory of the program one that puts read and write, until it is taken back. Errors: libacp's.
  [[nodiscard]] Result<> add(std::span<std::byte> memory);
  void take_back(const std::byte* memory);

  /// Registers 8 bytes that, unlike starter memory, no other process of the host reaches by itself. They live as long
  /// as the object. Returns their global address.
  [[nodiscard]] Result<acp_ga_t> make_private_word();

  /// The global address of starter memory, or of memory that was added. Error: it is neither.
  [[nodiscard]] Result<acp_ga_t> global_address(const std::byte* memory, Bytes bytes) const;

 private:
  AcpMemory() = default;

  struct Registered {
    const std::byte* begin = nullptr;
    Bytes bytes = 0;
    acp_atkey_t key = ACP_ATKEY_NULL;
    acp_ga_t ga = ACP_GA_NULL;
  };

  Rank self_ = 0;
  acp_ga_t starter_ = ACP_GA_NULL;  ///< of this process
  Bytes offset_ = 0;                ///< of the part in starter memory
  Bytes bytes_ = 0;
  Bytes taken_ = 0;
  std::byte* begin_ = nullptr;
  std::vector<std::unique_ptr<std::uint64_t>> private_words_;
  std::vector<Registered> registered_;
};

}  // namespace ayatori
