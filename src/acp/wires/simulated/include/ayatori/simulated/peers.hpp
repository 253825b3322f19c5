#pragma once
/// \file
/// One endpoint that talks to very many: a message to and from each.

#include <cstdint>

#include "ayatori/simulated/scenario.hpp"

namespace ayatori::simulated {

struct ManyPeers {
  std::uint32_t count = 1'000'000;
  std::uint32_t at_once = 512;   ///< peers that talk at the same time
  std::uint32_t contexts = 256;  ///< of the endpoint that all talk to: fewer than talk at once
};

struct ManyPeersResult {
  std::uint64_t to_peers = 0;    ///< messages that arrived, contents checked
  std::uint64_t from_peers = 0;  ///< each counted once, contents checked
  std::uint64_t wrong = 0;       ///< came twice, or with other contents
  std::uint64_t renewals = 0;    ///< flows that had to be opened again
  double virtual_seconds = 0;
};

/// A peer that is not talking is hibernated: all that is kept of it is the 8 bytes of Endpoint::retire(), so that the
/// process can hold all of them. The endpoint in the middle lives from the first to the last.
[[nodiscard]] ManyPeersResult run_many_peers(const ManyPeers& peers, const Scenario& scenario);

}  // namespace ayatori::simulated
