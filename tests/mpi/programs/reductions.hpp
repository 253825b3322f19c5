#pragma once
// MPI_Reduce and its like: what check_collectives reduces, and how it compares.

#include <cstring>
#include <functional>

#include "round.hpp"

inline void add_pairs(void* in, void* inout, int* count, MPI_Datatype*) {
  auto* const from = static_cast<std::int32_t*>(in);
  auto* const to = static_cast<std::int32_t*>(inout);
  for (int i = 0; i < *count; ++i) {
    to[3 * i] += from[3 * i];
    to[3 * i + 2] ^= from[3 * i + 2];
  }
}

/// 2×2 matrices modulo 2^32: associative, not commutative.
inline void multiply(void* in, void* inout, int* count, MPI_Datatype*) {
  auto* a = static_cast<std::uint32_t*>(in);
  auto* b = static_cast<std::uint32_t*>(inout);
  for (int i = 0; i < *count; ++i, a += 4, b += 4) {
    const std::uint32_t product[] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                                     a[2] * b[1] + a[3] * b[3]};
    std::memcpy(b, product, sizeof product);
  }
}

enum class Fill { bytes, small_doubles, doubles, pairs };

struct Operation {
  MPI_Datatype type;
  MPI_Op op;
  Fill fill;
  bool exact;  // the same result in every order
  const char* name;
};

struct Operations {
  MPI_Datatype gap = MPI_DATATYPE_NULL;
  MPI_Datatype matrix = MPI_DATATYPE_NULL;
  MPI_Op add = MPI_OP_NULL;
  MPI_Op product = MPI_OP_NULL;
  std::vector<Operation> list;

  Operations() {
    MPI_Type_vector(2, 1, 2, MPI_INT, &gap);
    MPI_Type_commit(&gap);
    MPI_Type_contiguous(4, MPI_UNSIGNED, &matrix);
    MPI_Type_commit(&matrix);
    MPI_Op_create(add_pairs, 1, &add);
    MPI_Op_create(multiply, 0, &product);
    list = {{MPI_INT, MPI_SUM, Fill::bytes, true, "int sum"},
            {MPI_UINT8_T, MPI_MAX, Fill::bytes, true, "byte max"},
            {MPI_DOUBLE, MPI_SUM, Fill::small_doubles, true, "exact double sum"},
            {MPI_DOUBLE, MPI_SUM, Fill::doubles, false, "rounded double sum"},
            {MPI_DOUBLE, MPI_MIN, Fill::doubles, true, "double min"},
            {MPI_LONG, MPI_BXOR, Fill::bytes, true, "long xor"},
            {MPI_SHORT, MPI_PROD, Fill::bytes, true, "short product"},
            {MPI_DOUBLE_INT, MPI_MAXLOC, Fill::pairs, true, "double int maxloc"},
            {MPI_SHORT_INT, MPI_MINLOC, Fill::bytes, true, "short int minloc"},
            {gap, add, Fill::bytes, true, "user's sum with a gap"},
            {matrix, product, Fill::bytes, true, "matrix product"}};
  }
  ~Operations() {
    MPI_Type_free(&gap);
    MPI_Type_free(&matrix);
    MPI_Op_free(&add);
    MPI_Op_free(&product);
  }
};

inline void fill(Buffer& buffer, const Operation& operation, Drawn& own) {
  buffer.fill(own);
  struct Pair {
    double value;
    int index;
  };
  for (long i = 0; i < buffer.count(); ++i) {
    if (operation.fill == Fill::small_doubles) static_cast<double*>(buffer.data())[i] = own.below(1000);
    if (operation.fill == Fill::doubles) static_cast<double*>(buffer.data())[i] = 1.0 / (1 + own.below(1000000));
    if (operation.fill == Fill::pairs) {
      static_cast<Pair*>(buffer.data())[i].value = own.below(3);
      static_cast<Pair*>(buffer.data())[i].index = own.below(1000);
    }
  }
}

