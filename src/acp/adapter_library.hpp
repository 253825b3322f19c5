#pragma once
/// \file
/// Loads a library with a wire over adapters, which only jobs need that ask for it.

#include <string_view>

#include "ayatori/lookup/adapter_wire.hpp"

namespace ayatori::acp {

/// `library`: "acp_verbs" for libacp_verbs.so, which is beside libacp or where the loader searches. It stays loaded.
/// Errors: there is no such library, and those of its wire.
[[nodiscard]] wires::AdapterWire open_adapter(std::string_view library, const wires::AdapterSettings& settings);

}  // namespace ayatori::acp
