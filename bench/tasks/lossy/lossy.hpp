#pragma once
/// \file
/// Processes that exchange messages over a loopback that loses datagrams at random: what the stacks have in common.
/// Each stack is a program of its own:
///
///     lossy_STACK exchange LOSS [ROUNDS]   four processes; in each round each sends each up to 300 KB
///     lossy_STACK synchronised LOSS [ROUNDS]
///                                          the same with a barrier after each round, as libacp's processes have anyway
///     lossy_STACK stream idle|busy         one sends to another, whose core another program uses, too (busy), or not
///     lossy_STACK pingpong LOSS            64 bytes back and forth between two processes
///
/// LOSS is a percentage of the packets (IP packets as the kernel hands them over: a train of segments is one). Each
/// program prints one JSON line, after all bytes were checked.
///
/// The loopback is that of a network namespace of its own, in which nftables drops packets. It goes with the last
/// process in it, whether that ends well or is killed. Needs root, or a kernel that gives users namespaces; and nft.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "ayatori/base/ids.hpp"
#include "harness/processes.hpp"

namespace ayatori::lossy {

using bench::give_up;

inline constexpr std::uint32_t max_procs = 4;
inline constexpr std::size_t max_bytes = 300'000;

/// Names a message. Its size and its bytes follow from that.
struct Letter {
  Rank from = 0;
  Rank to = 0;
  std::uint32_t number = 0;
};

/// The bytes of a message, a part of one pattern: valid for ever, and the same memory for each letter.
[[nodiscard]] std::span<const std::byte> contents(const Letter& letter);

/// The memory that contents() points into, for stacks that have to register it.
[[nodiscard]] std::span<const std::byte> all_contents();

/// Gives up if the message is not what contents() says.
void check(const Letter& letter, std::span<const std::byte> message);

/// What all processes share.
struct SharedState {
  struct Address {
    std::atomic<std::uint32_t> bytes = 0;  // 0 until it was published
    std::array<std::byte, 4096> memory{};
  };
  std::array<Address, max_procs> addresses;
  bench::Barrier barrier;
  std::atomic<std::uint32_t> finished = 0;
  std::atomic<std::int64_t> start_ns = INT64_MAX;  // of the first process
  std::atomic<std::int64_t> end_ns = 0;            // of the last
  std::atomic<std::uint64_t> bytes = 0;            // that were received
  std::atomic<std::uint64_t> packets = 0, again = 0, duplicates = 0, timeouts = 0;
  std::array<double, 4> quantiles_us{};  // of round trips: the median, 90%, 99%, the longest
};

/// Tells the other processes an address, and waits for one of theirs.
void publish(SharedState& shared, Rank self, std::span<const std::byte> address);
[[nodiscard]] std::span<const std::byte> await_address(SharedState& shared, Rank rank);

/// What a stack knows of its packets; all 0 if it does not say.
struct Counts {
  std::uint64_t packets = 0;     ///< with data, first copies
  std::uint64_t again = 0;       ///< further copies that were sent
  std::uint64_t duplicates = 0;  ///< copies received of what was here already
  std::uint64_t timeouts = 0;
};

/// One process of a stack.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Sends the round's message to each other process, and returns when those of all others have come and were checked.
  virtual void execute(std::uint32_t round) = 0;

  /// Returns when all that was sent has arrived.
  virtual void finish() = 0;

  /// Answers what peers may still wait for; may sleep for a millisecond.
  virtual void serve() = 0;

  [[nodiscard]] virtual Counts counts() const { return {}; }
};

/// What a stack is asked to be.
struct Part {
  Rank self = 0;
  Rank procs = 0;
  bool spins = false;  ///< each process has a core of its own: no need to sleep
};

/// One process of a stack that carries messages.
class MessageExecutor : public Executor {
 public:
  explicit MessageExecutor(const Part& part) : part_(part), next_(part.procs), early_(part.procs) {}

  void execute(std::uint32_t round) override;
  void finish() override;
  void serve() override { progress(); }

  /// Sends so many messages one way; the receiver returns when all have come.
  void send_stream(Rank to, std::uint32_t first, std::uint32_t count);
  void receive_stream(Rank from, std::uint32_t end);

  /// Sends message `number` to the peer and returns when the peer's of that number has come.
  void ping(Rank peer, std::uint32_t number);

  /// Small messages instead of those of up to 300 KB.
  void keep_small() { small_ = true; }

  /// From now on execute() ends with a barrier: each process sends each other one a small message, and waits for
  /// theirs.
  void synchronise() { synchronised_ = true; }

 protected:
  /// False if there is no room now. The memory is the caller's, and stays as it is.
  [[nodiscard]] virtual bool send(Rank to, std::span<const std::byte> message) = 0;
  /// Does what there is to do; may sleep for a millisecond if there is nothing, unless part().spins.
  virtual void progress() = 0;
  /// Whether all that was sent is known to have arrived, or is the kernel's business.
  [[nodiscard]] virtual bool all_sent() const = 0;

  /// The next message of a peer has come; or one of a later number, from a stack that does not keep the order.
  void take(Rank from, std::span<const std::byte> message) { take(from, next_.at(from), message); }
  void take(Rank from, std::uint32_t number, std::span<const std::byte> message);
  [[nodiscard]] const Part& part() const { return part_; }

 private:
  void send_to_all(std::uint32_t number);
  void await_all(std::uint32_t number);
  void send_when_room(const Letter& letter);
  [[nodiscard]] std::span<const std::byte> letter_bytes(const Letter& letter) const;

  Part part_;
  std::vector<std::uint32_t> next_;             // by peer: the lowest number that has not come
  std::vector<std::set<std::uint32_t>> early_;  // by peer: the numbers above that have
  bool small_ = false;
  bool synchronised_ = false;  // then letters with odd numbers are those of barriers
};

struct Stack {
  const char* name = "";
  std::function<std::unique_ptr<Executor>(const Part&, SharedState&)> executor;
};

/// Runs all processes; the exit status of the program.
int run(int argc, char** argv, const Stack& stack);

}  // namespace ayatori::lossy