inline bool same_on_all_ranks(Buffer& buffer, MPI_Comm comm) {
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
inline void compare_reduction(Buffer& received, const Operation& operation, MPI_Comm comm, bool on_all,
                              const std::function<int(bool, void*)>& call) {
  Buffer again = received;
  Buffer expected = received;
  check(call(true, received.data()) == MPI_SUCCESS, "return code");
  call(true, again.data());
  check(received == again, "second result");
  call(false, expected.data());
  if (operation.exact) check(received == expected, "data");
  if (!operation.exact && on_all) check(same_on_all_ranks(received, comm), "data: ranks differ");
}

inline Operation drawn_operation(Round& round, const Operations& operations) {
  const Operation operation =
      operations.list[static_cast<std::size_t>(round.all.below(static_cast<int>(operations.list.size())))];
  what += std::string(" ") + operation.name;
  trace();
  return operation;
}

inline void reduce(Round& round, const Operations& operations) {
  const Operation operation = drawn_operation(round, operations);
  const int count = round.ints();
  const bool in_place = round.all.once_in(3) && rank == round.root;
  Buffer sent(operation.type, count);
  fill(sent, operation, round.own);
  const Buffer before = sent;
  Buffer received(operation.type, count);
  fill(received, operation, round.own);
  // MPICH 4.0.2 ends with a segmentation fault in its own MPI_Reduce in place at a root other than 0.
  Buffer not_in_place = received;
  compare_reduction(received, operation, round.comm, false, [&](bool ours, void* data) {
    const void* const from = !in_place ? sent.data() : ours ? MPI_IN_PLACE : not_in_place.data();
    return (ours ? &MPI_Reduce : MPIS_OWN(Reduce))(from, data, count, operation.type, operation.op, round.root,
                                                   round.comm);
  });
  check(sent == before, "sent data");
}

inline void allreduce(Round& round, const Operations& operations) {
  const Operation operation = drawn_operation(round, operations);
  const int count = round.ints();
  const bool in_place = round.all.once_in(3);
  Buffer sent(operation.type, count);
  fill(sent, operation, round.own);
  const Buffer before = sent;
  Buffer received(operation.type, count);
  fill(received, operation, round.own);
  compare_reduction(received, operation, round.comm, true, [&](bool ours, void* data) {
    return (ours ? &MPI_Allreduce : MPIS_OWN(Allreduce))(in_place ? MPI_IN_PLACE : sent.data(), data, count,
                                                         operation.type, operation.op, round.comm);
  });
  check(sent == before, "sent data");
}

/// What is left of the buffer of a reduce-scatter in place is undefined but for the result.
inline void keep_only(Buffer& buffer, long count, const Buffer& rest) {
  Buffer kept = rest;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  PMPI_Type_get_extent(buffer.type(), &low, &extent);
  std::memcpy(kept.data(), buffer.data(), static_cast<std::size_t>(count * extent));
  buffer = kept;
}

inline void reduce_scatter(Round& round, const Operations& operations, bool blocks_alike) {
  const Operation operation = drawn_operation(round, operations);
  std::vector<int> counts = drawn_ints(round);
  if (blocks_alike || round.all.once_in(3)) counts.assign(counts.size(), counts[0]);
  long total = 0;
  for (const int count : counts) total += count;
  const int mine = counts[static_cast<std::size_t>(rank)];
  const bool in_place = round.all.once_in(3);
  Buffer sent(operation.type, total);
  fill(sent, operation, round.own);
  const Buffer before = sent;
  Buffer received(operation.type, in_place ? total : mine);
  fill(received, operation, round.own);
  const Buffer start = received;
  compare_reduction(received, operation, round.comm, false, [&](bool ours, void* data) {
    Buffer work = start;
    const void* const from = in_place ? MPI_IN_PLACE : sent.data();
    const int code = blocks_alike ? (ours ? &MPI_Reduce_scatter_block : MPIS_OWN(Reduce_scatter_block))(
                                        from, work.data(), mine, operation.type, operation.op, round.comm)
                                  : (ours ? &MPI_Reduce_scatter : MPIS_OWN(Reduce_scatter))(
                                        from, work.data(), counts.data(), operation.type, operation.op, round.comm);
    if (in_place) keep_only(work, mine, start);
    std::memcpy(static_cast<unsigned char*>(data), work.data(), work.bytes().size() - 128);
    return code;
  });
  check(sent == before, "sent data");
}
