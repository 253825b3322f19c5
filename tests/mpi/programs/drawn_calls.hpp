#pragma once
// Calls of collectives with random datatypes, counts, operations and roots. check_collectives makes them one after the
// other; check_nonblocking begins several and ends them later.

#include <functional>
#include <memory>
#include <string>
#include <type_traits>

#include "reductions.hpp"
#include "round.hpp"

/// Who makes a call: a function of the program that blocks, or one that does not; or the MPI alone, which blocks.
enum class Way { blocks, begins, own };

template <typename Begins, typename... All>
int call_by(Way way, MPI_Request* request, int (*blocks)(All...), Begins begins, int (*own)(All...),
            std::type_identity_t<All>... all) {
  if (way == Way::begins) return begins(all..., request);
  return (way == Way::blocks ? blocks : own)(all...);
}
#define CALL_BY(way, request, blocking, nonblocking, ...) \
  call_by(way, request, &MPI_##blocking, &MPI_##nonblocking, MPIS_OWN(blocking), __VA_ARGS__)

/// A datatype for a call. One that does not block gets one of the program's, which is freed while the call goes on.
class Lent {
 public:
  Lent(Way way, const IntType& type) : type_(type.type), is_freed_(way == Way::begins) {
    if (is_freed_) MPI_Type_dup(type.type, &type_);
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  ~Lent() {
    if (is_freed_) MPI_Type_free(&type_);
  }
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
  bool is_freed_;
};

inline int per(int ints, const IntType& type) { return ints / type.ints; }

/// Blocks of random sizes at random distances, in any order of ranks.
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

  /// Of the same size, one after the other.
  Blocks(int count, int blocks) : end(static_cast<long>(count) * blocks) {
    for (int i = 0; i < blocks; ++i) {
      counts.push_back(count);
      at.push_back(i * count);
    }
  }
};

struct DrawnCall {
  Buffer received;               // as it is before the call
  std::shared_ptr<Buffer> sent;  // which nobody may change
  /// Keeps the arguments, which the MPI may read until the end.
  std::function<int(Way way, void* received, MPI_Request* request)> make;
  bool reduces = false;
  bool exact = true;             // otherwise the MPI's own result may be another one
  bool same_everywhere = false;  // on all ranks
};

class CallDraw {
 public:
  /// `blocking`: of calls that block there is more than of the others.
  CallDraw(const Round& round, const Operations& operations, bool blocking)
      : round(round), operations(operations), blocking(blocking) {}

  static constexpr int kinds = 14;

  DrawnCall of(int kind) {
    static constexpr std::pair<const char*, DrawnCall (CallDraw::*)()> all[kinds] = {
        {"barrier", &CallDraw::barrier},
        {"broadcast", &CallDraw::broadcast},
        {"gather", &CallDraw::gather},
        {"scatter", &CallDraw::scatter},
        {"allgather", &CallDraw::allgather},
        {"alltoall", &CallDraw::alltoall},
        {"gatherv", &CallDraw::gatherv},
        {"scatterv", &CallDraw::scatterv},
        {"allgatherv", &CallDraw::allgatherv},
        {"alltoallv", &CallDraw::alltoallv},
        {"reduce", &CallDraw::reduce},
        {"allreduce", &CallDraw::allreduce},
        {"reduce_scatter_block", &CallDraw::reduce_scatter_block},
        {"reduce_scatter", &CallDraw::reduce_scatter},
    };
    what += std::string(", ") + all[kind].first;
    trace();
    return (this->*all[kind].second)();
  }

 private:
  Buffer filled(MPI_Datatype type, long count) {
    Buffer buffer(type, count);
    buffer.fill(round.own);
    return buffer;
  }

  std::shared_ptr<Buffer> sent(const IntType& type, long count) {
    return std::make_shared<Buffer>(filled(type.type, count));
  }

  static std::shared_ptr<Buffer> nothing() { return std::make_shared<Buffer>(MPI_INT, 0); }

  DrawnCall barrier() {
    return {Buffer(MPI_INT, 0), nothing(), [*this](Way way, void*, MPI_Request* request) {
              return CALL_BY(way, request, Barrier, Ibarrier, round.comm);
            }};
  }

  DrawnCall broadcast() {
    const int ints = round.ints();
    const IntType type = round.own_type();
    return {filled(type.type, per(ints, type)), nothing(), [=, *this](Way way, void* data, MPI_Request* request) {
              return CALL_BY(way, request, Bcast, Ibcast, data, per(ints, type), Lent(way, type), round.root,
                             round.comm);
            }};
  }

  DrawnCall gather() {
    const int ints = round.ints();
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto data = sent(from, per(ints, from));
    const void* const block = round.all.once_in(3) && rank == round.root ? MPI_IN_PLACE : data->data();
    return {filled(to.type, long{per(ints, to)} * ranks), data,
            [=, *this](Way way, void* received, MPI_Request* request) {
              return CALL_BY(way, request, Gather, Igather, block, per(ints, from), Lent(way, from), received,
                             per(ints, to), Lent(way, to), round.root, round.comm);
            }};
  }

  DrawnCall scatter() {
    const int ints = round.ints();
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto data = sent(from, long{per(ints, from)} * ranks);
    const bool in_place = round.all.once_in(3) && rank == round.root;
    return {filled(to.type, per(ints, to)), data, [=, *this](Way way, void* received, MPI_Request* request) {
              return CALL_BY(way, request, Scatter, Iscatter, data->data(), per(ints, from), Lent(way, from),
                             in_place ? MPI_IN_PLACE : received, per(ints, to), Lent(way, to), round.root, round.comm);
            }};
  }

  DrawnCall allgather() {
    const int ints = round.ints();
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto data = sent(from, per(ints, from));
    const void* const block = round.all.once_in(3) ? MPI_IN_PLACE : data->data();
    return {filled(to.type, long{per(ints, to)} * ranks), data,
            [=, *this](Way way, void* received, MPI_Request* request) {
              return CALL_BY(way, request, Allgather, Iallgather, block, per(ints, from), Lent(way, from), received,
                             per(ints, to), Lent(way, to), round.comm);
            }};
  }

  /// Open MPI 4.1's own functions write beside the buffers if the type has gaps, in place and, from 12 ranks on, in
  /// Bruck's algorithm: the reference is its MPI_Alltoallv, and not in place.
  DrawnCall alltoall() {
    const int ints = round.ints();
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const bool in_place = round.all.once_in(3);
    const auto data = sent(from, long{per(ints, from)} * ranks);
    const Blocks arriving(per(ints, to), ranks);
    Buffer received = filled(to.type, arriving.end);
    const auto before = std::make_shared<Buffer>(received);
    return {received, data, [=, *this](Way way, void* result, MPI_Request* request) {
              if (way == Way::own) {
                const IntType& type = in_place ? to : from;
                const Blocks leaving(per(ints, type), ranks);
                return MPIS_OWN(Alltoallv)((in_place ? before : data)->data(), leaving.counts.data(), leaving.at.data(),
                                           type.type, result, arriving.counts.data(), arriving.at.data(), to.type,
                                           round.comm);
              }
              return CALL_BY(way, request, Alltoall, Ialltoall, in_place ? MPI_IN_PLACE : data->data(), per(ints, from),
                             Lent(way, from), result, per(ints, to), Lent(way, to), round.comm);
            }};
  }

  DrawnCall gatherv() {
    const std::vector<int> ints = drawn_ints(round);
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto blocks = std::make_shared<Blocks>(ints, to, round.own);
    const int mine = per(ints[static_cast<std::size_t>(rank)], from);
    const auto data = sent(from, mine);
    const void* const block = round.all.once_in(3) && rank == round.root ? MPI_IN_PLACE : data->data();
    return {filled(to.type, blocks->end), data, [=, *this](Way way, void* received, MPI_Request* request) {
              return CALL_BY(way, request, Gatherv, Igatherv, block, mine, Lent(way, from), received,
                             blocks->counts.data(), blocks->at.data(), Lent(way, to), round.root, round.comm);
            }};
  }

  DrawnCall scatterv() {
    const std::vector<int> ints = drawn_ints(round);
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto blocks = std::make_shared<Blocks>(ints, from, round.own);
    const int mine = per(ints[static_cast<std::size_t>(rank)], to);
    const auto data = sent(from, blocks->end);
    const bool in_place = round.all.once_in(3) && rank == round.root;
    return {filled(to.type, mine), data, [=, *this](Way way, void* received, MPI_Request* request) {
              return CALL_BY(way, request, Scatterv, Iscatterv, data->data(), blocks->counts.data(), blocks->at.data(),
                             Lent(way, from), in_place ? MPI_IN_PLACE : received, mine, Lent(way, to), round.root,
                             round.comm);
            }};
  }

  DrawnCall allgatherv() {
    const std::vector<int> ints = drawn_ints(round);
    // Open MPI 4.1 multiplies the size of the type that it sends with the counts that it receives when it chooses its
    // own algorithm: ranks with other types would choose another one.
    const IntType from = round.type();
    const IntType to = round.type();
    const auto blocks = std::make_shared<Blocks>(ints, to, round.own);
    const int mine = per(ints[static_cast<std::size_t>(rank)], from);
    const auto data = sent(from, mine);
    const void* const block = round.all.once_in(3) ? MPI_IN_PLACE : data->data();
    return {filled(to.type, blocks->end), data, [=, *this](Way way, void* received, MPI_Request* request) {
              return CALL_BY(way, request, Allgatherv, Iallgatherv, block, mine, Lent(way, from), received,
                             blocks->counts.data(), blocks->at.data(), Lent(way, to), round.comm);
            }};
  }

  DrawnCall alltoallv() {
    // In place, what a rank sends to another is as long as what it gets from it.
    const bool in_place = blocking && round.all.once_in(3);
    std::vector<int> to_ints(static_cast<std::size_t>(ranks));
    std::vector<int> from_ints(to_ints.size());
    for (int a = 0; a < ranks; ++a) {
      for (int b = 0; b < ranks; ++b) {
        if (in_place && b < a) continue;
        const int ints = round.ints();
        if (a == rank) to_ints[static_cast<std::size_t>(b)] = ints;
        if (b == rank) from_ints[static_cast<std::size_t>(a)] = ints;
        if (in_place && a == rank) from_ints[static_cast<std::size_t>(b)] = ints;
      }
    }
    const IntType from = round.own_type();
    const IntType to = round.own_type();
    const auto leaving = std::make_shared<Blocks>(to_ints, from, round.own);
    const auto arriving = std::make_shared<Blocks>(from_ints, to, round.own);
    const auto data = sent(from, leaving->end);
    Buffer received = filled(to.type, arriving->end);
    const auto before = std::make_shared<Buffer>(received);
    return {received, data, [=, *this](Way way, void* result, MPI_Request* request) {
              const int* const counts = arriving->counts.data();
              const int* const at = arriving->at.data();
              if (in_place && way == Way::own) {
                return MPIS_OWN(Alltoallv)(before->data(), counts, at, to.type, result, counts, at, to.type,
                                           round.comm);
              }
              if (in_place) {
                return MPI_Alltoallv(MPI_IN_PLACE, nullptr, nullptr, MPI_INT, result, counts, at, to.type, round.comm);
              }
              return CALL_BY(way, request, Alltoallv, Ialltoallv, data->data(), leaving->counts.data(),
                             leaving->at.data(), Lent(way, from), result, counts, at, Lent(way, to), round.comm);
            }};
  }

  /// What is begun is made once, so its result must not depend on the order.
  const Operation& drawn_operation() {
    while (true) {
      const Operation& drawn =
          operations.list[static_cast<std::size_t>(round.all.below(static_cast<int>(operations.list.size())))];
      if (!blocking && !drawn.exact) continue;
      what += std::string(" ") + drawn.name;
      trace();
      return drawn;
    }
  }

  Buffer operands(const Operation& operation, long count) {
    Buffer buffer(operation.type, count);
    fill(buffer, operation, round.own);
    return buffer;
  }

  DrawnCall reduce() { return reduction(false); }
  DrawnCall allreduce() { return reduction(true); }

  /// The reference is not in place: MPICH 4.0.2's own MPI_Reduce ends with a segmentation fault there at a root other
  /// than 0.
  DrawnCall reduction(bool to_all) {
    const Operation& operation = drawn_operation();
    const int count = round.ints();
    const bool in_place = round.all.once_in(3) && (to_all || rank == round.root);
    const auto data = std::make_shared<Buffer>(operands(operation, count));
    Buffer received = operands(operation, count);
    const auto before = std::make_shared<Buffer>(received);
    return {received,
            data,
            [=, &operation, *this](Way way, void* result, MPI_Request* request) {
              const void* const from = !in_place ? data->data() : way == Way::own ? before->data() : MPI_IN_PLACE;
              return to_all ? CALL_BY(way, request, Allreduce, Iallreduce, from, result, count, operation.type,
                                      operation.op, round.comm)
                            : CALL_BY(way, request, Reduce, Ireduce, from, result, count, operation.type, operation.op,
                                      round.root, round.comm);
            },
            true,
            operation.exact,
            to_all};
  }

  DrawnCall reduce_scatter() { return scattered_reduction(false); }
  DrawnCall reduce_scatter_block() { return scattered_reduction(true); }

  DrawnCall scattered_reduction(bool alike) {
    const Operation& operation = drawn_operation();
    const auto counts = std::make_shared<std::vector<int>>(drawn_ints(round));
    if (alike || round.all.once_in(3)) counts->assign(counts->size(), (*counts)[0]);
    long total = 0;
    for (const int count : *counts) total += count;
    const int mine = (*counts)[static_cast<std::size_t>(rank)];
    const bool in_place = blocking && round.all.once_in(3);
    const auto data = std::make_shared<Buffer>(operands(operation, total));
    Buffer received = operands(operation, in_place ? total : mine);
    const auto before = std::make_shared<Buffer>(received);
    return {received,
            data,
            [=, &operation, *this](Way way, void* result, MPI_Request* request) {
              if (way == Way::own) {
                return MPIS_OWN(Reduce_scatter)((in_place ? before : data)->data(), result, counts->data(),
                                                operation.type, operation.op, round.comm);
              }
              const void* const from = in_place ? MPI_IN_PLACE : data->data();
              const int code = alike ? CALL_BY(way, request, Reduce_scatter_block, Ireduce_scatter_block, from, result,
                                               mine, operation.type, operation.op, round.comm)
                                     : CALL_BY(way, request, Reduce_scatter, Ireduce_scatter, from, result,
                                               counts->data(), operation.type, operation.op, round.comm);
              // In place the rest is undefined.
              if (in_place) copy_elements(*before, mine, total, result);
              return code;
            },
            true,
            operation.exact,
            false};
  }

  static void copy_elements(Buffer& from, long begin, long end, void* to) {
    MPI_Aint low = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(from.type(), &low, &extent);
    std::memcpy(static_cast<unsigned char*>(to) + begin * extent,
                static_cast<unsigned char*>(from.data()) + begin * extent,
                static_cast<std::size_t>((end - begin) * extent));
  }

  Round round;
  const Operations& operations;
  bool blocking;
};
