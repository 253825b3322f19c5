#pragma once
// What all fuzz targets say: this must hold, whatever the bytes.

#include <cstdlib>

inline void require(bool condition) {
  if (!condition) std::abort();
}

/// What a source's parser guarantees for bytes that it names "fuzz": a network with machines, or an error that names
/// them.
inline void require_machines_or_error(const auto& network) {
  if (network) {
    require(!network->machines().empty());
  } else {
    require(network.error().message.starts_with("fuzz:"));
  }
}
