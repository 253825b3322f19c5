/// Plays one schedule and prints what it took, under SimGrid's SMPI or a real MPI:
///
///     smpirun -np 64 -platform P.xml -hostfile H ./play COLLECTIVE ALGORITHM BYTES [key=value …]
///     smpirun -np 64 -platform P.xml -hostfile H ./play @FILE     one such call a line, one after the other
///
///     ppn=1           ranks a machine
///     ranks=2,2,1     or: how many ranks there are on each machine
///     groups=0,0,1    which leaf or chassis each machine is in
///     grid=4x4x4      the machines form a grid of this shape,
///     rings=1,1,0     whose dimensions are rings unless told otherwise,
///     points=0,2,1    at these points of it (row-major; without: in this order)
///     root=0
///     chunk=0         bytes in a chunk of a pipeline; 0: the algorithm's own choice. segment= means the same
///     seed=1          of alltoallv: each pair's bytes are drawn from 0 … BYTES, one pair in four is silent
///     check=1         use real data and compare the result with what the collective promises; otherwise only time it
///
/// Prints a line for each call: the seconds (MPI_Wtime) until the last rank is done, with 9 digits. All ranks begin at
/// the same time where they have one clock, and otherwise behind a barrier.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
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

std::vector<std::uint32_t> numbers(std::string_view text, char separator) {
  std::vector<std::uint32_t> found;
  for (const std::string_view part : split(text, separator)) found.push_back(static_cast<std::uint32_t>(number(part)));
  return found;
}

using Keys = std::map<std::string, std::string, std::less<>>;

Keys parse_keys(std::span<const std::string_view> words) {
  Keys keys = {{"grid", ""},   {"rings", ""}, {"points", ""}, {"ppn", "1"},  {"ranks", ""},
               {"groups", ""}, {"root", "0"}, {"chunk", "0"}, {"seed", "1"}, {"check", "0"}};
  for (const std::string_view word : words) {
    const std::string_view name = word.substr(0, word.find('='));
    const auto key = keys.find(name == "segment" ? "chunk" : name);
    if (key == keys.end() || !word.contains('=')) give_up(fmt::format("no key '{}'", word));
    key->second = word.substr(word.find('=') + 1);
  }
  return keys;
}

void put_on_grid(const Keys& keys, Places& places) {
  places.dimensions = numbers(keys.at("grid"), 'x');
  places.periodic.assign(places.dimensions.size(), true);
  if (!keys.at("rings").empty()) {
    const auto rings = numbers(keys.at("rings"), ',');
    places.periodic.assign(rings.begin(), rings.end());
  }
  places.point.resize(places.machine_count());
  std::iota(places.point.begin(), places.point.end(), 0U);
  if (!keys.at("points").empty()) places.point = numbers(keys.at("points"), ',');
  const std::size_t points = std::accumulate(places.dimensions.begin(), places.dimensions.end(), std::size_t{1},
                                             std::multiplies<std::size_t>());
  if (points != places.machine_count() || places.point.size() != points ||
      places.periodic.size() != places.dimensions.size())
    give_up(
        fmt::format("grid {}: {} machines, and rings and points of others", keys.at("grid"), places.machine_count()));
}

Places places_of(const Keys& keys, Rank ranks) {
  Places places = places_of_ranks(ranks, static_cast<std::uint32_t>(number(keys.at("ppn"))));
  if (!keys.at("ranks").empty()) {
    const auto counts = numbers(keys.at("ranks"), ',');
    places.machine.clear();
    for (std::uint32_t machine = 0; machine < counts.size(); ++machine)
      places.machine.insert(places.machine.end(), counts[machine], machine);
    places.group.assign(counts.size(), 0);
    places.gateway.assign(counts.size(), true);
    if (places.machine.size() != ranks)
      give_up(fmt::format("places for {} ranks, not {}", places.machine.size(), ranks));
  }
  if (!keys.at("groups").empty()) {
    places.group = numbers(keys.at("groups"), ',');
    if (places.group.size() != places.gateway.size()) give_up("one group a machine is needed");
  }
  if (!keys.at("grid").empty()) put_on_grid(keys, places);
  return places;
}

