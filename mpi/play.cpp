/// Plays one schedule and prints what it took, under SimGrid's SMPI or a real MPI:
///
///     smpirun -np 64 -platform P.xml -hostfile H ./play COLLECTIVE ALGORITHM BYTES [key=value …]
///
///     grid=4x4x4   the ranks' machines form a torus of this shape (ppn of them on each)
///     ppn=1        ranks a machine
///     root=0
///     segment=0    of pipelines, in bytes; 0: the algorithm's own choice
///     seed=1       of alltoallv: each pair's bytes are drawn from 0 … BYTES, one pair in four is silent
///     check=1      use real data and compare the result with what the collective promises; otherwise only time it
///
/// Prints one line: the seconds (MPI_Wtime) from a barrier until the last rank is done, with 9 digits.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>

#include "ayatori/base/random.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/schedule/algorithms.hpp"
#include "player.hpp"

namespace {

using namespace ayatori;

struct Options {
  CollectiveCall call;
  std::string algorithm;
  Places places;
  AlgorithmOptions more;
  bool check = false;
};

[[noreturn]] void give_up(const std::string& what) {
  std::fputs(fmt::format("play: {}\n", what).c_str(), stderr);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::exit(1);
}

Bytes number(std::string_view text) {
  const auto value = parse_unsigned<Bytes>(text);
  if (!value) give_up(fmt::format("'{}' is no number", text));
  return *value;
}

/// The same on all ranks.
PairSizes drawn_sizes(Rank ranks, Bytes most, std::uint64_t seed) {
  Random random(seed);
  std::vector<Bytes> sizes(std::size_t{ranks} * ranks);
  for (Bytes& size : sizes) size = random.below(4) == 0 ? 0 : random.below(most + 1);
  return table_of_sizes(ranks, std::move(sizes));
}

Options parse(int argc, char** argv, Rank ranks) {
  if (argc < 4) give_up("usage: play COLLECTIVE ALGORITHM BYTES [key=value …]");
  std::map<std::string, std::string, std::less<>> keys = {{"grid", ""},     {"ppn", "1"},  {"root", "0"},
                                                          {"segment", "0"}, {"seed", "1"}, {"check", "0"}};
  for (int i = 4; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto key = keys.find(word.substr(0, word.find('=')));
    if (key == keys.end()) give_up(fmt::format("no key '{}'", word));
    key->second = word.substr(word.find('=') + 1);
  }
  const auto collective = parse_collective(argv[1]);
  if (!collective) give_up(fmt::format("no collective '{}'", argv[1]));
  Options options;
  options.call = {*collective, ranks, static_cast<Rank>(number(keys["root"])), number(argv[3])};
  options.algorithm = argv[2];
  options.more.segment = number(keys["segment"]);
  if (*collective == Collective::alltoallv)
    options.more.pair_sizes = drawn_sizes(ranks, options.call.bytes, number(keys["seed"]));
  options.check = keys["check"] != "0";
  const auto ppn = static_cast<std::uint32_t>(number(keys["ppn"]));
  if (keys["grid"].empty()) {
    options.places = places_of_ranks(ranks, ppn);
  } else {
    std::vector<std::uint32_t> lengths;
    for (const std::string_view part : split(keys["grid"], 'x'))
      lengths.push_back(static_cast<std::uint32_t>(number(part)));
    const auto periodic = std::make_unique<bool[]>(lengths.size());
    std::fill_n(periodic.get(), lengths.size(), true);
    options.places = places_on_grid(lengths, {periodic.get(), lengths.size()}, ppn);
  }
  return options;
}

/// What rank r contributes in byte i of a slot.
std::byte contribution(Rank rank, Slot slot, std::size_t i) {
  return static_cast<std::byte>((rank * 131U + slot * 31U + i * 7U + 1U) & 0xFF);
}

void add_bytes(std::byte* to, const std::byte* from, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = static_cast<std::byte>(static_cast<unsigned>(to[i]) + static_cast<unsigned>(from[i]));
  }
}

/// The slots of a call with real data in them: what to put in, and what must come out (collective.hpp).
class RealData {
 public:
  RealData(const Schedule& schedule, Player& player, Rank rank)
      : schedule_(schedule), call_(schedule.call()), player_(player), rank_(rank) {}

  /// `blocks`: slots of one vector, for collectives that split one.
  void fill(Slot blocks) {
    const bool root = rank_ == call_.root;
    switch (call_.collective) {
      case Collective::alltoall:
      case Collective::alltoallv:
      case Collective::reduce_scatter:
        return fill_slots(0, call_.ranks);
      case Collective::broadcast:
        return fill_slots(0, root ? blocks : 0);
      case Collective::reduce:
      case Collective::allreduce:
        return fill_slots(0, blocks);
      case Collective::allgather:
      case Collective::gather:
        return fill_slots(rank_, 1);
      case Collective::scatter:
        return fill_slots(0, root ? call_.ranks : 0);
      case Collective::barrier:
      case Collective::halo:
        return;
    }
  }

