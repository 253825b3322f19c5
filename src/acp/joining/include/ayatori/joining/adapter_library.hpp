#pragma once
/// \file
/// Loads libacp_verbs.so, the library with the wire over adapters, which only jobs need that ask for it. It is next to
/// libacp or where the loader searches, and stays loaded.

#include "ayatori/lookup/adapter_wire.hpp"

namespace ayatori::acp {

/// Errors: there is no such library, and those of its wire.
[[nodiscard]] wires::AdapterWire open_adapter(const wires::AdapterSettings& settings);

/// What the wire takes. Error: there is no such library.
[[nodiscard]] Result<wires::AdapterMemory> adapter_memory();

}  // namespace ayatori::acp
