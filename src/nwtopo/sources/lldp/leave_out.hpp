#pragma once
/// \file
/// Leaves devices and interfaces out of LLDP reports.

#include <string_view>
#include <vector>

#include "ayatori/lldp/lldp.hpp"

namespace ayatori {

/// Removes the devices and the ports that are called so, with their cables. '*' stands for any letters; a device is
/// found by its name with or without domain. Error: nothing is called so.
[[nodiscard]] Result<> leave_out(std::string_view name, std::vector<LldpReport>& reports);

}  // namespace ayatori
