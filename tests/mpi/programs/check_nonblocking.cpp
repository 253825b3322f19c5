// check_nonblocking SEED ROUNDS [MAX_INTS]: begins several collectives that do not block (MPI_I…), with random
// datatypes, counts, operations and roots, among messages and calls that block, and ends them in an order that each
// rank draws for itself. The results must be those of the MPI's own that block (MPIS_OWN), gaps and margins included.
// Prints what differs; exit status 1 then.
#include "drawn_calls.hpp"

namespace {

/// What has begun: with the call, which keeps its arguments, and what must come of it.
struct Begun {
  std::string name;
  DrawnCall call;
  Buffer sent;
  Buffer expected;
};

/// Calls that have begun, and the request of each.
struct Pending {
  std::vector<Begun> begun;
  std::vector<MPI_Request> requests;

  Pending() {
    begun.reserve(most);
    requests.reserve(most);
  }

  void begin(DrawnCall call) {
    Buffer expected = call.received;
    call.make(Way::own, expected.data(), nullptr);
    const Buffer sent = *call.sent;
    begun.push_back({what, std::move(call), sent, std::move(expected)});
    requests.push_back(MPI_REQUEST_NULL);
    DrawnCall& kept = begun.back().call;
    check(kept.make(Way::begins, kept.received.data(), &requests.back()) == MPI_SUCCESS, "return code");
    check(requests.back() != MPI_REQUEST_NULL, "request");
  }

  void compare() const {
    for (const Begun& one : begun) {
      check(one.call.received == one.expected, ("data of " + one.name).c_str());
      check(*one.call.sent == one.sent, ("sent data of " + one.name).c_str());
    }
  }

 private:
  static constexpr std::size_t most = 32;  // neither requests nor memory may move
};

/// A message to the next rank, and one from the one before.
void begin_messages(Pending& pending, Round& round) {
  const int before = (rank + ranks - 1) % ranks;
  const int next = (rank + 1) % ranks;
  const int count = round.ints();
  Drawn from_before(static_cast<std::uint64_t>(before));
  Drawn mine(static_cast<std::uint64_t>(rank));
  const auto coming = std::make_shared<Buffer>(MPI_INT, count);
  coming->fill(from_before);
  const auto leaving = std::make_shared<Buffer>(MPI_INT, count);
  leaving->fill(mine);
  const auto bytes = static_cast<std::size_t>(count) * sizeof(int);
  Buffer received(MPI_INT, count);
  received.fill(round.own);
  pending.begin({received, coming, [=](Way way, void* data, MPI_Request* request) {
                   if (way == Way::begins) return MPI_Irecv(data, count, MPI_INT, before, 99, round.comm, request);
                   std::memcpy(data, coming->data(), bytes);
                   return MPI_SUCCESS;
                 }});
  pending.begin({Buffer(MPI_INT, 0), leaving, [=](Way way, void*, MPI_Request* request) {
                   if (way != Way::begins) return MPI_SUCCESS;
                   return MPI_Isend(leaving->data(), count, MPI_INT, next, 99, round.comm, request);
                 }});
}

/// Ends all requests, in an order and by functions that this rank draws.
void end_all(std::vector<MPI_Request>& requests, Drawn& own) {
  const int count = static_cast<int>(requests.size());
  std::vector<MPI_Status> statuses(requests.size());
  std::vector<int> indices(requests.size());
  int which = 0;
  int done = 0;
  for (int left = count; left > 0;) {
    MPI_Request& one = requests[static_cast<std::size_t>(own.below(count))];
    const bool is_open = one != MPI_REQUEST_NULL;
    switch (own.below(8)) {
      case 0:
        MPI_Wait(&one, &statuses[0]);
        left -= is_open ? 1 : 0;
        break;
      case 1:
        MPI_Test(&one, &done, &statuses[0]);
        left -= is_open && done != 0 ? 1 : 0;
        break;
      case 2:
        MPI_Waitany(count, requests.data(), &which, MPI_STATUS_IGNORE);
        --left;
        break;
      case 3:
        MPI_Testany(count, requests.data(), &which, &done, MPI_STATUS_IGNORE);
        left -= done;
        break;
      case 4:
        MPI_Waitsome(count, requests.data(), &done, indices.data(), statuses.data());
        left -= done;
        break;
      case 5:
        MPI_Testsome(count, requests.data(), &done, indices.data(), MPI_STATUSES_IGNORE);
        left -= done;
        break;
      case 6:
        MPI_Testall(count, requests.data(), &done, statuses.data());
        left = done != 0 ? 0 : left;
        break;
      default:
        if (own.once_in(4)) {
          MPI_Waitall(count, requests.data(), statuses.data());
          left = 0;
        }
        break;
    }
  }
  for (const MPI_Request request : requests) check(request == MPI_REQUEST_NULL, "request that is over");
}

void run(std::uint64_t seed, int rounds, int max_ints, MPI_Comm comm) {
  Drawn all(seed);
  Drawn own(seed * 1000003 + static_cast<std::uint64_t>(rank) + 1);
  std::vector<IntType> types = make_int_types();
  const Operations operations;
  for (int i = 0; i < rounds; ++i) {
    what = "seed " + std::to_string(seed) + ", round " + std::to_string(i);
    const int begun = 1 + all.below(6);
    Pending pending;
    for (int k = 0; k < begun; ++k) {
      Round round{all, own, types, comm, max_ints, all.below(ranks)};
      pending.begin(CallDraw(round, operations, false).of(all.below(CallDraw::kinds)));
      if (all.once_in(4)) begin_messages(pending, round);
      if (all.once_in(5)) MPI_Barrier(comm);
    }
    end_all(pending.requests, own);
    pending.compare();
  }
  free_int_types(types);
}

}  // namespace

int main(int argc, char** argv) { return run_rounds(argc, argv, run); }
