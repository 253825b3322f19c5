// check_large BYTES: collectives of about BYTES bytes by counts and datatypes whose product may be beyond 2^31, with
// and without gaps, between two ranks. Every byte is checked. Prints "right" on rank 0; any other end is a failure.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace {

using Words = std::unique_ptr<std::uint64_t[]>;

int rank = 0;
constexpr int words_in_a_block = 1 << 14;
constexpr std::uint64_t untouched = 0x5555'5555'5555'5555;

std::uint64_t word(std::uint64_t owner, std::uint64_t index) { return (owner * 0x9E37'79B9 + index) * 0x85EB'CA77; }

void need(bool right, const char* what, std::uint64_t at) {
  if (right) return;
  std::printf("rank %d: %s is wrong at word %llu\n", rank, what, static_cast<unsigned long long>(at));
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

/// Blocks of words, one after the other or with a gap of one block after each.
struct Blocks {
  int count;
  bool gaps;
  MPI_Datatype type = MPI_DATATYPE_NULL;

  Blocks(int blocks, bool with_gaps) : count(blocks), gaps(with_gaps) {
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(words_in_a_block, MPI_UINT64_T, &block);
    MPI_Type_create_resized(block, 0, (gaps ? 2 : 1) * words_in_a_block * 8L, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&block);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() { MPI_Type_free(&type); }

  std::uint64_t words() const { return std::uint64_t{words_in_a_block} * static_cast<std::uint64_t>(count); }
  std::uint64_t room() const { return words() * (gaps ? 2 : 1); }
  /// Where word `index` of all blocks is; what lies between is a gap.
  std::uint64_t place(std::uint64_t index) const {
    return gaps ? index / words_in_a_block * 2 * words_in_a_block + index % words_in_a_block : index;
  }
  Words memory() const {
    Words made(new std::uint64_t[room()]);
    for (std::uint64_t i = 0; i < room(); ++i) made[i] = untouched;
    return made;
  }
  void fill(std::uint64_t* memory, std::uint64_t owner) const {
    for (std::uint64_t i = 0; i < words(); ++i) memory[place(i)] = word(owner, i);
  }
  void check(const std::uint64_t* memory, std::uint64_t owner, const char* what) const {
    for (std::uint64_t i = 0; i < words(); ++i) need(memory[place(i)] == word(owner, i), what, i);
    for (std::uint64_t i = 0; gaps && i < words(); ++i) need(memory[place(i) + words_in_a_block] == untouched, what, i);
  }
};

void broadcast(std::uint64_t bytes, bool gaps) {
  const Blocks blocks(static_cast<int>(bytes / 8 / words_in_a_block) + 1, gaps);
  const Words memory = blocks.memory();
  if (rank == 1) blocks.fill(memory.get(), 7);
  MPI_Bcast(memory.get(), blocks.count, blocks.type, 1, MPI_COMM_WORLD);
  blocks.check(memory.get(), 7, gaps ? "a broadcast with gaps" : "a broadcast");
}

/// Counts of each rank fit into 31 bits, what all have together does not.
void allgather(std::uint64_t bytes, bool gaps) {
  const Blocks block(static_cast<int>(bytes / 2 / 8 / words_in_a_block) + 1, gaps);
  const Blocks all(2 * block.count, gaps);
  const Words memory = all.memory();
  block.fill(memory.get() + static_cast<std::uint64_t>(rank) * block.room(), static_cast<std::uint64_t>(rank));
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory.get(), block.count, block.type, MPI_COMM_WORLD);
  for (std::uint64_t from = 0; from < 2; ++from) {
    block.check(memory.get() + from * block.room(), from, gaps ? "an allgather with gaps" : "an allgather");
  }
}

void allgatherv(std::uint64_t bytes) {
  const Blocks block(static_cast<int>(bytes / 2 / 8 / words_in_a_block) + 1, false);
  const Blocks all(2 * block.count, false);
  const Words memory = all.memory();
  const int counts[] = {block.count, block.count};
  const int at[] = {block.count, 0};
  block.fill(memory.get() + (rank == 0 ? block.room() : 0), static_cast<std::uint64_t>(rank));
  MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, memory.get(), counts, at, block.type, MPI_COMM_WORLD);
  block.check(memory.get() + block.room(), 0, "an allgatherv");
  block.check(memory.get(), 1, "an allgatherv");
}

void allreduce(std::uint64_t bytes) {
  const auto count = static_cast<int>(bytes / 8) + 3;
  const Words memory(new std::uint64_t[static_cast<std::uint64_t>(count)]);
  for (int i = 0; i < count; ++i)
    memory[static_cast<std::uint64_t>(i)] = word(static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(i));
  MPI_Allreduce(MPI_IN_PLACE, memory.get(), count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(count); ++i) {
    need(memory[i] == word(0, i) + word(1, i), "an allreduce", i);
  }
}

void alltoall(std::uint64_t bytes) {
  const Blocks block(static_cast<int>(bytes / 2 / 8 / words_in_a_block) + 1, false);
  const Blocks all(2 * block.count, false);
  const Words sent = all.memory();
  const Words received = all.memory();
  for (std::uint64_t to = 0; to < 2; ++to) {
    block.fill(sent.get() + to * block.room(), 10 * static_cast<std::uint64_t>(rank) + to);
  }
  MPI_Alltoall(sent.get(), block.count, block.type, received.get(), block.count, block.type, MPI_COMM_WORLD);
  for (std::uint64_t from = 0; from < 2; ++from) {
    block.check(received.get() + from * block.room(), 10 * from + static_cast<std::uint64_t>(rank), "an all-to-all");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::uint64_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1 << 20;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto said = [](const char* what) {
    if (rank == 0 && std::getenv("CHECK_TRACE") != nullptr) std::fprintf(stderr, "%s\n", what);
  };
  said("broadcast");
  broadcast(bytes, false);
  said("broadcast gaps");
  broadcast(bytes, true);
  said("allgather");
  allgather(bytes, false);
  said("allgather gaps");
  allgather(bytes, true);
  said("allgatherv");
  allgatherv(bytes);
  said("allreduce");
  allreduce(bytes);
  said("alltoall");
  alltoall(bytes);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) std::puts("right");
  MPI_Finalize();
  return 0;
}
