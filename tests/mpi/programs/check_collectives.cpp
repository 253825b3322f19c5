// check_collectives SEED ROUNDS [MAX_INTS]: calls collectives with random datatypes, counts, operations and roots, once
// through the plug-in (MPI_…) and once not (MPIS_OWN), and compares all memory that was handed over, gaps and margins
// included. Prints what differs; exit status 1 then.
#include "drawn_calls.hpp"

namespace {

bool same_on_all_ranks(Buffer& buffer, MPI_Comm comm) {
  std::uint64_t hash = 1469598103934665603U;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(buffer.type(), &low, &extent);
  const auto* const bytes = static_cast<unsigned char*>(buffer.data());
  for (long i = 0; i < buffer.count() * extent; ++i) hash = (hash ^ bytes[i]) * 1099511628211U;
  std::uint64_t ends[] = {hash, ~hash};
  MPIS_OWN(Allreduce)(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MIN, comm);
  return ends[0] == ~ends[1];
}

/// The result must be what the MPI computes if the order does not matter, and otherwise the same as before, and on all
/// ranks.
void compare(const DrawnCall& call, MPI_Comm comm) {
  const Buffer sent = *call.sent;
  Buffer received = call.received;
  check(call.make(Way::blocks, received.data(), nullptr) == MPI_SUCCESS, "return code");
  if (call.reduces) {
    Buffer again = call.received;
    call.make(Way::blocks, again.data(), nullptr);
    check(received == again, "second result");
  }
  Buffer expected = call.received;
  call.make(Way::own, expected.data(), nullptr);
  if (call.exact) check(received == expected, "data");
  if (!call.exact && call.same_everywhere) check(same_on_all_ranks(received, comm), "data: ranks differ");
  check(*call.sent == sent, "sent data");
}

void run(std::uint64_t seed, int rounds, int max_ints, MPI_Comm comm) {
  Drawn all(seed);
  Drawn own(seed * 1000003 + static_cast<std::uint64_t>(rank) + 1);
  std::vector<IntType> types = make_int_types();
  const Operations operations;
  for (int i = 0; i < rounds; ++i) {
    what = "seed " + std::to_string(seed) + ", round " + std::to_string(i);
    CallDraw draw({all, own, types, comm, max_ints, all.below(ranks)}, operations, true);
    compare(draw.of(i % CallDraw::kinds), comm);
  }
  free_int_types(types);
}

}  // namespace

int main(int argc, char** argv) { return run_rounds(argc, argv, run); }
