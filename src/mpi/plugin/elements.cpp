#include "elements.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>

#include "process.hpp"

namespace ayatori::plugin {

namespace {

struct Contents {
  int combiner = MPI_COMBINER_NAMED;
  int count = 0;
  MPI_Datatype inner = MPI_DATATYPE_NULL;  ///< of a contiguous type or a duplicate; to be freed unless it is named
};

Contents contents_of(MPI_Datatype type) {
  Contents found;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  PMPI_Type_get_envelope(type, &integers, &addresses, &types, &found.combiner);
  if (found.combiner != MPI_COMBINER_CONTIGUOUS && found.combiner != MPI_COMBINER_DUP) return found;
  PMPI_Type_get_contents(type, integers, addresses, types, &found.count, nullptr, &found.inner);
  return found;
}

bool is_named(MPI_Datatype type) { return contents_of(type).combiner == MPI_COMBINER_NAMED; }

/// A named type without a gap, however often it was duplicated or repeated contiguously.
bool is_packed(MPI_Datatype type) {
  const Contents contents = contents_of(type);
  if (contents.combiner == MPI_COMBINER_NAMED) {
    MPI_Count size = 0;
    MPI_Count low = 0;
    MPI_Count extent = 0;
    PMPI_Type_size_x(type, &size);
    PMPI_Type_get_extent_x(type, &low, &extent);
    // Pairs such as MPI_SHORT_INT may have a gap in the middle, and end without one.
    return low == 0 && size == extent;
  }
  if (contents.inner == MPI_DATATYPE_NULL) return false;
  MPI_Datatype inner = contents.inner;
  const bool packed = is_packed(inner);
  if (!is_named(inner)) PMPI_Type_free(&inner);
  return packed;
}

Layout look_at(MPI_Datatype type) {
  Layout layout;
  layout.type = type;
  MPI_Count size = 0;
  MPI_Aint low = 0;
  PMPI_Type_size_x(type, &size);
  PMPI_Type_get_extent(type, &low, &layout.extent);
  layout.size = static_cast<Bytes>(size);
  layout.is_named = is_named(type);
  layout.packed = is_packed(type);
  return layout;
}

/// As many elements at a time as MPI can count the bytes of.
template <typename Part>
void in_parts(const Elements& elements, Part do_part) {
  if (elements.layout.size == 0) return;
  const Bytes at_once = std::max<Bytes>(1, process().settings.max_count / elements.layout.size);
  for (Bytes first = 0; first < elements.count; first += at_once) {
    Elements part = elements;
    part.displacement += static_cast<MPI_Aint>(first);
    part.count = std::min(at_once, elements.count - first);
    do_part(part, first * elements.layout.size);
  }
}

/// An element too large for MPI_Pack goes through a message to ourselves, as a type of bytes: no execution sends a
/// message to itself. Each has its own tag, since several threads may do this.
void send_to_self(const Elements& from, std::byte* to, bool packs) {
  static std::atomic<unsigned> count{0};
  const int self = process().rank;
  const int tag = static_cast<int>(count++ % 32'768);
  const MPI_Comm comm = process().messages;
  MPI_Datatype blocks = MPI_DATATYPE_NULL;
  MPI_Datatype bytes = MPI_DATATYPE_NULL;
  const Bytes block = process().settings.max_count;
  const Bytes whole = from.layout.size / block;
  PMPI_Type_vector(static_cast<int>(whole), static_cast<int>(block), static_cast<int>(block), MPI_BYTE, &blocks);
  const int lengths[] = {1, static_cast<int>(from.layout.size % block)};
  const MPI_Aint offsets[] = {0, static_cast<MPI_Aint>(whole * block)};
  const MPI_Datatype types[] = {blocks, MPI_BYTE};
  PMPI_Type_create_struct(2, lengths, offsets, types, &bytes);
  PMPI_Type_commit(&bytes);
  if (packs) {
    PMPI_Sendrecv(from.begin(), 1, from.layout.type, self, tag, to, 1, bytes, self, tag, comm, MPI_STATUS_IGNORE);
  } else {
    PMPI_Sendrecv(to, 1, bytes, self, tag, from.begin(), 1, from.layout.type, self, tag, comm, MPI_STATUS_IGNORE);
  }
  PMPI_Type_free(&blocks);
  PMPI_Type_free(&bytes);
}

}  // namespace

Layout layout_of(MPI_Datatype type) {
  thread_local std::array<Layout, 16> remembered;
  static_assert(sizeof type <= sizeof(std::uint64_t));
  std::uint64_t key = 0;
  std::memcpy(&key, &type, sizeof type);
  Layout& place = remembered[(key ^ (key >> 8) ^ (key >> 12)) % remembered.size()];
  if (place.type == type) return place;
  const Layout layout = look_at(type);
  if (layout.is_named) place = layout;
  return layout;
}

void pack(const Elements& elements, std::byte* to) {
  if (elements.bytes() == 0) return;
  if (elements.layout.packed) {
    std::memcpy(to, elements.begin(), elements.bytes());
    return;
  }
  in_parts(elements, [&](const Elements& part, Bytes offset) {
    if (part.bytes() > process().settings.max_count) return send_to_self(part, to + offset, true);
    int position = 0;
    PMPI_Pack(part.begin(), static_cast<int>(part.count), part.layout.type, to + offset, static_cast<int>(part.bytes()),
              &position, process().messages);
  });
}

void unpack(const std::byte* from, const Elements& elements) {
  if (elements.bytes() == 0) return;
  if (elements.layout.packed) {
    std::memcpy(elements.begin(), from, elements.bytes());
    return;
  }
  in_parts(elements, [&](const Elements& part, Bytes offset) {
    auto* const bytes = const_cast<std::byte*>(from) + offset;
    if (part.bytes() > process().settings.max_count) return send_to_self(part, bytes, false);
    int position = 0;
    PMPI_Unpack(bytes, static_cast<int>(part.bytes()), &position, part.begin(), static_cast<int>(part.count),
                part.layout.type, process().messages);
  });
}

void copy(const Elements& from, const Elements& to) {
  if (from.layout.packed) return unpack(from.begin(), to);
  if (to.layout.packed) return pack(from, to.begin());
  const Memory between(from.bytes());
  pack(from, between.begin());
  unpack(between.begin(), to);
}

Bytewise::Bytewise(const Elements& elements, Access access, bool must_copy)
    : elements_(elements), begin_(elements.begin()) {
  if (elements.layout.packed && !must_copy) return;
  between_ = Memory(elements.bytes());
  begin_ = between_.begin();
  if (access != Access::write) pack(elements, begin_);
  write_back_ = access != Access::read;
}

void Bytewise::finish() const {
  if (write_back_) unpack(begin_, elements_);
}

BytewiseBlocks::BytewiseBlocks(const void* address, const ByRank& counts, const ByRank& displacements,
                               const Layout& layout, Bytewise::Access access, bool must_copy)
    : address_(address), counts_(counts), displacements_(displacements), layout_(layout) {
  Bytes total = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    begins_.push_back(block(rank).begin());
    sizes_.push_back(block(rank).bytes());
    total += sizes_.back();
  }
  if (layout.packed && !must_copy) return;
  between_ = Memory(total);
  std::byte* here = between_.begin();
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    begins_[rank] = here;
    here += sizes_[rank];
    if (access != Bytewise::Access::write) pack(block(rank), begins_[rank]);
  }
  write_back_ = access != Bytewise::Access::read;
}

Elements BytewiseBlocks::block(std::size_t rank) const {
  return {address_, static_cast<Bytes>(counts_[rank]), layout_, displacements_[rank]};
}

void BytewiseBlocks::finish() const {
  if (!write_back_) return;
  for (std::size_t rank = 0; rank < counts_.size(); ++rank) unpack(begins_[rank], block(rank));
}

}  // namespace ayatori::plugin
