#pragma once
/// \file
/// What the plug-in keeps for a communicator of the program: the tags of its messages, the places of the ranks, the
/// compiled programs. It hangs on the program's communicator as an attribute, and goes with it, or with the last of its
/// executions that do not block.

#include <mpi.h>

#include <atomic>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "ayatori/artefacts/choice_table.hpp"
#include "ayatori/schedule/placement.hpp"
#include "ayatori/tuning/veto.hpp"
#include "compiled_call.hpp"

namespace ayatori::plugin {

/// What the first calls of one kind and about one size showed, where a table says that ours executes them.
struct CallVeto {
  MpiCall call;
  Bytes bytes;
  Veto comparison = {};
  bool is_vetoed = false;
};

class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  /// The state of a communicator whose collectives can be executed; nullptr for all others: MPI_COMM_NULL,
  /// inter-communicators, those of one process, and those with processes outside of MPI_COMM_WORLD. Local.
  [[nodiscard]] static Communicator* find(MPI_Comm comm);

  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator();

  [[nodiscard]] Rank rank() const { return rank_; }
  [[nodiscard]] Rank ranks() const { return ranks_; }

  /// Agrees on tags for messages, at the first call; collective, as a reduction of the MPI's on this communicator. So
  /// it may only be called within a collective of the program that blocks, or in a function that made the communicator.
  /// False if too many communicators have tags: the same on all ranks.
  [[nodiscard]] bool prepare();
  /// Whether that has happened: the same on all ranks.
  [[nodiscard]] bool is_ready() const { return state_ == State::ready; }

  /// The choice that a table has for this call: for all ranks of the job, in their order. nullptr: none.
  [[nodiscard]] const SizeInterval* by_table(MpiCall call, Bytes bytes) const;

  /// The program's. Its error handler is the program's, too.
  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  /// The MPI executes all calls from now on. To be decided alike on all ranks.
  void leave_to_mpi();
  /// Of its ranks, made when it is asked for. After prepare().
  [[nodiscard]] Placement placement() const;

  /// Whether the MPI's own collectives of these ranks would take networks that are not for collectives.
  [[nodiscard]] bool mpi_is_elsewhere() const { return mpi_is_elsewhere_; }

  /// Of calls of this kind and about this size; made when it is first asked for.
  [[nodiscard]] CallVeto& veto(MpiCall call, Bytes bytes);

  /// The compiled call of this shape; nullptr if there is no such schedule. The pointer is good until the next call.
  [[nodiscard]] CompiledCall* compiled(const CallShape& shape);

  /// The same for an execution that does not block: nobody else has it until it comes back, from any thread.
  [[nodiscard]] std::unique_ptr<CompiledCall> lend(const CallShape& shape);
  void give_back(std::unique_ptr<CompiledCall> call);

  /// Hands an error of an execution to the program's error handler. From then on nothing is executed here. Returns the
  /// code.
  int give_up(int code);
  int give_up(const Error& error) { return give_up(code_of(error)); }
  /// The MPI's words for it can't say what happened: so a line does, once in a process.
  [[nodiscard]] static int code_of(const Error& error);

 private:
  explicit Communicator(MPI_Comm comm);
  [[nodiscard]] bool is_executable() const;
  [[nodiscard]] std::unique_ptr<CompiledCall> make_call(const CallShape& shape, CompiledCall::Carried carried);
  static void defer_free(Communicator* state);
  [[nodiscard]] bool agree_on_tags();
  void make_messages();
  friend void begin_communicators();
  friend void end_communicators();
  static int forget(MPI_Comm comm, int keyval, void* state, void* extra);

  enum class State : std::uint8_t { new_, ready, useless };

  std::shared_ptr<Communicator> self_;  ///< until the program frees its communicator
  std::atomic<MPI_Comm> comm_;          ///< MPI_COMM_WORLD afterwards, whose error handler is the MPI's, too
  Rank rank_ = 0;
  Rank ranks_ = 1;
  State state_ = State::new_;
  std::optional<std::uint32_t> tags_;  ///< block of process().tags, the same on all ranks
  bool is_whole_job_ = false;          ///< all ranks of MPI_COMM_WORLD, in their order
  bool mpi_is_elsewhere_ = false;
  bool has_failed_ = false;  ///< messages of an execution may still be under way
  std::unique_ptr<Messages> messages_;
  std::map<std::uint32_t, CallVeto> vetoes_;
  std::list<std::unique_ptr<CompiledCall>> compiled_;  ///< the one used last comes first
  std::mutex idle_mutex_;
  std::vector<std::unique_ptr<CompiledCall>> idle_;  ///< to be lent
};

/// Frees what was left of communicators that the program freed while something was outstanding on them.
void free_deferred_communicators();

/// Called in MPI_Init, and when MPI_Finalize begins.
void begin_communicators();
void end_communicators();

}  // namespace ayatori::plugin
