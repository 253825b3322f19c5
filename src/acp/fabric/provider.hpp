#pragma once
/// \file
/// What libfabric loads this library for.

#include <rdma/providers/fi_prov.h>

#include <string_view>

namespace ayatori::fabric {

[[nodiscard]] fi_provider& provider();

/// One line for the user: MPIs print of all errors that there was one.
void complain(std::string_view what);

}  // namespace ayatori::fabric
