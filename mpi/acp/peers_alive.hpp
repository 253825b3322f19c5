#pragma once
/// \file
/// Whether peers live. A process that looks into its own memory does not see that the one that should write there has
/// died, and on one host the starter memory of a dead process can still be read and written. An operation on memory
/// that the peer itself must serve fails.

#include <map>
#include <optional>
#include <span>

#include "acp_memory.hpp"

namespace ayatori {

class PeersAlive {
 public:
  /// Takes memory: in all processes at the same place. Errors: no memory, libacp's.
  [[nodiscard]] static Result<PeersAlive> make(AcpMemory& memory);

  /// Asks them; to be called now and then while nothing arrives. Waits only for the first answer of a peer. Error: one
  /// that was asked now or before is lost, once libacp knows.
  [[nodiscard]] Result<> ask(std::span<const Rank> peers);

 private:
  PeersAlive(const AcpMemory& memory, Bytes place, Bytes answer) : memory_(&memory), place_(place), answer_(answer) {}

  [[nodiscard]] Result<acp_ga_t> word_of(Rank peer);

  const AcpMemory* memory_;
  Bytes place_;  ///< where each process tells the address of a word that only itself reaches
  Bytes answer_;
  std::map<Rank, acp_ga_t> words_;  ///< of peers that were asked
  std::optional<acp_handle_t> question_;
};

}  // namespace ayatori
