#pragma once
/// \file
/// libibverbs, loaded when an adapter is opened: whoever has no adapter needs it not.

#include "ayatori/base/error.hpp"

namespace ayatori::wires {

/// It stays loaded. Functions of libibverbs are called only after this. Error: it is not installed, or too old.
[[nodiscard]] Result<> load_verbs_library();

}  // namespace ayatori::wires
