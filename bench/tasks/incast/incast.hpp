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

/// The largest number of messages that a sender has under way, in every stack.
inline constexpr std::uint32_t max_under_way = 64;

struct Settings {
  std::uint32_t senders = 31;
  std::uint32_t bytes = 1024;  ///< of a message, at least 8
  std::uint32_t messages = 5000;
};

/// The count of a stack that does not report it.
inline constexpr std::int64_t not_reported = -1;

/// What all processes share.
struct SharedState {
  std::atomic<std::uint32_t> address_bytes = 0;  ///< 0 until the receiver has published its address
  std::array<std::byte, 4096> address{};
  std::atomic<std::uint32_t> ready = 0;  ///< senders whose first message has arrived
  std::atomic<bool> go = false;
  std::atomic<std::uint32_t> finished = 0;  ///< senders that have sent everything

  std::atomic<std::uint64_t> delivered = 0;
  std::atomic<std::int64_t> duplicates = not_reported;  ///< copies that the receiver or its stack dropped
  std::atomic<std::int64_t> retransmissions = 0;        ///< of all senders; not_reported if one does not report it
  double seconds = 0;
  std::uint64_t receiver_resident = 0;  ///< peak, in bytes
};

using bench::give_up;

/// Tells the senders the address of the receiver, and waits for it.
void publish(SharedState& shared, std::span<const std::byte> address);
std::span<const std::byte> await_address(SharedState& shared);

struct Message {
  std::uint32_t buffer = 0;  ///< which of max_under_way holds the bytes
  std::span<const std::byte> bytes;
};

/// The messages of one sender. Number 0 is sent before the start; 1 to Settings::messages are counted.
class Outbox {
 public:
  Outbox(const Settings& settings, std::uint32_t sender);

  /// The message to be sent next; nothing if none may be sent now, or all buffers are in use.
  [[nodiscard]] std::optional<Message> front();
  void sent();                      ///< front() was sent; its bytes stay until …
  void done(std::uint32_t buffer);  ///< … done() is called with its buffer

  void allow(std::uint32_t messages) { allowed_ = messages; }
  [[nodiscard]] bool all_done() const { return next_ == allowed_ && free_.size() == max_under_way; }

 private:
  const Settings& settings_;
  std::uint32_t sender_;
  std::uint32_t next_ = 0;
  std::uint32_t allowed_ = 0;
  std::vector<std::uint32_t> free_;
  std::vector<std::byte> memory_;
};

/// Checks and counts the messages of the receiver.
class Inbox {
 public:
  Inbox(const Settings& settings, SharedState& shared);

  /// Gives up if the message is not one of an Outbox.
  void take(std::span<const std::byte> message);

  /// Starts the clock, and all senders.
  void start();

  [[nodiscard]] bool all_here() const { return taken_ == wanted_; }
  [[nodiscard]] std::uint64_t taken() const { return taken_; }
  [[nodiscard]] std::uint64_t copies() const { return copies_; }  ///< delivered by the stack

  /// Writes the results into the shared memory.
  void report() const;

 private:
  const Settings& settings_;
  SharedState& shared_;
  std::uint64_t wanted_;
  std::uint64_t taken_ = 0;
  std::uint64_t copies_ = 0;
  std::vector<bool> seen_;
  std::chrono::steady_clock::time_point start_{};
  std::chrono::steady_clock::time_point last_{};
};

/// The receiver of a stack: progress() gives messages to the Inbox.
class Receiver {
 public:
  virtual ~Receiver() = default;
  virtual void progress() = 0;  ///< may sleep for a millisecond if there is nothing to do
  [[nodiscard]] virtual std::int64_t duplicates() { return not_reported; }  ///< dropped by the stack
};

/// The sender of a stack: tells the Outbox which buffers are free.
class Sender {
 public:
  virtual ~Sender() = default;
  [[nodiscard]] virtual bool send(const Message& message) = 0;  ///< false: no room now
  virtual void progress() = 0;                                  ///< as that of Receiver
  virtual void finish() {}                                      ///< returns when everything was sent
  [[nodiscard]] virtual std::int64_t retransmissions() { return not_reported; }
};

struct Stack {
  std::function<std::unique_ptr<Receiver>(const Settings&, SharedState&, Inbox&)> receiver;
  std::function<std::unique_ptr<Sender>(const Settings&, SharedState&, Outbox&, std::uint32_t sender)> sender;
  bool reliable = true;  ///< no message may be lost
};

/// Runs all processes; the exit status of the program.
int run(int argc, char** argv, const Stack& stack);

}  // namespace ayatori::incast
