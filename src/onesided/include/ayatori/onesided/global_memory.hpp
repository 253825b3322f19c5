#pragma once
/// \file
/// One process's view of the memory of all: copies between any two global addresses, and atomics, each carried out by
/// messages of an Endpoint. Like the endpoint it does no I/O and knows no clock:
///
///     driver.progress()  ──▶  endpoint()  ──▶  GlobalMemory (its Application)
///     then progress(now): starts what can start
///
/// An operation has a handle, from 1 on. It starts when the operations up to the one that it names are completed, and
/// not before the operations with lower handles have started. It is completed when its effect is in place at its
/// destination, and for an atomic the value before at `dst`. Operations may complete in any order; completed(h) speaks
/// of all up to h.
///
/// What is carried out how often, whatever the network does:
///   - atomics, copies of at most 16 bytes, and copies by the process that they go *to* (its own, or by order of a
///     third process): once;
///   - larger puts: at least once, and never after completion (docs/decisions/0101-puts-and-gets.md).
///
/// A copy between two other processes is done by its destination's process, which the initiator asks; at most
/// `Settings::delegated` at a time, who asks for more asks again.
///
/// Memory is fixed at construction. Not thread-safe.

#include <memory>
#include <optional>
#include <string>

#include "ayatori/onesided/memory.hpp"
#include "ayatori/transport/endpoint.hpp"

namespace ayatori::onesided {

using transport::Time;

/// Of an operation; 0 is none.
using Handle = std::uint64_t;

struct Settings {
  transport::Identity identity;
  Rank procs = 1;
  transport::Options endpoint;
  std::uint32_t operations = 1024;     ///< started by this process and not completed; a power of two
  std::uint32_t delegated = 64;        ///< copies that this process does for others at a time
  std::uint32_t known_regions = 1024;  ///< of peers, remembered
  std::uint32_t channels = 256;        ///< ends of channels that this process has, at most 65,536
};

enum class Atomic : std::uint8_t { swap, add, exclusive_or, inclusive_or, conjunction, compare_swap };

struct AtomicOperation {
  Atomic kind = Atomic::add;
  std::uint8_t size = 8;           ///< 4 or 8; both addresses must be multiples of it
  GlobalAddress dst = no_address;  ///< of this process: gets the value before
  GlobalAddress src = no_address;  ///< what is changed, anywhere
  std::uint64_t operand = 0;       ///< of compare_swap the new value
  std::uint64_t expected = 0;      ///< of compare_swap
};

/// Names a channel's end or a request, see global_memory's channel functions; 0 is none.
using ChannelId = std::uint32_t;
using RequestId = std::uint64_t;

class GlobalMemory {
 public:
  /// Errors: settings out of range.
  [[nodiscard]] static Result<std::unique_ptr<GlobalMemory>> make(const Settings& settings);
  ~GlobalMemory();

  [[nodiscard]] const AddressSpace& space() const;
  [[nodiscard]] Memory& memory();
  [[nodiscard]] transport::Endpoint& endpoint();

  // ---- Operations

  /// Whether as many operations as there may be are not completed: progress before you start another.
  [[nodiscard]] bool full() const;

  /// `after`: it starts when all up to this handle are completed; 0: at once. Local memory must stay until it is
  /// completed. Errors: an address that is none, memory of this process that is not registered, a misaligned atomic.
  [[nodiscard]] Result<Handle> copy(Time now, GlobalAddress dst, GlobalAddress src, Bytes size, Handle after);
  [[nodiscard]] Result<Handle> apply(Time now, const AtomicOperation& operation, Handle after);

  /// As copy(), if all before is completed and this process reaches both places itself: then it is completed at once.
  [[nodiscard]] std::optional<Handle> copy_directly(GlobalAddress dst, GlobalAddress src, Bytes size);

  [[nodiscard]] Handle latest() const;  ///< 0 if there is none
  [[nodiscard]] bool completed(Handle handle) const;

  /// The first that failed of the operations up to `handle`, in words, and forgets all of these. Call it when they are
  /// completed. As many failures are remembered as there are operations.
  [[nodiscard]] std::optional<Error> take_failure(Handle handle);

  // ---- Barrier

  void start_barrier(Time now);
  [[nodiscard]] bool barrier_done() const;

  // ---- Channels: messages from one process to another, in order, into the receiver's memory

  /// An end of the next channel from `sender` to `receiver`, of which this process is one: the n-th that is made here
  /// belongs to the n-th made there. Errors: both are one, this process is neither, no end is left.
  [[nodiscard]] Result<ChannelId> open_channel(Time now, Rank sender, Rank receiver);

  /// Requests, to be given back by finish(). The buffer must stay until the request is completed. Errors: no such end,
  /// the wrong one of the two, it is being closed, no request is left.
  [[nodiscard]] Result<RequestId> send(Time now, ChannelId channel, const std::byte* bytes, Bytes size);
  [[nodiscard]] Result<RequestId> receive(Time now, ChannelId channel, std::byte* bytes, Bytes size);
  [[nodiscard]] Result<RequestId> close_channel(Time now, ChannelId channel);

  [[nodiscard]] bool request_done(RequestId request) const;
  /// The bytes of a receive (at most its buffer's size), or 0. Error: no such request, or the peer is lost, or has
  /// closed the channel. It must be done.
  [[nodiscard]] Result<Bytes> finish(RequestId request);

  // ---- Time

  /// Goes on with whatever waits: to be called after each round of the driver. Returns whether the endpoint was asked
  /// for anything since the last call: then there may be something to send.
  bool progress(Time now);
  /// When progress() must be called at the latest, besides the endpoint's own next_deadline().
  [[nodiscard]] Time next_deadline() const;

  /// Nothing of its own is under way: no operation, no copy for others, no barrier, no request.
  [[nodiscard]] bool idle() const;

  /// The first peer that was lost, in words.
  [[nodiscard]] const std::optional<Error>& loss() const;

 private:
  struct State;
  explicit GlobalMemory(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori::onesided
