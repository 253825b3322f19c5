#pragma once
/// \file
/// Functions of libfabric that this provider does not offer. Its inline functions call through tables without a check.

#include <rdma/fi_errno.h>

namespace ayatori::fabric {

/// Becomes any function pointer: of a function that returns -FI_ENOSYS.
struct Refused {
  template <typename Returned, typename... Arguments>
  using Function = Returned (*)(Arguments...);

  template <typename Returned, typename... Arguments>
  operator Function<Returned, Arguments...>() const {  // NOLINT(google-explicit-constructor)
    return [](Arguments...) -> Returned { return static_cast<Returned>(-FI_ENOSYS); };
  }
};

inline constexpr Refused refused{};

}  // namespace ayatori::fabric
