#pragma once
/// \file
/// Reductions by the MPI's own operations, on data that the plug-in moves.

#include <mpi.h>

#include "ayatori/executor/executor.hpp"
#include "elements.hpp"

namespace ayatori::plugin {

struct Reduction {
  MPI_Op op = MPI_OP_NULL;
  Layout layout;
  /// Bytes from one element to the next as messages carry them: the extent, since operations work on elements as they
  /// lie in memory.
  Bytes element_bytes = 0;
  bool commutes = true;
};

/// Whether a reduction can be executed, which is the same on all ranks: the operation is defined for the type, and
/// elements lie within their extent. Other calls are left to the MPI, which also says what is wrong in them.
[[nodiscard]] bool can_execute(MPI_Op op, const Layout& layout);

[[nodiscard]] Reduction reduction_of(MPI_Op op, const Layout& layout);

/// MPI_SUM, …: never freed.
[[nodiscard]] bool is_builtin(MPI_Op op);

/// Whether the result is the same number in whatever order elements are combined: of whole numbers, and of the largest
/// of real ones. Of zeros of both signs, and of what is not a number, the order may decide which one is the result.
[[nodiscard]] bool is_exact(const Reduction& reduction);

/// For the Executor. The reduction must outlive it.
[[nodiscard]] Combine combine_by(const Reduction& reduction);

}  // namespace ayatori::plugin