  void check(Slot blocks) {
    const bool root = rank_ == call_.root;
    const auto everybody = [this](Slot slot, std::size_t i) {
      std::byte sum{};
      for (Rank rank = 0; rank < call_.ranks; ++rank) {
        const std::byte part = contribution(rank, slot, i);
        add_bytes(&sum, &part, 1);
      }
      return sum;
    };
    switch (call_.collective) {
      case Collective::alltoall:
      case Collective::alltoallv:
        for (Rank j = 0; j < call_.ranks; ++j) {
          expect(call_.ranks + j, [&](std::size_t i) { return contribution(j, rank_, i); });
        }
        return;
      case Collective::broadcast:
        for (Slot b = 0; b < blocks; ++b) expect(b, [&](std::size_t i) { return contribution(call_.root, b, i); });
        return;
      case Collective::reduce:
      case Collective::allreduce:
        for (Slot b = 0; b < blocks && (root || call_.collective == Collective::allreduce); ++b) {
          expect(b, [&](std::size_t i) { return everybody(b, i); });
        }
        return;
      case Collective::reduce_scatter:
        return expect(rank_, [&](std::size_t i) { return everybody(rank_, i); });
      case Collective::allgather:
      case Collective::gather:
        for (Rank j = 0; j < call_.ranks && (root || call_.collective == Collective::allgather); ++j) {
          expect(j, [&](std::size_t i) { return contribution(j, j, i); });
        }
        return;
      case Collective::scatter:
        return expect(rank_, [&](std::size_t i) { return contribution(call_.root, rank_, i); });
      case Collective::barrier:
      case Collective::halo:
        return;
    }
  }

 private:
  void fill_slots(Slot first, Slot count) {
    for (Slot slot = first; slot < first + count; ++slot) {
      for (std::size_t i = 0; i < schedule_.slot_bytes(rank_, slot); ++i)
        player_.slot(slot)[i] = contribution(rank_, slot, i);
    }
  }

  template <typename Expected>
  void expect(Slot slot, Expected expected) {
    for (std::size_t i = 0; i < schedule_.slot_bytes(rank_, slot); ++i) {
      if (player_.slot(slot)[i] == expected(i)) continue;
      give_up(fmt::format("rank {}: byte {} of slot {} is wrong", rank_, i, slot));
    }
  }

  const Schedule& schedule_;
  const CollectiveCall& call_;
  Player& player_;
  Rank rank_;
};

/// Slots that hold one vector of `bytes`: the first so many that add up to it.
Slot blocks_of(const Schedule& schedule, Rank rank) {
  Bytes sum = 0;
  Slot count = 0;
  while (count < schedule.slot_count() && sum < schedule.call().bytes) sum += schedule.slot_bytes(rank, count++);
  return count;
}

Bytes longest_message(const Schedule& schedule, Rank rank) {
  Bytes longest = 1;
  StepActions actions;
  for (std::uint32_t stream = 0; stream < schedule.stream_count(); ++stream) {
    for (std::size_t step = 0; step < schedule.step_count(stream); ++step) {
      schedule.actions(rank, stream, step, actions);
      for (const Transfer& send : actions.sends) longest = std::max(longest, bytes_of(schedule, rank, actions, send));
      for (const Transfer& receive : actions.receives)
        longest = std::max(longest, bytes_of(schedule, rank, actions, receive));
    }
  }
  return longest;
}

double time_of(Player& player) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  player.play();
  const double mine = MPI_Wtime() - start;
  double slowest = 0;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Options options = parse(argc, argv, static_cast<Rank>(ranks));
  const auto made = make_schedule(options.algorithm, options.call, options.places, options.more);
  if (!made) give_up(made.error().message);
  const Schedule& schedule = **made;
  if (schedule.participant_count() > options.call.ranks) give_up("routers take part: only a simulation can do that");

  double seconds = 0;
  if (options.check) {
    std::vector<std::byte> memory(Player::memory_needed(schedule, static_cast<Rank>(rank)));
    Player player(schedule, MPI_COMM_WORLD, memory, add_bytes);
    RealData data(schedule, player, static_cast<Rank>(rank));
    data.fill(blocks_of(schedule, static_cast<Rank>(rank)));
    seconds = time_of(player);
    data.check(blocks_of(schedule, static_cast<Rank>(rank)));
  } else {
    std::vector<std::byte> buffer(longest_message(schedule, static_cast<Rank>(rank)));
    Player player = Player::without_data(schedule, MPI_COMM_WORLD, buffer);
    seconds = time_of(player);
  }
  if (rank == 0) std::puts(fmt::format("{:.9f}", seconds).c_str());
  MPI_Finalize();
  return 0;
}
