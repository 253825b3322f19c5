#pragma once
/// \file
/// Fujitsu's Tofu interconnect (K computer, PRIMEHPC FX10 to FX1000). Nodes have coordinates X, Y, Z, A, B, C: groups
/// of 2 × 3 × 2 nodes (A, B, C), joined along X, Y and Z node by node. A and C are meshes of 2, B is a ring of 3 (Ajima
/// et al., "Tofu: a 6D mesh/torus interconnect for exascale computers", IEEE Computer 42(11), 2009; 10 links a node: 2
/// each for X, Y, Z, B, 1 each for A, C). Users see a torus of 1 to 3 dimensions instead (paper 2, section 5), which
/// any box of whole groups contains, whether X, Y and Z are closed to rings or not.

#include <optional>
#include <string>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

struct GridFormula;  // topology/grid.hpp

/// Opens one of
///
///     24x18x16x2x3x2   lengths of X, Y, Z, A, B, C: the K computer's 82,944 compute nodes
///     24x18x16         the same
///     job=4x6x16       the logical torus of a job, of one to three dimensions, as its batch system says
///
/// with options after commas:
///
///     view=3d          logical torus of 2X × 3Y × 2Z nodes (the default): 48x54x32
///     view=2d, 1d      of 2X × 6YZ nodes, and one ring
///     view=physical    all six dimensions
///     x=mesh           this dimension is not closed to a ring: X, Y, Z of the physical view, or those of a job
///     rate=5GB/s       (the default; paper 2, table 1)
///
/// Machines are named by their physical coordinates in every view, N3-0-15-1-2-0; those of a job by their logical ones,
/// since its variables do not have the physical ones. Routers are named by the view's coordinates, R7-0-31. Ports are
/// 1 for the machine itself, then for each dimension the neighbour above and the one below; the plane is "tofu".
/// Errors: as for other formulas; bare "job", which only resolve_source() (sources/topology.hpp) can fill in.
[[nodiscard]] Result<Network> open_tofu(std::string_view rest);

/// The same as a formula, of up to 2^32 nodes. `physical_view` overrides `view`; it is an error for a job.
[[nodiscard]] Result<std::optional<GridFormula>> tofu_formula(std::string_view rest, bool physical_view);

/// "job=4x6x16" from the variables that Fujitsu's job manager sets in jobs with a node shape, by `variable`, which
/// gives nullptr where one is not set: PJM_NODE_X, _Y, _Z, or else PJM_MPI_SHAPE_X, _Y, _Z. Dimensions that a job does
/// not have are not set. Returns an empty string outside of such jobs, and if a value is not a length.
[[nodiscard]] std::string tofu_job(const char* (*variable)(const char* name));

}  // namespace ayatori
