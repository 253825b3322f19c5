#pragma once
/// \file
/// Many processes send numbered messages to one, which checks every byte and counts every message once: what the stacks
/// have in common. Each stack is a program of its own, which makes one process for the receiver and one for each sender
/// before it touches any library:
///
///     incast_NAME SENDERS BYTES MESSAGES      prints one JSON line
///
/// Each sender sends one message before the clock starts, so that connections are there; then all start at once. The
/// clock ends with the last message that the receiver has checked.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/processes.hpp"

namespace ayatori::incast {

/// Messages that a sender has under way at most, in every stack.
inline constexpr std::uint32_t max_in_hand = 64;

struct Settings {
  std::uint32_t senders = 31;
  std::uint32_t bytes = 1024;  ///< of a message, at least 8
  std::uint32_t messages = 5000;
};

/// A stack that does not tell, or that has none to tell of.
inline constexpr std::int64_t not_told = -1;

/// What all processes see.
struct Board {
  std::atomic<std::uint32_t> address_bytes = 0;  ///< 0: the receiver is not there yet
  std::array<std::byte, 4096> address{};
  std::atomic<std::uint32_t> ready = 0;  ///< senders whose first message has arrived
  std::atomic<bool> go = false;
  std::atomic<std::uint32_t> finished = 0;  ///< senders all of whose messages have been taken from them

  std::atomic<std::uint64_t> delivered = 0;
  std::atomic<std::int64_t> duplicates = not_told;  ///< copies that the receiver's stack, or the receiver, dropped
  std::atomic<std::int64_t> retransmissions = 0;    ///< of all senders; less than 0: some did not tell
  double seconds = 0;
  std::uint64_t receiver_resident = 0;  ///< most bytes in memory at any time
};

using bench::give_up;

/// The address that the receiver's stack wants senders to know.
void publish(Board& board, std::span<const std::byte> address);
std::span<const std::byte> await_address(Board& board);

struct Message {
  std::uint32_t buffer = 0;  ///< which of max_in_hand holds the bytes
  std::span<const std::byte> bytes;
};

/// The messages of one sender. Number 0 is the one before the start, 1 … Settings::messages are counted.
class Outbox {
 public:
  Outbox(const Settings& settings, std::uint32_t sender);

  /// The message to be sent next; nothing if none may be sent now, or all buffers are in use.
  [[nodiscard]] std::optional<Message> front();
  void sent();                      ///< the front() is on its way; its bytes stay until …
  void done(std::uint32_t buffer);  ///< … done() is called with its buffer

  void allow(std::uint32_t messages) { allowed_ = messages; }
  [[nodiscard]] bool all_done() const { return next_ == allowed_ && free_.size() == max_in_hand; }

 private:
  const Settings& settings_;
  std::uint32_t sender_;
  std::uint32_t next_ = 0;
  std::uint32_t allowed_ = 0;
  std::vector<std::uint32_t> free_;
  std::vector<std::byte> memory_;
};

/// The receiver's account.
class Inbox {
 public:
  Inbox(const Settings& settings, Board& board);

  /// Gives up if the message is none of an Outbox.
  void take(std::span<const std::byte> message);

  /// Starts the clock, and all senders.
  void start();

  [[nodiscard]] bool all_here() const { return taken_ == wanted_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] std::uint64_t copies() const { return copies_; }  ///< that the stack handed over

  /// Writes what was found on the board.
  void report() const;

 private:
  const Settings& settings_;
  Board& board_;
  std::uint64_t wanted_;
  std::uint64_t taken_ = 0;
  std::uint64_t copies_ = 0;
  std::vector<bool> seen_;
  std::chrono::steady_clock::time_point start_{};
  std::chrono::steady_clock::time_point last_{};
};

/// A stack's receiver: hands messages to the Inbox, from within progress().
class Receiver {
 public:
  virtual ~Receiver() = default;
  virtual void progress() = 0;  ///< may sleep for a millisecond if there is nothing to do
  [[nodiscard]] virtual std::int64_t duplicates() { return not_told; }  ///< that it dropped
};

/// A stack's sender: tells the Outbox which messages are done.
class Sender {
 public:
  virtual ~Sender() = default;
  [[nodiscard]] virtual bool send(const Message& message) = 0;  ///< false: no room now
  virtual void progress() = 0;                                  ///< as Receiver's
  virtual void finish() {}                                      ///< returns when nothing is left to do for it
  [[nodiscard]] virtual std::int64_t retransmissions() { return not_told; }
};

struct Stack {
  std::function<std::unique_ptr<Receiver>(const Settings&, Board&, Inbox&)> receiver;
  std::function<std::unique_ptr<Sender>(const Settings&, Board&, Outbox&, std::uint32_t sender)> sender;
  bool reliable = true;  ///< nothing may be missing
};

/// Runs it all; the exit status of the program.
int run(int argc, char** argv, const Stack& stack);

}  // namespace ayatori::incast
