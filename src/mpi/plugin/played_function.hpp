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
template <auto Member, auto Play>
struct Blocking;
template <typename... Arguments, int (*ayatori_mpi_calls::*Member)(Arguments...), auto Play>
struct Blocking<Member, Play> {
  static int call(Arguments... arguments) {
    return Play(arguments..., nullptr, [&] { return (ayatori_own_calls.*Member)(arguments...); });
  }
};

/// The same for one that does not, whose last argument is the request. Without a place for it the MPI has the call, and
/// reports it.
template <auto Member, auto Play>
struct Nonblocking;
template <typename... Arguments, int (*ayatori_mpi_calls::*Member)(Arguments...), auto Play>
struct Nonblocking<Member, Play> {
  static int call(Arguments... arguments) {
    const auto pass = [&] { return (ayatori_own_calls.*Member)(arguments...); };
    MPI_Request* const request = last_of(arguments...);
    return request == nullptr ? pass() : Play(arguments..., pass);
  }
};

/// Puts `Form<Member, Play>` into the place of the MPI's own function, if the MPI has it.
template <template <auto, auto> typename Form, auto Member, auto Play>
void put(ayatori_mpi_calls& played) {
  if (ayatori_own_calls.*Member != nullptr) played.*Member = &Form<Member, Play>::call;
}

/// Puts a function template of ours into the place of all forms of an MPI function: AYATORI_PLAY(played, Bcast, Ibcast,
/// bcast).
#define AYATORI_PLAY_FORMS(played, blocks, does_not, play)                                     \
  put<Blocking, &ayatori_mpi_calls::blocks, [](auto... all) { return play(all...); }>(played); \
  put<Nonblocking, &ayatori_mpi_calls::does_not, [](auto... all) { return play(all...); }>(played)
#if AYATORI_HAS_LARGE_COUNTS
#define AYATORI_PLAY(played, blocks, does_not, play)  \
  AYATORI_PLAY_FORMS(played, blocks, does_not, play); \
  AYATORI_PLAY_FORMS(played, blocks##_c, does_not##_c, play)
#else
#define AYATORI_PLAY(played, blocks, does_not, play) AYATORI_PLAY_FORMS(played, blocks, does_not, play)
#endif

}  // namespace ayatori::plugin
