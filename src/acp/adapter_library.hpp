#pragma once
/// \file
/// Loads a library with a wire over adapters, which only jobs need that ask for it.

#include <string_view>

#include "ayatori/lookup/adapter_wire.hpp"

namespace ayatori::acp {

/// `library`: "acp_verbs" for libacp_verbs.so, which is beside libacp or where the loader searches. It stays loaded.
/// Errors: there is no such library, and those of its wire.
[[nodiscard]] wires::AdapterWire open_adapter(std::string_view library, const wires::AdapterSettings& settings);

/// What the wire of a library takes. Errors: there is no such library, or it does not tell.
[[nodiscard]] Result<wires::AdapterMemory> adapter_memory(std::string_view library, const wires::LookupOptions& lookup);

}  // namespace ayatori::acp
