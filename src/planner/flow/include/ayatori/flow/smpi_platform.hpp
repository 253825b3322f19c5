#pragma once
/// \file
/// The links and routes of Paths as a platform of SimGrid (version 3.32, DTD 4.1), for a second opinion: SMPI then
/// times the same messages over the same links.

#include "ayatori/base/files.hpp"
#include "ayatori/flow/paths.hpp"

namespace ayatori {

/// Host "rank-r" for each of the first `ranks` ranks; a link for each directed link that they use; a route for each
/// ordered pair. Ranks of one machine get a route over that machine's bus, a fat pipe of `bus` bytes a second (0: 1e15,
/// practically no time). Grows with the square of `ranks`: for hundreds, not for thousands.
void write_smpi_platform(const Paths& paths, Rank ranks, double bus, const Sink& sink);

}  // namespace ayatori
