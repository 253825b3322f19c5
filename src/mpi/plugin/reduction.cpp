#include "reduction.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace ayatori::plugin {

namespace {

/// `number`: a whole number that is no C integer, so that MPI has no logical operations for it.
enum class Kind : std::uint8_t { other, integer, number, real, complex, logical, raw, pair };

struct TypeKind {
  MPI_Datatype type;
  Kind kind;
};

/// By MPI 3.1, section 5.9.2. Types that are missing here are left to the MPI.
Kind kind_of(MPI_Datatype type) {
  static const TypeKind kinds[] = {
      {MPI_INT, Kind::integer},
      {MPI_DOUBLE, Kind::real},
      {MPI_FLOAT, Kind::real},
      {MPI_LONG, Kind::integer},
      {MPI_UNSIGNED_LONG, Kind::integer},
      {MPI_UNSIGNED, Kind::integer},
      {MPI_LONG_LONG, Kind::integer},
      {MPI_UNSIGNED_LONG_LONG, Kind::integer},
      {MPI_INT64_T, Kind::integer},
      {MPI_UINT64_T, Kind::integer},
      {MPI_INT32_T, Kind::integer},
      {MPI_UINT32_T, Kind::integer},
      {MPI_INT16_T, Kind::integer},
      {MPI_UINT16_T, Kind::integer},
      {MPI_INT8_T, Kind::integer},
      {MPI_UINT8_T, Kind::integer},
      {MPI_SHORT, Kind::integer},
      {MPI_UNSIGNED_SHORT, Kind::integer},
      {MPI_SIGNED_CHAR, Kind::integer},
      {MPI_UNSIGNED_CHAR, Kind::integer},
      {MPI_AINT, Kind::number},
      {MPI_OFFSET, Kind::number},
      {MPI_COUNT, Kind::number},
      {MPI_LONG_DOUBLE, Kind::real},
      {MPI_C_FLOAT_COMPLEX, Kind::complex},
      {MPI_C_DOUBLE_COMPLEX, Kind::complex},
      {MPI_C_BOOL, Kind::logical},
      {MPI_BYTE, Kind::raw},
      {MPI_FLOAT_INT, Kind::pair},
      {MPI_DOUBLE_INT, Kind::pair},
      {MPI_LONG_INT, Kind::pair},
      {MPI_2INT, Kind::pair},
      {MPI_SHORT_INT, Kind::pair},
      {MPI_LONG_DOUBLE_INT, Kind::pair},
      {MPI_INTEGER, Kind::number},
      {MPI_REAL, Kind::real},
      {MPI_DOUBLE_PRECISION, Kind::real},
      {MPI_COMPLEX, Kind::complex},
      {MPI_LOGICAL, Kind::logical},
  };
  const auto found = std::ranges::find(kinds, type, &TypeKind::type);
  return found == std::end(kinds) ? Kind::other : found->kind;
}

bool is_defined(MPI_Op op, Kind kind) {
  const bool whole = kind == Kind::integer || kind == Kind::number;
  if (op == MPI_SUM || op == MPI_PROD) return whole || kind == Kind::real || kind == Kind::complex;
  if (op == MPI_MAX || op == MPI_MIN) return whole || kind == Kind::real;
  if (op == MPI_LAND || op == MPI_LOR || op == MPI_LXOR) return kind == Kind::integer || kind == Kind::logical;
  if (op == MPI_BAND || op == MPI_BOR || op == MPI_BXOR) return whole || kind == Kind::raw;
  if (op == MPI_MAXLOC || op == MPI_MINLOC) return kind == Kind::pair;
  return false;
}

bool lies_within_its_extent(const Layout& layout) {
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_low = 0;
  MPI_Aint true_extent = 0;
  PMPI_Type_get_extent(layout.type, &low, &extent);
  PMPI_Type_get_true_extent(layout.type, &true_low, &true_extent);
  return low == 0 && extent > 0 && true_low >= 0 && true_low + true_extent <= extent;
}

bool check_whether_it_can_be_executed(MPI_Op op, const Layout& layout) {
  if (is_builtin(op)) return layout.is_named && is_defined(op, kind_of(layout.type));
  return lies_within_its_extent(layout);
}

/// In whatever order elements are combined.
bool has_the_same_bits(Kind kind) {
  return kind == Kind::integer || kind == Kind::number || kind == Kind::logical || kind == Kind::raw;
}

}  // namespace

bool is_builtin(MPI_Op op) {
  for (const MPI_Op known : {MPI_SUM, MPI_MAX, MPI_MIN, MPI_PROD, MPI_LAND, MPI_BAND, MPI_LOR, MPI_BOR, MPI_LXOR,
                             MPI_BXOR, MPI_MAXLOC, MPI_MINLOC, MPI_REPLACE, MPI_NO_OP}) {
    if (op == known) return true;
  }
  return false;
}

bool can_execute(MPI_Op op, const Layout& layout) {
  if (op == MPI_OP_NULL) return false;
  thread_local struct {
    MPI_Op op = MPI_OP_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    bool answer = false;
  } last;
  if (last.op == op && last.type == layout.type) return last.answer;
  const bool answer = check_whether_it_can_be_executed(op, layout);
  // The handles of operations and types that a program made may come to mean others.
  if (is_builtin(op) && layout.is_named) last = {op, layout.type, answer};
  return answer;
}

Reduction reduction_of(MPI_Op op, const Layout& layout) {
  int commutes = 1;
  if (!is_builtin(op)) PMPI_Op_commutative(op, &commutes);
  return {op, layout, static_cast<Bytes>(layout.extent), commutes != 0};
}

bool is_exact(const Reduction& reduction) {
  if (!is_builtin(reduction.op)) return false;
  const Kind kind = kind_of(reduction.layout.type);
  const bool is_extreme = reduction.op == MPI_MAX || reduction.op == MPI_MIN;
  return has_the_same_bits(kind) || (kind == Kind::real && is_extreme);
}

namespace {

/// MPI_Reduce_local: to = from ∘ to.
void prepend(const Reduction& reduction, std::byte* to, const std::byte* from, Bytes bytes) {
  const Bytes max_count = std::numeric_limits<int>::max();
  for (Bytes left = bytes / reduction.element_bytes; left > 0;) {
    const Bytes count = std::min(left, max_count);
    PMPI_Reduce_local(from, to, static_cast<int>(count), reduction.layout.type, reduction.op);
    to += count * reduction.element_bytes;
    from += count * reduction.element_bytes;
    left -= count;
  }
}

/// to = to ∘ from, by way of a copy of `from` that stays in the cache.
void append(const Reduction& reduction, std::byte* to, const std::byte* from, Bytes bytes) {
  constexpr Bytes cached = 8192;
  const Bytes at_once = std::max<Bytes>(1, cached / reduction.element_bytes) * reduction.element_bytes;
  const Memory copy(std::min(at_once, bytes));
  for (Bytes done = 0; done < bytes; done += at_once) {
    const Bytes part = std::min(at_once, bytes - done);
    std::memcpy(copy.begin(), from + done, part);
    prepend(reduction, copy.begin(), to + done, part);
    std::memcpy(to + done, copy.begin(), part);
  }
}

}  // namespace

Combine combine_by(const Reduction& reduction) {
  return [&reduction](std::byte* to, const std::byte* from, std::size_t bytes, OperandOrder order) {
    if (order == OperandOrder::to_first &&
        !(is_builtin(reduction.op) && has_the_same_bits(kind_of(reduction.layout.type)))) {
      append(reduction, to, from, bytes);
    } else {
      prepend(reduction, to, from, bytes);
    }
  };
}

}  // namespace ayatori::plugin
