#pragma once
/// \file
/// How libacp opens the wire over adapters. That is in a library of its own, which libacp loads when a job asks for it:
/// libacp itself does not need libibverbs.

#include <memory>
#include <string>

#include "ayatori/lookup/address_lookup.hpp"
#include "ayatori/pollable/pollable_wire.hpp"

namespace ayatori::wires {

struct AdapterSettings {
  AddressLookup* lookup = nullptr;  ///< finds the peers' adapters, and outlives the wire; gets this process's own
  std::string adapter;              ///< a device of verbs; the first one if empty
  transport::JobKey key = 0;        ///< not secret
};

using AdapterWire = Result<std::unique_ptr<PollableWire>>;

/// The function of this name in the library sets `made`.
using OpenAdapterWire = void(const AdapterSettings& settings, AdapterWire& made);
inline constexpr const char* open_adapter_wire = "ayatori_open_adapter_wire";

/// What the wire takes in each process, whatever adapter there is. The lookup is not counted.
struct AdapterMemory {
  std::uint32_t datagram_bytes = 0;
  Bytes bytes = 0;
  std::size_t address_bytes = 0;  ///< of an adapter's address
  std::uint32_t queue_pairs = 0;  ///< of the adapter, reliable connections not counted
};

/// The function of this name in the library sets `found`.
using FindAdapterMemory = void(AdapterMemory& found);
inline constexpr const char* find_adapter_memory = "ayatori_find_adapter_memory";

}  // namespace ayatori::wires
