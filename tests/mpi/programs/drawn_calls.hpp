#pragma once
// What check_nonblocking begins: each call that does not block, with random arguments, and what must come of it.

#include <functional>
#include <memory>
#include <string>

#include "reductions.hpp"
#include "round.hpp"

inline int per(int ints, const IntType& type) { return ints / type.ints; }

/// A call that was begun.
struct Pending {
  std::string name;
  Buffer received;
  Buffer expected;
  std::shared_ptr<void> arguments;  // that the MPI may read until the end
};

using Begin = std::function<int(void* received, MPI_Request* request)>;
using Reference = std::function<void(void* received)>;

/// Random blocks of a call with a size for each rank, kept until its end.
struct Blocks {
  std::vector<int> counts;
  std::vector<int> at;
  long end = 0;

  Blocks(const std::vector<int>& ints, const IntType& type, Drawn& own) : counts(ints.size()), at(ints.size()) {
    const bool backwards = own.once_in(2);
    for (std::size_t i = 0; i < ints.size(); ++i) {
      const std::size_t r = backwards ? ints.size() - 1 - i : i;
      counts[r] = per(ints[r], type);
      at[r] = static_cast<int>(end);
      end += counts[r] + own.below(3);
    }
  }
};

/// A datatype of the program that is freed while the call goes on.
class Freed {
 public:
  explicit Freed(const IntType& type) { MPI_Type_dup(type.type, &type_); }
  Freed(const Freed&) = delete;
  Freed& operator=(const Freed&) = delete;
  ~Freed() { MPI_Type_free(&type_); }
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

struct Calls {
  Round& round;
  const Operations& operations;
  std::vector<Pending>& pending;
  std::vector<MPI_Request>& requests;

  void begin(const char* name, Buffer received, std::shared_ptr<void> arguments, const Reference& reference,
             const Begin& begin) {
    received.fill(round.own);
    begin_filled(name, std::move(received), std::move(arguments), reference, begin);
  }

  void begin_filled(const char* name, Buffer received, std::shared_ptr<void> arguments, const Reference& reference,
                    const Begin& begin) {
    what += std::string(" ") + name;
    trace();
    Buffer expected = received;
    reference(expected.data());
    pending.push_back({name, std::move(received), std::move(expected), std::move(arguments)});
    requests.push_back(MPI_REQUEST_NULL);
    check(begin(pending.back().received.data(), &requests.back()) == MPI_SUCCESS, "return code");
    check(requests.back() != MPI_REQUEST_NULL, "request");
  }

  std::shared_ptr<Buffer> sent(const IntType& type, long count) {
    auto buffer = std::make_shared<Buffer>(type.type, count);
    buffer->fill(round.own);
    return buffer;
  }

  void barrier() {
    begin(
        "Ibarrier", Buffer(MPI_INT, 0), nullptr, [](void*) {},
        [&](void*, MPI_Request* request) { return MPI_Ibarrier(round.comm, request); });
  }

  void bcast() {
    const int ints = round.ints();
    const IntType type = round.own_type();
    begin(
        "Ibcast", Buffer(type.type, per(ints, type)), nullptr,
        [&](void* data) { MPIS_OWN(Bcast)(data, per(ints, type), type.type, round.root, round.comm); },
        [&](void* data, MPI_Request* request) {
          return MPI_Ibcast(data, per(ints, type), Freed(type), round.root, round.comm, request);
        });
  }

  void gather() {
    const int ints = round.ints();
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto data = sent(from, per(ints, from));
    const void* const block = round.all.once_in(3) && rank == round.root ? MPI_IN_PLACE : data->data();
    begin(
        "Igather", Buffer(to.type, long{per(ints, to)} * ranks), data,
        [&](void* received) {
          MPIS_OWN(Gather)(block, per(ints, from), from.type, received, per(ints, to), to.type, round.root, round.comm);
        },
        [&](void* received, MPI_Request* request) {
          return MPI_Igather(block, per(ints, from), Freed(from), received, per(ints, to), Freed(to), round.root,
                             round.comm, request);
        });
  }

