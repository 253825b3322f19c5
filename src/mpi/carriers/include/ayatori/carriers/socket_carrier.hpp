#pragma once
/// \file
/// Carries messages between processes on different machines by TCP, each over the fastest network that both machines
/// are on, and large ones over several equally fast ones at once (ProcessSockets). For machines on several networks,
/// where MPI libraries choose by other rules.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ayatori/carriers/process_sockets.hpp"
#include "ayatori/executor/carrier.hpp"

namespace ayatori {

struct SocketExecution;

class SocketCarrier final : public Carrier {
 public:
  /// `processes`: by participant, its number among the processes of the job. `sockets` must outlive its executions.
  /// `streams` is that of the executions (RankProgram::stream_count): of executions with several, messages that come
  /// before their receives are kept in memory of this process, so that no stream waits for another one.
  SocketCarrier(ProcessSockets& sockets, std::shared_ptr<const std::vector<Rank>> processes, std::uint32_t streams);

  SocketCarrier(const SocketCarrier&) = delete;
  SocketCarrier& operator=(const SocketCarrier&) = delete;
  ~SocketCarrier() override;

  /// Before each execution: messages match only within a `context`. All participants give an execution the same, and no
  /// two executions of the same processes have the same. Bit 31 is set for executions that run concurrently with others
  /// (concurrent_execution); of all others there is one at a time in a process. What comes for those before their
  /// receives is kept in memory while a concurrent execution is outstanding.
  void begin_execution(std::uint64_t context);
  /// The execution is over, or given up. begin_execution() and the destructor end one that is not.
  void end_execution();

  /// Errors: a participant without a path to it; a connection that can't be made or has ended.
  [[nodiscard]] Result<> post_send(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<> post_receive(RequestId request, const CarriedMessage& message) override;
  /// Errors: also a message whose ends differ in size, and a process that has ended before it has sent all.
  [[nodiscard]] Result<std::size_t> test_some(std::span<RequestId> completed) override;
  /// Sleeps, for up to some milliseconds at a time.
  [[nodiscard]] Result<std::size_t> wait_some(std::span<RequestId> completed) override;

 private:
  [[nodiscard]] Result<Rank> process_of(const CarriedMessage& message) const;

  ProcessSockets::State& sockets_;
  std::shared_ptr<const std::vector<Rank>> processes_;
  std::uint32_t streams_;
  std::unique_ptr<SocketExecution> execution_;
};

}  // namespace ayatori
