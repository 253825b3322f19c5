#pragma once
/// \file
/// Data of calls (executed_call.hpp) of which several functions make use.

#include <array>
#include <optional>

#include "executed_call.hpp"
#include "process.hpp"

namespace ayatori::plugin {

/// Arguments of a call that the MPI refuses: it is left to the MPI.
[[nodiscard]] inline bool is_wrong(MPI_Count count, MPI_Datatype type) {
  return count < 0 || type == MPI_DATATYPE_NULL;
}

/// The same: what is sent lies where what is received goes, or begins `elements` behind it as if these had no gaps.
/// Which calls are looked at, MPICH decides: any other one would wait for the MPI's own call on other ranks.
[[nodiscard]] inline bool is_wrong_alias(MpiCall call, const void* one, const void* other, MPI_Count elements = 0,
                                         MPI_Datatype type = MPI_DATATYPE_NULL) {
  const Bytes before = elements == 0 ? 0 : static_cast<Bytes>(elements) * layout_of(type).size;
  return one == static_cast<const std::byte*>(other) + before && mpi_refuses_aliases(call);
}

/// One buffer of the program is the one region.
class OneBuffer {
 public:
  OneBuffer(const Part& part, const Elements& elements, Bytewise::Access access)
      : data_(part.kept(elements), access), regions_{data_.begin()} {}

  [[nodiscard]] std::span<std::byte* const> regions() const { return regions_; }
  [[nodiscard]] static std::span<const Bytes> sizes() { return {}; }
  [[nodiscard]] static Combine combine() { return nullptr; }
  void finish() const { data_.finish(); }

 private:
  Bytewise data_;
  std::array<std::byte*, 1> regions_;
};

/// One buffer with a block for each rank. `own`, if there is one, is what this rank puts into its block.
class BlockOfEach : public OneBuffer {
 public:
  BlockOfEach(const Part& part, const Elements& all, Bytewise::Access access, const std::optional<Elements>& own,
              Bytes block)
      : OneBuffer(part, all, access) {
    if (own) pack(*own, regions().front() + part.on.rank() * block);
  }
};

/// The same with blocks of any size, each a region.
class SizedBlockOfEach {
 public:
  SizedBlockOfEach(const Part& part, const void* address, const ByRank& counts, const ByRank& displacements,
                   const Layout& layout, Bytewise::Access access, const std::optional<Elements>& own)
      : data_(address, counts, displacements, part.kept(layout), access) {
    if (own) pack(*own, data_.begins()[part.on.rank()]);
  }

  [[nodiscard]] std::span<std::byte* const> regions() const { return data_.begins(); }
  [[nodiscard]] std::span<const Bytes> sizes() const { return data_.sizes(); }
  [[nodiscard]] static Combine combine() { return nullptr; }
  void finish() const { data_.finish(); }

 private:
  BytewiseBlocks data_;
};

}  // namespace ayatori::plugin
