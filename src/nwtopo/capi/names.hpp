#pragma once
/// \file
/// Machines and routers by what people and hosts call them.

#include <optional>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/topology/host_names.hpp"
#include "ayatori/topology/topology.hpp"

namespace ayatori::capi {

/// The machine that this process runs on: `set` (a name or an id in digits), else NWTOPO_THIS_MACHINE, else this
/// host; in a Tofu job, whose torus has no host names, by this process's rank. Error ENOENT with the name that was
/// looked for.
[[nodiscard]] Result<ObjectId> this_machine(const Topology& topology, const std::optional<std::string>& set,
                                            const HostNames* aliases = nullptr);

}  // namespace ayatori::capi