  void scatter() {
    const int ints = round.ints();
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto data = sent(from, long{per(ints, from)} * ranks);
    const bool in_place = round.all.once_in(3) && rank == round.root;
    begin(
        "Iscatter", Buffer(to.type, per(ints, to)), data,
        [&](void* received) {
          MPIS_OWN(Scatter)(data->data(), per(ints, from), from.type, in_place ? MPI_IN_PLACE : received, per(ints, to),
                            to.type, round.root, round.comm);
        },
        [&](void* received, MPI_Request* request) {
          return MPI_Iscatter(data->data(), per(ints, from), Freed(from), in_place ? MPI_IN_PLACE : received,
                              per(ints, to), Freed(to), round.root, round.comm, request);
        });
  }

  void allgather() {
    const int ints = round.ints();
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto data = sent(from, per(ints, from));
    const void* const block = round.all.once_in(3) ? MPI_IN_PLACE : data->data();
    begin(
        "Iallgather", Buffer(to.type, long{per(ints, to)} * ranks), data,
        [&](void* received) {
          MPIS_OWN(Allgather)(block, per(ints, from), from.type, received, per(ints, to), to.type, round.comm);
        },
        [&](void* received, MPI_Request* request) {
          return MPI_Iallgather(block, per(ints, from), Freed(from), received, per(ints, to), Freed(to), round.comm,
                                request);
        });
  }

  /// Open MPI 4.1's own MPI_Alltoall writes beside buffers of types with gaps; its MPI_Alltoallv does not.
  void alltoall() {
    const int ints = round.ints();
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const bool in_place = round.all.once_in(3);
    const auto data = sent(from, long{per(ints, from)} * ranks);
    const std::vector<int> blocks(static_cast<std::size_t>(ranks), ints);
    Buffer received(to.type, long{per(ints, to)} * ranks);
    received.fill(round.own);
    const auto before = std::make_shared<Buffer>(received);
    const auto places = [](int count) {
      std::vector<int> at;
      for (int r = 0; r < ranks; ++r) at.push_back(r * count);
      return at;
    };
    begin_filled(
        "Ialltoall", received,
        std::make_shared<std::pair<std::shared_ptr<Buffer>, std::shared_ptr<Buffer>>>(data, before),
        [&](void* result) {
          const IntType& type = in_place ? to : from;
          const std::vector<int> counts(blocks.size(), per(ints, type));
          const std::vector<int> to_counts(blocks.size(), per(ints, to));
          MPIS_OWN(Alltoallv)((in_place ? before : data)->data(), counts.data(), places(counts[0]).data(), type.type,
                              result, to_counts.data(), places(to_counts[0]).data(), to.type, round.comm);
        },
        [&](void* result, MPI_Request* request) {
          return MPI_Ialltoall(in_place ? MPI_IN_PLACE : data->data(), per(ints, from), Freed(from), result,
                               per(ints, to), Freed(to), round.comm, request);
        });
  }

  void gatherv() {
    const std::vector<int> ints = drawn_ints(round);
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto blocks = std::make_shared<Blocks>(ints, to, round.own);
    const int mine = per(ints[static_cast<std::size_t>(rank)], from);
    const auto data = sent(from, mine);
    const void* const block = round.all.once_in(3) && rank == round.root ? MPI_IN_PLACE : data->data();
    begin(
        "Igatherv", Buffer(to.type, blocks->end),
        std::make_shared<std::pair<decltype(data), decltype(blocks)>>(data, blocks),
        [&](void* received) {
          MPIS_OWN(Gatherv)(block, mine, from.type, received, blocks->counts.data(), blocks->at.data(), to.type,
                            round.root, round.comm);
        },
        [&](void* received, MPI_Request* request) {
          return MPI_Igatherv(block, mine, Freed(from), received, blocks->counts.data(), blocks->at.data(), Freed(to),
                              round.root, round.comm, request);
        });
  }

