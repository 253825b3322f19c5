#pragma once
/// \file
/// Does this MPI reduce in switches (NVIDIA's SHARP), by HCOLL or UCC? Its own calls then do so by themselves, so that
/// what is executed has to be faster than switches to be chosen. `ayatori run` sets what switches it on.

namespace ayatori::plugin {

/// Whether this process has loaded SHARP's library, which HCOLL and UCC do in MPI_Init if they are to use it. After
/// MPI_Init; any thread.
[[nodiscard]] bool reduces_in_switches();

}  // namespace ayatori::plugin
