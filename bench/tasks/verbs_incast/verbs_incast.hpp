#pragma once
/// \file
/// Paper 5's measurement on real verbs: 31 senders in one process send to one receiver in another, over two adapters.
/// The senders alternate in one thread, so that a timer of some microseconds measures the network and not the
/// scheduler of a machine with two cores. Each sender goes on to its next message when the last one is acknowledged.
///
///     verbs_incast_PEER DEVICE_OF_RECEIVER DEVICE_OF_SENDERS BUFFERS BYTES MESSAGES HANDLING MORE…      prints one
///     JSON line
///
/// MESSAGES are those of each sender. The receiver is busy for HANDLING microseconds with each, and holds the buffer
/// meanwhile: without that, a software adapter in the kernel is slower than any receiver, and one buffer is enough. The
/// clock runs from the first send until all messages are acknowledged.

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "harness/processes.hpp"

namespace ayatori::verbs_incast {

inline constexpr std::uint32_t senders = 31;

/// What both processes share.
struct Shared {
  std::atomic<bool> receiver_ready = false;
  std::atomic<bool> senders_ready = false;
  std::atomic<bool> done = false;                                  ///< all messages are acknowledged
  std::array<std::array<std::byte, 64>, senders + 1> addresses{};  ///< of the senders, then of the receiver

  std::atomic<std::uint64_t> acknowledged = 0;  ///< valid when it is done
  std::atomic<std::uint64_t> delivered = 0;
  std::atomic<std::uint64_t> duplicates = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t errors = 0;  ///< senders whose connection broke: "retry exceeded"
  double seconds = 0;
};

struct Settings {
  std::string receiver_device;
  std::string sender_device;
  std::uint32_t buffers = 1;
  std::uint32_t bytes = 64;
  std::uint32_t messages = 100;
  std::uint32_t handling_us = 0;
};

using Part = void (*)(const Settings& settings, Shared& shared, int argc, char** more);

/// Runs both parts, each in a process of its own; the exit status of the program.
int run(int argc, char** argv, Part receive, Part send);

/// Waits until something is set, without keeping the core from the other process.
void await(const std::atomic<bool>& flag);

[[nodiscard]] double seconds_now();

/// What the receiver does with a message.
void handle(const Settings& settings);

}  // namespace ayatori::verbs_incast
