#pragma once
/// \file
/// How libacp opens a wire over an adapter. Such a wire is in a library of its own, which libacp loads when a job asks
/// for it: libacp itself needs neither libibverbs nor libfabric.

#include <memory>
#include <string>

#include "ayatori/lookup/address_lookup.hpp"
#include "ayatori/pollable/pollable_wire.hpp"

namespace ayatori::wires {

struct AdapterSettings {
  LookupOptions lookup;  ///< who this process is, and how the peers' adapters are looked up
  std::string adapter;   ///< a device of verbs, a provider of libfabric; the first one, or a default, if empty
};

using AdapterWire = Result<std::unique_ptr<PollableWire>>;

/// The function of this name in the library sets `made`.
using OpenAdapterWire = void(const AdapterSettings& settings, AdapterWire& made);
inline constexpr const char* open_adapter_wire = "ayatori_open_adapter_wire";

}  // namespace ayatori::wires
