// check_types exact|rounding CALLS FILE: reductions of each type for which MPI defines the operation, CALLS times in a
// row. `exact`: of small numbers, whose results are the same in every order. Rank 0 writes a line for each type,
// operation and function with a checksum of the results of all ranks. These lines must be those that the MPI alone
// prints.
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int elements = 24;  // a multiple of the ranks
int rank = 0;
int ranks = 1;
bool exact = true;

enum class Base { i8, i16, i32, i64, f32, f64, f80, f32_i, f64_i, f80_i, i16_i, i64_i };
/// `others` are whole numbers, too: of Fortran, and of all languages.
enum class Ops { integers, others, reals, complex, logical, raw, pairs };

struct Type {
  const char* name;
  MPI_Datatype type;
  Base base;
  int parts;  // of the base in an element
  Ops ops;
};

#define TYPE(name, base, parts, ops) {#name, name, Base::base, parts, Ops::ops}
std::vector<Type> types() {
  return {TYPE(MPI_INT, i32, 1, integers),
          TYPE(MPI_UNSIGNED_CHAR, i8, 1, integers),
          TYPE(MPI_SHORT, i16, 1, integers),
          TYPE(MPI_LONG, i64, 1, integers),
          TYPE(MPI_UINT64_T, i64, 1, integers),
          TYPE(MPI_AINT, i64, 1, others),
          TYPE(MPI_COUNT, i64, 1, others),
          TYPE(MPI_INTEGER, i32, 1, others),
          TYPE(MPI_INTEGER1, i8, 1, others),
          TYPE(MPI_INTEGER2, i16, 1, others),
          TYPE(MPI_INTEGER4, i32, 1, others),
          TYPE(MPI_INTEGER8, i64, 1, others),
          TYPE(MPI_FLOAT, f32, 1, reals),
          TYPE(MPI_DOUBLE, f64, 1, reals),
          TYPE(MPI_LONG_DOUBLE, f80, 1, reals),
          TYPE(MPI_REAL, f32, 1, reals),
          TYPE(MPI_DOUBLE_PRECISION, f64, 1, reals),
          TYPE(MPI_REAL4, f32, 1, reals),
          TYPE(MPI_REAL8, f64, 1, reals),
          TYPE(MPI_C_FLOAT_COMPLEX, f32, 2, complex),
          TYPE(MPI_C_DOUBLE_COMPLEX, f64, 2, complex),
          TYPE(MPI_C_LONG_DOUBLE_COMPLEX, f80, 2, complex),
          TYPE(MPI_CXX_DOUBLE_COMPLEX, f64, 2, complex),
          TYPE(MPI_COMPLEX, f32, 2, complex),
          TYPE(MPI_DOUBLE_COMPLEX, f64, 2, complex),
          TYPE(MPI_COMPLEX8, f32, 2, complex),
          TYPE(MPI_COMPLEX16, f64, 2, complex),
          TYPE(MPI_C_BOOL, i8, 1, logical),
          TYPE(MPI_LOGICAL, i32, 1, logical),
          TYPE(MPI_BYTE, i8, 1, raw),
          TYPE(MPI_2INT, i32, 2, pairs),
          TYPE(MPI_2INTEGER, i32, 2, pairs),
          TYPE(MPI_2REAL, f32, 2, pairs),
          TYPE(MPI_2DOUBLE_PRECISION, f64, 2, pairs),
          TYPE(MPI_FLOAT_INT, f32_i, 1, pairs),
          TYPE(MPI_DOUBLE_INT, f64_i, 1, pairs),
          TYPE(MPI_LONG_DOUBLE_INT, f80_i, 1, pairs),
          TYPE(MPI_SHORT_INT, i16_i, 1, pairs),
          TYPE(MPI_LONG_INT, i64_i, 1, pairs)};
}

struct Operation {
  const char* name;
  MPI_Op op;
};
std::vector<Operation> operations(Ops ops) {
  const std::vector<Operation> sums = {{"sum", MPI_SUM}, {"product", MPI_PROD}};
  const std::vector<Operation> orders = {{"max", MPI_MAX}, {"min", MPI_MIN}};
  const std::vector<Operation> words = {{"and", MPI_LAND}, {"or", MPI_LOR}, {"xor", MPI_LXOR}};
  const std::vector<Operation> bits = {{"band", MPI_BAND}, {"bor", MPI_BOR}, {"bxor", MPI_BXOR}};
  std::vector<Operation> all;
  const auto add = [&all](const std::vector<Operation>& some) { all.insert(all.end(), some.begin(), some.end()); };
  const bool whole = ops == Ops::integers || ops == Ops::others;
  if (whole || ops == Ops::reals || ops == Ops::complex) add(sums);
  if (whole || ops == Ops::reals) add(orders);
  if (ops == Ops::integers || ops == Ops::logical) add(words);
  if (whole || ops == Ops::raw) add(bits);
  if (ops == Ops::pairs) add({{"maxloc", MPI_MAXLOC}, {"minloc", MPI_MINLOC}});
  return all;
}

/// A small whole number, or one with many digits.
template <typename Number>
Number value(int at, bool logical) {
  const unsigned mixed = 2654435761U * static_cast<unsigned>(31 * at + 7 * rank + 1);
  if (logical) return static_cast<Number>(mixed >> 30 & 1U);
  const int small = 1 + static_cast<int>(mixed >> 29) % 3;
  if (exact || static_cast<Number>(0.5) == Number{0}) return static_cast<Number>(small);
  return static_cast<Number>(static_cast<long double>(mixed) / 3 - 500'000'000);
}

