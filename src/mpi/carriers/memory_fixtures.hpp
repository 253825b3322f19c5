#pragma once
/// \file
/// For tests over shared memory: the carriers of all participants in one process, and processes that take part.

#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <vector>

#include "ayatori/carriers/memory_carrier.hpp"

namespace ayatori {

inline std::vector<NodeParticipant> all_on_one_node(Rank ranks) {
  std::vector<NodeParticipant> participants;
  for (Rank rank = 0; rank < ranks; ++rank) participants.push_back({rank, rank});
  return participants;
}

/// One participant of a segment whose participants are all on it.
struct MemoryEnd {
  MemoryEnd(const std::shared_ptr<NodeSegment>& segment, Rank self, NodeMemoryOptions options = {})
      : memory(NodeMemory::make(segment, self, std::move(options)).value()),
        carrier(*memory, all_on_one_node(segment->ranks()), 1) {}
  std::unique_ptr<NodeMemory> memory;
  MemoryCarrier carrier;
};

/// Carriers for threads that share one mapping of the memory, so that a sanitizer sees what they do with it.
class MemoryNetwork {
 public:
  explicit MemoryNetwork(Rank ranks, const NodeMemoryOptions& options = {}) {
    const auto segment = NodeSegment::create(ranks).value();
    for (Rank self = 0; self < ranks; ++self) ends_.push_back(std::make_unique<MemoryEnd>(segment, self, options));
  }

  [[nodiscard]] Carrier& carrier(Rank participant) { return ends_[participant]->carrier; }
  [[nodiscard]] MemoryEnd& end(Rank participant) { return *ends_[participant]; }

 private:
  std::vector<std::unique_ptr<MemoryEnd>> ends_;
};

/// Runs `body` in a process of its own, which ends with its result as status.
inline pid_t start_process(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body());
  }
  return child;
}

/// The exit status; −1 if it was killed.
inline int status_of(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

/// How many processes end with another status than 0: `body(self)` in each of `ranks` processes.
inline int count_failures(Rank ranks, const std::function<int(Rank self)>& body) {
  std::vector<pid_t> children;
  for (Rank self = 0; self < ranks; ++self) children.push_back(start_process([&] { return body(self); }));
  int failures = 0;
  for (const pid_t child : children) failures += status_of(child) == 0 ? 0 : 1;
  return failures;
}

}  // namespace ayatori
