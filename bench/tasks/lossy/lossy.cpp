#include "lossy.hpp"

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "ayatori/base/random.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/fixtures/lossy_loopback_fixtures.hpp"
#include "harness/statistics.hpp"

namespace ayatori::lossy {

namespace {

constexpr unsigned max_seconds = 300;
constexpr std::uint32_t default_rounds = 60;
constexpr std::uint32_t warm_up_rounds = 10;  // until windows have opened and memory has been touched
constexpr std::size_t small_bytes = 64;
constexpr std::uint32_t stream_messages = 2'000;
constexpr std::uint32_t stream_warm_up = 20;
constexpr std::uint32_t pings = 20'000;
constexpr std::size_t patterns = 4'096;

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

void start_clock(SharedState& shared) {
  const std::int64_t now = now_ns();
  for (std::int64_t first = shared.start_ns; now < first && !shared.start_ns.compare_exchange_weak(first, now);) {
  }
}

void stop_clock(SharedState& shared) {
  const std::int64_t now = now_ns();
  for (std::int64_t last = shared.end_ns; now > last && !shared.end_ns.compare_exchange_weak(last, now);) {
  }
}

std::uint64_t hash(const Letter& letter) {
  Random random(std::uint64_t{letter.from} << 40 | std::uint64_t{letter.to} << 32 | letter.number);
  return random();
}

const std::vector<std::byte>& pattern() {
  static const std::vector<std::byte> made = [] {
    std::vector<std::byte> bytes(patterns + max_bytes);
    Random random(1);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
    return bytes;
  }();
  return made;
}

/// Waits for the other processes without leaving the peers' last packets unanswered.
void meet(SharedState& shared, Executor& executor, std::uint32_t procs) {
  executor.finish();
  const std::uint32_t arrival = shared.finished++;
  while (shared.finished < (arrival / procs + 1) * procs) executor.serve();
}

void count(SharedState& shared, const Counts& before, const Counts& after) {
  shared.packets += after.packets - before.packets;
  shared.again += after.again - before.again;
  shared.duplicates += after.duplicates - before.duplicates;
  shared.timeouts += after.timeouts - before.timeouts;
}

std::string text_of(const SharedState& shared) {
  return fmt::format(R"("packets": {}, "again": {}, "duplicates": {}, "timeouts": {})", shared.packets.load(),
                     shared.again.load(), shared.duplicates.load(), shared.timeouts.load());
}

void compare(const Letter& letter, std::span<const std::byte> expected, std::span<const std::byte> message) {
  if (expected.size() == message.size() && std::memcmp(expected.data(), message.data(), message.size()) == 0) return;
  give_up(fmt::format("message {} from {} to {} is not what was sent", letter.number, letter.from, letter.to));
}

double seconds(const SharedState& shared) { return static_cast<double>(shared.end_ns - shared.start_ns) / 1e9; }

// ---- The tasks

struct Task {
  std::string name;
  double loss = 0;  // of a hundred
  std::uint32_t rounds = default_rounds;
  bool busy = false;