/// Writes one part, and tells how long it is in memory and which of its bytes count.
template <typename Number, typename Index = void>
void fill(std::byte* at, int index, bool logical) {
  if constexpr (std::is_void_v<Index>) {
    const auto number = value<Number>(index, logical);
    std::memcpy(at, &number, sizeof number);
  } else {
    struct {
      Number number;
      Index index;
    } pair;
    std::memset(static_cast<void*>(&pair), 0, sizeof pair);
    pair.number = value<Number>(index, logical);
    pair.index = rank;
    std::memcpy(at, &pair, sizeof pair);
  }
}

struct Part {
  std::size_t size;
  std::size_t number;  // bytes of the number that count
  std::size_t index;   // where its index is; 0: it has none
  void (*write)(std::byte* at, int index, bool logical);
};
template <typename Number>
Part part(std::size_t number = sizeof(Number)) {
  return {sizeof(Number), number, 0, &fill<Number>};
}
template <typename Number>
Part pair(std::size_t number = sizeof(Number)) {
  struct Pair {
    Number number;
    int index;
  };
  return {sizeof(Pair), number, offsetof(Pair, index), &fill<Number, int>};
}

Part part_of(Base base) {
  constexpr std::size_t digits = 10;  // of the 16 bytes of x86's long double
  switch (base) {
    case Base::i8:
      return part<std::uint8_t>();
    case Base::i16:
      return part<std::int16_t>();
    case Base::i32:
      return part<std::int32_t>();
    case Base::i64:
      return part<std::int64_t>();
    case Base::f32:
      return part<float>();
    case Base::f64:
      return part<double>();
    case Base::f80:
      return part<long double>(digits);
    case Base::f32_i:
      return pair<float>();
    case Base::f64_i:
      return pair<double>();
    case Base::f80_i:
      return pair<long double>(digits);
    case Base::i16_i:
      return pair<std::int16_t>();
    case Base::i64_i:
      return pair<std::int64_t>();
  }
  std::abort();
}

std::uint64_t checksum(const std::vector<std::byte>& data, const Part& part) {
  std::uint64_t sum = 14695981039346656037U;
  const auto take = [&](std::size_t first, std::size_t bytes) {
    for (std::size_t i = first; i < first + bytes; ++i)
      sum = (sum ^ static_cast<std::uint64_t>(data[i])) * 1099511628211U;
  };
  for (std::size_t at = 0; at < data.size(); at += part.size) {
    take(at, part.number);
    if (part.index != 0) take(at + part.index, sizeof(int));
  }
  return sum;
}

void print(const Type& type, const char* operation, const char* function, std::uint64_t own) {
  std::vector<std::uint64_t> all(static_cast<std::size_t>(ranks));
  MPI_Gather(&own, 8, MPI_BYTE, all.data(), 8, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (rank != 0) return;
  std::printf("%s %s %s", type.name, operation, function);
  for (const std::uint64_t one : all) std::printf(" %016llx", static_cast<unsigned long long>(one));
  std::puts("");
}

void check(const Type& type, const Operation& operation, int calls) {
  const Part part = part_of(type.base);
  const int parts = elements * type.parts;
  std::vector<std::byte> sent(static_cast<std::size_t>(parts) * part.size);
  for (int i = 0; i < parts; ++i) {
    part.write(sent.data() + static_cast<std::size_t>(i) * part.size, i, type.ops == Ops::logical);
  }
  const std::vector<std::byte> empty(sent.size());
  std::vector<std::byte> received = empty;
  for (int i = 0; i < calls; ++i) {
    MPI_Allreduce(sent.data(), received.data(), elements, type.type, operation.op, MPI_COMM_WORLD);
  }
  print(type, operation.name, "allreduce", checksum(received, part));
  received = empty;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(sent.data(), received.data(), elements, type.type, operation.op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  print(type, operation.name, "iallreduce", checksum(received, part));
  received = empty;
  MPI_Reduce(sent.data(), received.data(), elements, type.type, operation.op, ranks - 1, MPI_COMM_WORLD);
  print(type, operation.name, "reduce", checksum(received, part));
  received = empty;
  MPI_Reduce_scatter_block(sent.data(), received.data(), elements / ranks, type.type, operation.op, MPI_COMM_WORLD);
  print(type, operation.name, "reduce_scatter_block", checksum(received, part));
}

/// An operation that MPI does not define for the type: some MPIs refuse it.
void check_refused() {
  int sent = 1;
  int received = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPI_Allreduce(&sent, &received, 1, MPI_INTEGER, MPI_LAND, MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (rank == 0) std::printf("MPI_INTEGER and: %s\n", code == MPI_SUCCESS ? "allowed" : "refused");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 1);
  exact = std::string(argv[1]) == "exact";
  // To a file: some launchers lose parts of what ranks print.
  if (rank == 0 && !std::freopen(argv[3], "w", stdout)) MPI_Abort(MPI_COMM_WORLD, 1);
  for (const Type& type : types()) {
    for (const Operation& operation : operations(type.ops)) check(type, operation, std::atoi(argv[2]));
  }
  check_refused();
  MPI_Finalize();
  return 0;
}
