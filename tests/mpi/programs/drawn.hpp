#pragma once
// What the programs that check the MPI plug-in draw: numbers from a seed, the same on all ranks; datatypes with and
// without gaps; buffers with margins that nobody may write.

#include <mpi.h>

#include <cstdint>
#include <cstring>
#include <vector>

class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {  // splitmix64
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  int below(int limit) { return static_cast<int>(next() % static_cast<std::uint64_t>(limit)); }
  bool once_in(int times) { return below(times) == 0; }

 private:
  std::uint64_t state_;
};

/// A datatype that consists of MPI_INTs.
struct IntType {
  MPI_Datatype type;
  int ints;  // in one element
  const char* name;
};

inline std::vector<IntType> make_int_types() {
  std::vector<IntType> types = {{MPI_INT, 1, "int"}};
  const auto add = [&](MPI_Datatype type, int ints, const char* name) {
    MPI_Type_commit(&type);
    types.push_back({type, ints, name});
  };
  MPI_Datatype type;
  MPI_Type_contiguous(2, MPI_INT, &type);
  add(type, 2, "contiguous");
  MPI_Type_dup(MPI_INT, &type);
  add(type, 1, "duplicate");
  MPI_Type_vector(2, 1, 3, MPI_INT, &type);
  add(type, 2, "vector with a gap");
  const int backwards[] = {1, 0};
  MPI_Type_create_indexed_block(2, 1, backwards, MPI_INT, &type);
  add(type, 2, "indexed backwards");
  MPI_Type_create_resized(MPI_INT, 0, 12, &type);
  add(type, 1, "resized");
  MPI_Datatype pair;
  MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
  MPI_Type_create_resized(pair, -4, 20, &type);
  MPI_Type_free(&pair);
  add(type, 2, "resized below 0");
  return types;
}

inline void free_int_types(std::vector<IntType>& types) {
  for (IntType& one : types) {
    if (one.type != MPI_INT) MPI_Type_free(&one.type);
  }
}

/// Memory for `count` elements and margins on both sides.
class Buffer {
 public:
  Buffer(MPI_Datatype type, long count) : type_(type), count_(count) {
    MPI_Aint low = 0;
    MPI_Aint extent = 0;
    MPI_Type_get_extent(type, &low, &extent);
    bytes_.resize(static_cast<std::size_t>(2 * margin + (count + 1) * extent));
  }
  void fill(Drawn& drawn) {
    for (unsigned char& byte : bytes_) byte = static_cast<unsigned char>(drawn.next());
  }
  void* data() { return bytes_.data() + margin; }
  std::vector<unsigned char>& bytes() { return bytes_; }
  MPI_Datatype type() const { return type_; }
  long count() const { return count_; }
  bool operator==(const Buffer& other) const { return bytes_ == other.bytes_; }

 private:
  static constexpr long margin = 64;
  MPI_Datatype type_;
  long count_;
  std::vector<unsigned char> bytes_;
};