  void scatterv() {
    const std::vector<int> ints = drawn_ints(round);
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto blocks = std::make_shared<Blocks>(ints, from, round.own);
    const int mine = per(ints[static_cast<std::size_t>(rank)], to);
    const auto data = sent(from, blocks->end);
    const bool in_place = round.all.once_in(3) && rank == round.root;
    begin(
        "Iscatterv", Buffer(to.type, mine), std::make_shared<std::pair<decltype(data), decltype(blocks)>>(data, blocks),
        [&](void* received) {
          MPIS_OWN(Scatterv)(data->data(), blocks->counts.data(), blocks->at.data(), from.type,
                             in_place ? MPI_IN_PLACE : received, mine, to.type, round.root, round.comm);
        },
        [&](void* received, MPI_Request* request) {
          return MPI_Iscatterv(data->data(), blocks->counts.data(), blocks->at.data(), Freed(from),
                               in_place ? MPI_IN_PLACE : received, mine, Freed(to), round.root, round.comm, request);
        });
  }

  void allgatherv() {
    const std::vector<int> ints = drawn_ints(round);
    // As in check_collectives: Open MPI 4.1 chooses its own algorithm by the size of the type that a rank sends.
    const IntType from = round.type();
    const IntType to = round.type();
    const auto blocks = std::make_shared<Blocks>(ints, to, round.own);
    const int mine = per(ints[static_cast<std::size_t>(rank)], from);
    const auto data = sent(from, mine);
    const void* const block = round.all.once_in(3) ? MPI_IN_PLACE : data->data();
    begin(
        "Iallgatherv", Buffer(to.type, blocks->end),
        std::make_shared<std::pair<decltype(data), decltype(blocks)>>(data, blocks),
        [&](void* received) {
          MPIS_OWN(Allgatherv)(block, mine, from.type, received, blocks->counts.data(), blocks->at.data(), to.type,
                               round.comm);
        },
        [&](void* received, MPI_Request* request) {
          return MPI_Iallgatherv(block, mine, Freed(from), received, blocks->counts.data(), blocks->at.data(),
                                 Freed(to), round.comm, request);
        });
  }

  void alltoallv() {
    std::vector<int> to_ints(static_cast<std::size_t>(ranks));
    std::vector<int> from_ints(to_ints.size());
    for (int a = 0; a < ranks; ++a) {
      for (int b = 0; b < ranks; ++b) {
        const int ints = round.ints();
        if (a == rank) to_ints[static_cast<std::size_t>(b)] = ints;
        if (b == rank) from_ints[static_cast<std::size_t>(a)] = ints;
      }
    }
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    struct Arguments {
      Blocks leaving;
      Blocks arriving;
      std::shared_ptr<Buffer> data;
    };
    const auto kept = std::make_shared<Arguments>(
        Arguments{Blocks(to_ints, from, round.own), Blocks(from_ints, to, round.own), nullptr});
    kept->data = sent(from, kept->leaving.end);
    begin(
        "Ialltoallv", Buffer(to.type, kept->arriving.end), kept,
        [&](void* received) {
          MPIS_OWN(Alltoallv)(kept->data->data(), kept->leaving.counts.data(), kept->leaving.at.data(), from.type,
                              received, kept->arriving.counts.data(), kept->arriving.at.data(), to.type, round.comm);
        },
        [&](void* received, MPI_Request* request) {
          return MPI_Ialltoallv(kept->data->data(), kept->leaving.counts.data(), kept->leaving.at.data(), Freed(from),
                                received, kept->arriving.counts.data(), kept->arriving.at.data(), Freed(to), round.comm,
                                request);
        });
  }

  /// One whose result does not depend on the order.
  Operation exact_operation() {
    while (true) {
      const Operation& drawn =
          operations.list[static_cast<std::size_t>(round.all.below(static_cast<int>(operations.list.size())))];
      if (drawn.exact) return drawn;
    }
  }