  [[nodiscard]] bool exchanges() const { return name == "exchange" || name == "synchronised"; }
};

void exchange(const Part& part, SharedState& shared, const Stack& stack, const Task& task) {
  const auto executor = stack.executor(part, shared);
  auto* const messages = dynamic_cast<MessageExecutor*>(executor.get());
  const bool synchronised = messages && task.name == "synchronised";
  if (synchronised) messages->synchronise();
  const std::uint32_t rounds = task.rounds;
  for (std::uint32_t round = 0; round < warm_up_rounds; ++round) executor->execute(round);
  meet(shared, *executor, part.procs);
  const Counts before = executor->counts();
  start_clock(shared);
  for (std::uint32_t round = 0; round < rounds; ++round) executor->execute(warm_up_rounds + round);
  stop_clock(shared);
  meet(shared, *executor, part.procs);
  count(shared, before, executor->counts());
  for (Rank from = 0; from < part.procs; ++from) {
    if (from == part.self) continue;
    for (std::uint32_t round = 0; round < rounds; ++round) {
      const std::uint32_t executed = warm_up_rounds + round;
      shared.bytes += contents({from, part.self, synchronised ? 2 * executed : executed}).size();
    }
  }
}

MessageExecutor& carries_messages(Executor& executor, const Stack& stack) {
  auto* messages = dynamic_cast<MessageExecutor*>(&executor);
  if (!messages) give_up(fmt::format("{} only exchanges", stack.name));
  return *messages;
}

void stream(const Part& part, SharedState& shared, const Stack& stack) {
  const auto executor = stack.executor(part, shared);
  MessageExecutor& messages = carries_messages(*executor, stack);
  const auto pass = [&](std::uint32_t first, std::uint32_t end) {
    if (part.self == 0) {
      messages.send_stream(1, first, end - first);
    } else {
      messages.receive_stream(0, end);
    }
  };
  pass(0, stream_warm_up);
  meet(shared, *executor, part.procs);
  const Counts before = executor->counts();
  start_clock(shared);
  pass(stream_warm_up, stream_warm_up + stream_messages);
  stop_clock(shared);
  meet(shared, *executor, part.procs);
  count(shared, before, executor->counts());
  if (part.self != 1) return;
  for (std::uint32_t i = 0; i < stream_messages; ++i) shared.bytes += contents({0, 1, stream_warm_up + i}).size();
}

void pingpong(const Part& part, SharedState& shared, const Stack& stack) {
  const auto executor = stack.executor(part, shared);
  MessageExecutor& messages = carries_messages(*executor, stack);
  messages.keep_small();
  std::vector<double> round_trips;
  const Rank peer = 1 - part.self;
  const Counts before = executor->counts();
  for (std::uint32_t i = 0; i < pings; ++i) {
    const std::int64_t start = now_ns();
    messages.ping(peer, i);
    round_trips.push_back(static_cast<double>(now_ns() - start) / 1e3);
  }
  meet(shared, *executor, part.procs);
  count(shared, before, executor->counts());
  if (part.self != 0) return;
  shared.quantiles_us = {bench::quantile(round_trips, 0.5), bench::quantile(round_trips, 0.9),
                         bench::quantile(round_trips, 0.99), bench::quantile(round_trips, 1)};
}

// ---- The programs

Task task_of(int argc, char** argv) {
  Task task;
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto usage = [&] {
    give_up(fmt::format("{} exchange|synchronised LOSS [ROUNDS] | stream idle|busy | pingpong LOSS", argv[0]));
  };
  if (words.size() < 2) usage();
  task.name = words[0];
  if (task.name == "stream") {
    if (words.size() != 2 || (words[1] != "busy" && words[1] != "idle")) usage();
    task.busy = words[1] == "busy";
    return task;
  }
  const bool known = task.exchanges() || task.name == "pingpong";
  if (!known || words.size() > 3) usage();
  char* end = nullptr;
  task.loss = std::strtod(words[1].c_str(), &end);
  if (*end != 0 || task.loss < 0 || task.loss > 90) usage();
  if (words.size() == 3) task.rounds = parse_unsigned<std::uint32_t>(words[2]).value_or(0);
  if (task.rounds == 0) usage();
  return task;
}

/// What another program does that has the core, too.
[[noreturn]] void spin_for_ever() {
  for (std::atomic<std::uint64_t> spins = 0;;) ++spins;
}

void execute_part(const Task& task, const Part& part, SharedState& shared, const Stack& stack) {
  if (task.exchanges()) return exchange(part, shared, stack, task);
  bench::run_on(static_cast<int>(part.self));
  if (task.name == "stream") return stream(part, shared, stack);
  pingpong(part, shared, stack);
}

void print(const Task& task, const SharedState& shared, const Stack& stack) {
  fmt::print(R"({{"stack": "{}", "task": "{}", "loss_percent": {}, )", stack.name, task.name, task.loss);
  if (task.name == "pingpong") {
    const auto& us = shared.quantiles_us;
    fmt::print(R"("round_trip_us": {{"median": {:.2f}, "p90": {:.2f}, "p99": {:.2f}, "max": {:.2f}}}, )", us[0], us[1],
               us[2], us[3]);
  } else {
    fmt::print(R"("busy": {}, "seconds": {:.4f}, "bytes": {}, "MB_per_s": {:.2f}, )", task.busy, seconds(shared),
               shared.bytes.load(), static_cast<double>(shared.bytes) / seconds(shared) / 1e6);
  }
  fmt::print("{}}}\n", text_of(shared));
}

}  // namespace

// ---- Messages

std::span<const std::byte> all_contents() { return pattern(); }

std::span<const std::byte> contents(const Letter& letter) {
  const std::uint64_t chosen = hash(letter);
  return std::span(pattern()).subspan(chosen % patterns, 1 + (chosen >> 16) % max_bytes);
}

void check(const Letter& letter, std::span<const std::byte> message) { compare(letter, contents(letter), message); }

void publish(SharedState& shared, Rank self, std::span<const std::byte> address) {
  auto& place = shared.addresses.at(self);
  if (address.empty() || address.size() > place.memory.size()) give_up("an address does not fit");
  std::ranges::copy(address, place.memory.begin());
  place.bytes = static_cast<std::uint32_t>(address.size());
}

std::span<const std::byte> await_address(SharedState& shared, Rank rank) {
  const auto& place = shared.addresses.at(rank);
  while (place.bytes == 0) usleep(100);
  return std::span(place.memory).first(place.bytes);
}

std::span<const std::byte> MessageExecutor::letter_bytes(const Letter& letter) const {
  const auto bytes = contents(letter);
  const bool of_barrier = synchronised_ && letter.number % 2 == 1;
  return small_ || of_barrier ? std::span(bytes.data(), small_bytes) : bytes;
}

void MessageExecutor::take(Rank from, std::uint32_t number, std::span<const std::byte> message) {
  const Letter letter{from, part_.self, number};
  compare(letter, letter_bytes(letter), message);
  std::set<std::uint32_t>& early = early_.at(from);
  if (number < next_[from] || !early.insert(number).second) give_up("a message has come twice");
  while (early.erase(next_[from]) > 0) ++next_[from];
}

void MessageExecutor::send_when_room(const Letter& letter) {
  while (!send(letter.to, letter_bytes(letter))) progress();
}

void MessageExecutor::send_to_all(std::uint32_t number) {
  for (Rank step = 1; step < part_.procs; ++step) {
    send_when_room({part_.self, (part_.self + step) % part_.procs, number});
  }
}

void MessageExecutor::await_all(std::uint32_t number) {
  for (Rank from = 0; from < part_.procs; ++from) {
    while (from != part_.self && next_[from] <= number) progress();
  }
}

void MessageExecutor::execute(std::uint32_t round) {
  const std::uint32_t number = synchronised_ ? 2 * round : round;
  send_to_all(number);
  await_all(number);
  if (!synchronised_) return;
  send_to_all(number + 1);
  await_all(number + 1);
}

void MessageExecutor::finish() {
  while (!all_sent()) progress();
}

void MessageExecutor::send_stream(Rank to, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    send_when_room({part_.self, to, first + i});
    progress();
  }
  finish();
}

