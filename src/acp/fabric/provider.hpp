#pragma once
/// \file
/// What libfabric loads this library for.

#include <rdma/providers/fi_prov.h>

namespace ayatori::fabric {

[[nodiscard]] fi_provider& provider();

}  // namespace ayatori::fabric
