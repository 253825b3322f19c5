#pragma once
/// \file
/// Which communication is called how.

#include <memory>
#include <string>
#include <utility>

#include "communication.hpp"

namespace ayatori::bench {

/// Null if nothing is called so.
inline std::unique_ptr<Communication> communication_of(const std::string& call, std::size_t bytes, int rank,
                                                       int ranks) {
  using Call = MpiCommunication::Call;
  constexpr std::pair<const char*, Call> calls[] = {{"isend", Call::isend},
                                                    {"iallreduce", Call::iallreduce},
                                                    {"ialltoall", Call::ialltoall},
                                                    {"ibcast", Call::ibcast},
                                                    {"iallgather", Call::iallgather}};
  for (const auto& [name, which] : calls) {
    if (call == name) return std::make_unique<MpiCommunication>(which, bytes, rank, ranks);
  }
  if (call == "acp") return std::make_unique<AcpCommunication>(bytes, rank, ranks);
  return nullptr;
}

}  // namespace ayatori::bench
