#pragma once
/// \file
/// How a function of the plug-in gets an MPI function's type: it is written once, for all forms of the MPI function
/// (MPI_Bcast, MPI_Ibcast, MPI_Bcast_c, MPI_Ibcast_c), with these arguments after those of MPI_Bcast:
///
///     MPI_Request* request    of a form that does not block, and otherwise nullptr
///     int pass()              hands the call to the MPI's own function of the form that the program called

#include "interposed_calls.h"
#include "last_of.hpp"

namespace ayatori::plugin {

/// `call` has the type of the MPI function `Member`, which blocks.
template <auto Member, auto Execute>
struct Blocking;
template <typename... Arguments, int (*ayatori_mpi_calls::*Member)(Arguments...), auto Execute>
struct Blocking<Member, Execute> {
  static int call(Arguments... arguments) {
    return Execute(arguments..., nullptr, [&] { return (ayatori_own_calls.*Member)(arguments...); });
  }
};

/// The same for one that does not, whose last argument is the request. Without a place for it the MPI has the call, and
/// reports it.
template <auto Member, auto Execute>
struct Nonblocking;
template <typename... Arguments, int (*ayatori_mpi_calls::*Member)(Arguments...), auto Execute>
struct Nonblocking<Member, Execute> {
  static int call(Arguments... arguments) {
    const auto pass = [&] { return (ayatori_own_calls.*Member)(arguments...); };
    MPI_Request* const request = last_of(arguments...);
    return request == nullptr ? pass() : Execute(arguments..., pass);
  }
};

/// Puts `Form<Member, Execute>` into the place of the MPI's own function, if the MPI has it.
template <template <auto, auto> typename Form, auto Member, auto Execute>
void put(ayatori_mpi_calls& executed) {
  if (ayatori_own_calls.*Member != nullptr) executed.*Member = &Form<Member, Execute>::call;
}

/// Puts a function template of ours into the place of all forms of an MPI function: AYATORI_EXECUTE(executed, Bcast,
/// Ibcast, bcast).
#define AYATORI_EXECUTE_FORMS(executed, blocks, does_not, function)                                  \
  put<Blocking, &ayatori_mpi_calls::blocks, [](auto... all) { return function(all...); }>(executed); \
  put<Nonblocking, &ayatori_mpi_calls::does_not, [](auto... all) { return function(all...); }>(executed)
#if AYATORI_HAS_LARGE_COUNTS
#define AYATORI_EXECUTE(executed, blocks, does_not, function)  \
  AYATORI_EXECUTE_FORMS(executed, blocks, does_not, function); \
  AYATORI_EXECUTE_FORMS(executed, blocks##_c, does_not##_c, function)
#else
#define AYATORI_EXECUTE(executed, blocks, does_not, function) \
  AYATORI_EXECUTE_FORMS(executed, blocks, does_not, function)
#endif

}  // namespace ayatori::plugin
