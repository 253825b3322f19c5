#pragma once
/// \file
/// One process among those that share a NodeSegment: it sends to the others and receives from them. A process has one
/// for all of its communicators; a MemoryCarrier (memory_carrier.hpp) is a communicator's view of it.

#include <functional>
#include <memory>

#include "ayatori/carriers/node_segment.hpp"
#include "ayatori/executor/carrier.hpp"

namespace ayatori {

struct NodeMemoryOptions {
  /// Called now and then while a carrier waits: whoever must answer others meanwhile, as an MPI must, does it here.
  /// It must neither execute nor destroy anything that uses this memory.
  std::function<void()> while_waiting;
  /// Messages of up to so many bytes (192 KiB at most) are copied into the sender's outbox and out of it: two copies,
  /// and the sender need not wait for the receiver.
  Bytes eager_limit = 128 << 10;
  /// Whether messages larger than that are read from the memory of their senders by one copy, where the kernel permits
  /// it (process_vm_readv(2)), instead of coming in fragments through the outbox. Off, because the kernel visits each
  /// page for it: on the virtual machine where both were measured, fragments were 2 to 4 times as fast from 64 KiB to
  /// 4 MiB, also with four times as many ranks as cores.
  bool read_peers = false;
};

/// Not safe for concurrent use: a process in which several threads execute protects it, with its carriers, by one lock.
class NodeMemory {
 public:
  using Options = NodeMemoryOptions;

  /// Takes part in the segment as number `self`, 0 to ranks − 1; each number is taken by one process (or one thread, in
  /// tests). Error: another number; no segment.
  [[nodiscard]] static Result<std::unique_ptr<NodeMemory>> make(std::shared_ptr<NodeSegment> segment, Rank self,
                                                                Options options = {});
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  ~NodeMemory();

  [[nodiscard]] Rank self() const;
  [[nodiscard]] Rank ranks() const;

  /// Whether more processes share the node than there are cores on which they may run.
  [[nodiscard]] bool oversubscribed() const;

 private:
  friend class MemoryCarrier;
  friend class CombinedCarrier;
  struct State;

  explicit NodeMemory(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori
