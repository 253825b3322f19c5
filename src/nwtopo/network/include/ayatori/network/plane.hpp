#pragma once
/// \file
/// One of the networks that machines are on.

#include <string>

#include "ayatori/network/purpose.hpp"

namespace ayatori {

struct Plane {
  std::string name;  ///< "infiniband", "ethernet", …
  PlaneUse use;
};

}  // namespace ayatori
