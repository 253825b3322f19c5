#pragma once
/// \file
/// One process among those that share a NodeSegment: it sends to the others and receives from them. A process has one
/// for all of its communicators; a MemoryCarrier (memory_carrier.hpp) is a communicator's view of it.

#include <functional>
#include <memory>

#include "ayatori/carriers/node_segment.hpp"
#include "ayatori/player/carrier.hpp"

namespace ayatori {

struct NodeMemoryOptions {
  /// Called now and then while a carrier waits: whoever must answer others meanwhile, as an MPI must, does it here.
  /// It must neither play nor destroy anything that uses this memory.
  std::function<void()> while_waiting;
  /// Whether large messages are read from the memory of their senders, where the kernel permits it. If not, they come
  /// in fragments.
  bool read_peers = true;
};

/// Not safe for concurrent use: a process in which several threads play protects it, with its carriers, by one lock.
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
  [[nodiscard]] bool crowded() const;

 private:
  friend class MemoryCarrier;
  friend class CombinedCarrier;
  struct State;

  explicit NodeMemory(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace ayatori