void MessageExecutor::receive_stream(Rank from, std::uint32_t end) {
  while (next_[from] < end) progress();
}

void MessageExecutor::ping(Rank peer, std::uint32_t number) {
  if (part_.self == 0) send_when_room({0, peer, number});
  while (next_[peer] <= number) progress();
  if (part_.self != 0) send_when_room({part_.self, peer, number});
}

int run(int argc, char** argv, const Stack& stack) {
  const Task task = task_of(argc, argv);
  if (const auto missing = wires::enter_lossy_namespace(task.loss)) give_up(*missing);
  SharedState& shared = bench::shared<SharedState>();
  (void)pattern();
  alarm(max_seconds);
  const Rank procs = task.exchanges() ? max_procs : 2;
  std::vector<pid_t> executors;
  for (Rank self = 0; self < procs; ++self) {
    executors.push_back(
        bench::start([&] { execute_part(task, {self, procs, task.name == "pingpong"}, shared, stack); }));
  }
  pid_t busy = 0;
  if (task.busy) {
    busy = bench::start([] {
      bench::run_on(1);
      spin_for_ever();
    });
  }
  const bool good = bench::all_succeed(executors);
  if (busy != 0) kill(busy, SIGKILL);
  if (!good) return 2;
  print(task, shared, stack);
  return 0;
}

}  // namespace ayatori::lossy
