#pragma once
/// \file
/// Global memory, as one process of a job sees it: copies between any two global addresses, atomics, a barrier and
/// channels, carried out by messages of an Endpoint. Like the endpoint it does no I/O and has no clock:
///
///     driver.progress()  ──▶  endpoint()  ──▶  GlobalMemory (its Application)
///     then progress(now): starts what can start
///
/// An operation has a handle, from 1 on. It names a handle, and starts when the operations up to that one are completed
/// and all operations with lower handles than its own have started. It is completed when its effect is in the memory of
/// its destination, and for an atomic the value from before is at `dst`. Operations may complete in any order;
/// completed(h) is true when all operations up to h are completed.
///
/// How often operations are carried out, whatever the network does:
///   - atomics, copies of at most 16 bytes, and copies by the process of the destination (its own, or those that
///   another
///     process has delegated to it): once;
///   - larger puts: at least once, and never after completion (docs/decisions/0101-puts-and-gets.md).
///
/// A copy between two other processes is delegated to the process of its destination. A process carries out at most
/// `Settings::delegated` such copies at a time, and refuses more; the initiator then asks again.
///
/// Memory is fixed at construction. Not thread-safe.

#include <memory>
#include <optional>
#include <string>

#include "ayatori/onesided/memory.hpp"
#include "ayatori/transport/endpoint.hpp"
#include "ayatori/transport/rdma.hpp"

namespace ayatori::onesided {

using transport::Time;

/// Names an operation; 0 names none.
using Handle = std::uint64_t;

struct Settings {
  transport::Identity identity;
  Rank procs = 1;
  transport::Options endpoint;
  std::uint32_t operations = 1024;     ///< started by this process and not completed; a power of two
  std::uint32_t delegated = 64;        ///< copies that this process carries out for others at a time
  std::uint32_t known_regions = 1024;  ///< regions of peers whose keys are remembered
  std::uint32_t channels = 256;        ///< ends of channels that this process has, at most 65,536

  transport::Rdma* rdma = nullptr;  ///< of the wire, which outlives this; nullptr: everything goes by datagrams
  std::uint32_t connections = 32;   ///< reliable ones to peers, and as many from peers; 0: as without rdma
  /// Lets an adapter carry out atomics on this process's memory whose atomics are atomic among themselves alone: the
  /// program must not use atomic instructions of the processor there.
  bool adapter_atomics = false;
};

enum class Atomic : std::uint8_t { swap, add, exclusive_or, inclusive_or, conjunction, compare_swap };

struct AtomicOperation {
  Atomic kind = Atomic::add;
  std::uint8_t size = 8;           ///< 4 or 8; both addresses must be multiples of it
  GlobalAddress dst = no_address;  ///< of this process: gets the value from before
  GlobalAddress src = no_address;  ///< the word to be changed, of any process
  std::uint64_t operand = 0;       ///< of compare_swap: the new value
  std::uint64_t expected = 0;      ///< of compare_swap
};

/// Name an end of a channel, and a request of it; 0 names none.
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

  /// Whether Settings::operations operations are not completed. If so, no further one may be started: call progress().
  [[nodiscard]] bool full() const;

  /// Start an operation, which begins when all operations up to `after` are completed (0: at once). Local memory must
  /// stay until the operation is completed. Errors: EINVAL, a number that is not a global address, or an atomic that is
  /// not aligned; EFAULT, memory of this process that is not registered.
  [[nodiscard]] Result<Handle> copy(Time now, GlobalAddress dst, GlobalAddress src, Bytes size, Handle after);
  [[nodiscard]] Result<Handle> apply(Time now, const AtomicOperation& operation, Handle after);

  /// A copy or atomic that is completed at once; nothing if operations before are not completed, or if a peer has to be
  /// asked: if this process can't reach the memory by loads and stores, nor by a copy to or from a neighbour.
  [[nodiscard]] std::optional<Handle> copy_directly(GlobalAddress dst, GlobalAddress src, Bytes size);
  [[nodiscard]] std::optional<Handle> apply_directly(const AtomicOperation& operation);

  [[nodiscard]] Handle latest() const;  ///< the last handle; 0 if there is none
  [[nodiscard]] bool completed(Handle handle) const;

  /// The error of the first operation up to `handle` that failed; forgets the failures of all of these. To be called
  /// when they are completed. Settings::operations failures are remembered one by one, neighbours with one cause as
  /// one; with more, all operations between the last of these and the latest that failed count as failed.
  [[nodiscard]] std::optional<Error> take_failure(Handle handle);

  // ---- Barrier

  /// `last`: this process answers nobody after it, so what its peers need of it is sent until they have it.
  void start_barrier(Time now, bool last = false);
  [[nodiscard]] bool barrier_done() const;

  // ---- Channels: messages from one process to another, in order, into the receiver's memory

  /// Opens an end of a channel from `sender` to `receiver`. The n-th one opened here and the n-th one opened by the
  /// other process are the ends of one channel. Errors: EINVAL, both ranks are the same or neither is this process;
  /// ENOSPC, Settings::channels ends are in use.
  [[nodiscard]] Result<ChannelId> open_channel(Time now, Rank sender, Rank receiver);

  /// Start a request, which finish() frees. The buffer must stay until the request is done. Errors: EINVAL, there is no
  /// such end, or it is the wrong one of the two, or it is being closed; ENOSPC, no request is left.
  [[nodiscard]] Result<RequestId> send(Time now, ChannelId channel, const std::byte* bytes, Bytes size);
  [[nodiscard]] Result<RequestId> receive(Time now, ChannelId channel, std::byte* bytes, Bytes size);
  [[nodiscard]] Result<RequestId> close_channel(Time now, ChannelId channel);

  [[nodiscard]] bool request_done(RequestId request) const;
  /// Frees a request that is done. Returns the bytes received (at most the size of the buffer), or 0. Errors: EINVAL,
  /// there is no such request; EHOSTDOWN, the peer is lost; EPIPE, the peer has closed the channel.
  [[nodiscard]] Result<Bytes> finish(RequestId request);

  // ---- Time

  /// Continues what waits; to be called after each round of the driver. Returns whether the endpoint was given anything
  /// since the last call: then there may be something to send.
  bool progress(Time now);
  /// The latest time at which progress() must be called again; the endpoint has a next_deadline() of its own.
  [[nodiscard]] Time next_deadline() const;

  /// Whether nothing is under way: no operation, no delegated copy, no barrier, no request.
  [[nodiscard]] bool idle() const;

  /// An error that names the first peer that was lost; nothing if none was.
  [[nodiscard]] const std::optional<Error>& loss() const;

 private:
  struct State;
  explicit GlobalMemory(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori::onesided