  void reduce(bool to_all) {
    const Operation operation = exact_operation();
    const int count = round.ints();
    const auto data = std::make_shared<Buffer>(operation.type, count);
    fill(*data, operation, round.own);
    const bool in_place = round.all.once_in(3) && (to_all || rank == round.root);
    Buffer received(operation.type, count);
    fill(received, operation, round.own);
    const auto before = std::make_shared<Buffer>(received);
    begin_filled(
        to_all ? "Iallreduce" : "Ireduce", received,
        std::make_shared<std::pair<decltype(data), decltype(before)>>(data, before),
        [&](void* result) {  // not in place, which MPICH 4.0.2 gets wrong
          const void* const from = (in_place ? before : data)->data();
          if (to_all) {
            MPIS_OWN(Allreduce)(from, result, count, operation.type, operation.op, round.comm);
          } else {
            MPIS_OWN(Reduce)(from, result, count, operation.type, operation.op, round.root, round.comm);
          }
        },
        [&](void* result, MPI_Request* request) {
          const void* const from = in_place ? MPI_IN_PLACE : data->data();
          return to_all
                     ? MPI_Iallreduce(from, result, count, operation.type, operation.op, round.comm, request)
                     : MPI_Ireduce(from, result, count, operation.type, operation.op, round.root, round.comm, request);
        });
  }

  void reduce_scatter(bool alike) {
    const Operation operation = exact_operation();
    const auto counts = std::make_shared<std::vector<int>>(drawn_ints(round));
    if (alike || round.all.once_in(3)) counts->assign(counts->size(), (*counts)[0]);
    long total = 0;
    for (const int count : *counts) total += count;
    const int mine = (*counts)[static_cast<std::size_t>(rank)];
    const auto data = std::make_shared<Buffer>(operation.type, total);
    fill(*data, operation, round.own);
    begin(
        alike ? "Ireduce_scatter_block" : "Ireduce_scatter", Buffer(operation.type, mine),
        std::make_shared<std::pair<decltype(data), decltype(counts)>>(data, counts),
        [&](void* result) {
          MPIS_OWN(Reduce_scatter)(data->data(), result, counts->data(), operation.type, operation.op, round.comm);
        },
        [&](void* result, MPI_Request* request) {
          return alike ? MPI_Ireduce_scatter_block(data->data(), result, mine, operation.type, operation.op, round.comm,
                                                   request)
                       : MPI_Ireduce_scatter(data->data(), result, counts->data(), operation.type, operation.op,
                                             round.comm, request);
        });
  }

  void any() {
    switch (round.all.below(14)) {
      case 0:
        return barrier();
      case 1:
        return bcast();
      case 2:
        return gather();
      case 3:
        return scatter();
      case 4:
        return allgather();
      case 5:
        return alltoall();
      case 6:
        return gatherv();
      case 7:
        return scatterv();
      case 8:
        return allgatherv();
      case 9:
        return alltoallv();
      case 10:
        return reduce(false);
      case 11:
        return reduce(true);
      case 12:
        return reduce_scatter(true);
      default:
        return reduce_scatter(false);
    }
  }

  /// A message to the next rank, and one from the one before.
  void messages() {
    const int count = round.ints();
    const auto data = std::make_shared<Buffer>(MPI_INT, count);
    Drawn from_before(static_cast<std::uint64_t>((rank + ranks - 1) % ranks));
    Drawn mine(static_cast<std::uint64_t>(rank));
    data->fill(mine);
    Buffer received(MPI_INT, count);
    received.fill(round.own);
    Buffer expected(MPI_INT, count);
    expected.fill(from_before);
    std::memcpy(received.bytes().data(), expected.bytes().data(), 64);
    const std::size_t end = 64 + static_cast<std::size_t>(count) * sizeof(int);
    std::copy(expected.bytes().begin() + static_cast<long>(end), expected.bytes().end(),
              received.bytes().begin() + static_cast<long>(end));
    pending.push_back({"message", received, expected, data});
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(pending.back().received.data(), count, MPI_INT, (rank + ranks - 1) % ranks, 99, round.comm,
              &requests.back());
    pending.push_back({"sent message", Buffer(MPI_INT, 0), Buffer(MPI_INT, 0), data});
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Isend(data->data(), count, MPI_INT, (rank + 1) % ranks, 99, round.comm, &requests.back());
  }
};
