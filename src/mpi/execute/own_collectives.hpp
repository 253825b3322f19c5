#pragma once
/// \file
/// The MPI's own collective functions, on memory that lies as a schedule's slots do. They are timed for comparison with
/// schedules.

#include <cstddef>
#include <string_view>

#include "ayatori/base/error.hpp"
#include "ayatori/schedule/collective.hpp"

namespace ayatori {

/// An algorithm of the collective whose slots are the data of call_own_collective(), and nothing else.
[[nodiscard]] std::string_view plainest_algorithm(Collective collective);

/// Bytes of that data on one rank.
[[nodiscard]] Bytes bytes_of_own_collective(const CollectiveCall& call);

/// Calls the MPI's function for the collective on MPI_COMM_WORLD, on bytes that are added modulo 256. Errors: a
/// collective that MPI has no such function for; more bytes than fit into an MPI count.
[[nodiscard]] Result<> call_own_collective(const CollectiveCall& call, std::byte* data);

}  // namespace ayatori