Options parse(std::span<const std::string_view> words, Rank ranks) {
  if (words.size() < 3) give_up("usage: play COLLECTIVE ALGORITHM BYTES [key=value …], or play @FILE");
  const auto collective = parse_collective(words[0]);
  if (!collective) give_up(fmt::format("no collective '{}'", words[0]));
  const Keys keys = parse_keys(words.subspan(3));
  Options options;
  options.call = {*collective, ranks, static_cast<Rank>(number(keys.at("root"))), number(words[2])};
  options.algorithm = words[1];
  options.more.chunk_bytes = number(keys.at("chunk"));
  if (*collective == Collective::alltoallv)
    options.more.pair_sizes = drawn_sizes(ranks, options.call.bytes, number(keys.at("seed")));
  options.check = keys.at("check") != "0";
  options.places = places_of(keys, ranks);
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

/// What messages are sent from and received into, when nobody looks at the data. Under SMPI, where all ranks are one
/// process, the memory is shared among them, and their messages are not copied.
class MessageBuffer {
 public:
#ifdef SMPI_SHARED_MALLOC
  explicit MessageBuffer(std::size_t bytes)
      : begin_(static_cast<std::byte*>(SMPI_SHARED_MALLOC(bytes))), size_(bytes) {}
  ~MessageBuffer() { SMPI_SHARED_FREE(begin_); }
#else
  explicit MessageBuffer(std::size_t bytes) : begin_(new std::byte[bytes]), size_(bytes) {}
  ~MessageBuffer() { delete[] begin_; }
#endif
  MessageBuffer(const MessageBuffer&) = delete;
  MessageBuffer& operator=(const MessageBuffer&) = delete;

  [[nodiscard]] std::span<std::byte> bytes() const { return {begin_, size_}; }

 private:
  std::byte* begin_;
  std::size_t size_;
};

/// Ranks leave a barrier one after the other; where they share a clock they wait for the last.
void begin_together() {
  MPI_Barrier(MPI_COMM_WORLD);
  int* is_global = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &is_global, &known);
  if (known == 0 || *is_global == 0) return;
  constexpr double enough_for_all_to_know = 1e-3;
  double begin = MPI_Wtime() + enough_for_all_to_know;
  MPI_Allreduce(MPI_IN_PLACE, &begin, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const double left = begin - MPI_Wtime();
  if (left > 2e-6) usleep(static_cast<unsigned>(left * 1e6) - 1);
  while (MPI_Wtime() < begin) {
  }
}

double time_of(Player& player) {
  begin_together();
  const double start = MPI_Wtime();
  player.play();
  const double mine = MPI_Wtime() - start;
  double slowest = 0;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return slowest;
}

double play(const Options& options, Rank rank) {
  const auto made = make_schedule(options.algorithm, options.call, options.places, options.more);
  if (!made) give_up(made.error().message);
  const Schedule& schedule = **made;
  if (schedule.participant_count() > options.call.ranks) give_up("routers take part: only a simulation can do that");
  if (!options.check) {
    const MessageBuffer buffer(longest_message(schedule, rank));
    Player player = Player::without_data(schedule, MPI_COMM_WORLD, buffer.bytes());
    return time_of(player);
  }
  std::vector<std::byte> memory(Player::memory_needed(schedule, rank));
  Player player(schedule, MPI_COMM_WORLD, memory, add_bytes);
  RealData data(schedule, player, rank);
  data.fill(blocks_of(schedule, rank));
  const double seconds = time_of(player);
  data.check(blocks_of(schedule, rank));
  return seconds;
}

/// The calls of the command line: itself, or the lines of the file that it names.
std::vector<std::string> calls_of(int argc, char** argv) {
  if (argc == 2 && argv[1][0] == '@') {
    std::ifstream file(argv[1] + 1);
    if (!file) give_up(fmt::format("can't read {}", argv[1] + 1));
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  return {fmt::format("{}", fmt::join(argv + 1, argv + argc, " "))};
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const std::string& call : calls_of(argc, argv)) {
    const double seconds = play(parse(split(call, ' '), static_cast<Rank>(ranks)), static_cast<Rank>(rank));
    if (rank == 0) std::puts(fmt::format("{:.9f}", seconds).c_str());
  }
  MPI_Finalize();
  return 0;
}
