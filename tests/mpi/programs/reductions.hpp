#pragma once
// What is reduced by calls that are drawn, and how.

#include <cstring>

#include "drawn.hpp"

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
