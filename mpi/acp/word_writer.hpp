#pragma once
/// \file
/// The end of a ring of flagged words that writes: into a peer's memory, by puts from a copy of the ring in ours.

#include <deque>

#include "acp_memory.hpp"
#include "flagged_words.hpp"

namespace ayatori {

class WordWriter {
 public:
  /// `staging` is the offset of as many words in our memory.
  WordWriter(const AcpMemory& memory, Bytes staging, std::uint64_t words)
      : memory_(&memory), staging_(staging), ring_(words) {}

  /// Where the ring is.
  void connect(acp_ga_t ring) { peers_ring_ = ring; }

  /// Whether there is room for so many words, when the peer has done with the first `freed` of all. Puts that have
  /// ended are looked for only if there seems to be none. Error: a put failed.
  [[nodiscard]] Result<bool> has_room(std::uint64_t words, std::uint64_t freed);

  /// Precondition: has_room().
  void append(std::uint32_t data) {
    store_word(memory_->at(staging_ + ring_.place(written_)), flagged(data, ring_.flag(written_)));
    ++written_;
  }

  /// Puts what was appended.
  [[nodiscard]] Result<> flush();

 private:
  struct Put {
    acp_handle_t handle;
    std::uint64_t end;  ///< the position after its last word
  };

  const AcpMemory* memory_;
  Bytes staging_;
  WordRing ring_;
  acp_ga_t peers_ring_ = ACP_GA_NULL;
  std::uint64_t written_ = 0;
  std::uint64_t flushed_ = 0;
  std::uint64_t ended_ = 0;  ///< our copy of the words before it may be written again
  std::deque<Put> puts_;
};

}  // namespace ayatori
