#pragma once
/// \file
/// What the engine keeps for the whole process.

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/artefacts/choice_table.hpp"
#include "ayatori/carriers/node_memory.hpp"
#include "ayatori/carriers/process_sockets.hpp"
#include "ayatori/loaded/loaded_algorithm.hpp"
#include "ayatori/progress/outstanding.hpp"
#include "ayatori/progress/tag_blocks.hpp"
#include "ayatori/schedule/placement.hpp"
#include "ayatori/tuning/settings.hpp"

namespace ayatori::plugin {

struct Process {
  Settings settings;                 ///< the same in all processes of MPI_COMM_WORLD
  std::optional<ChoiceTable> table;  ///< that AYATORI_CHOICE names
  std::map<std::string, std::shared_ptr<const LoadedAlgorithm>> others;  ///< algorithms of others that are forced
  int rank = 0;                                                          ///< in MPI_COMM_WORLD
  int level = MPI_THREAD_SINGLE;  ///< at which the program calls the MPI, whatever the MPI grants
  MPI_Group world = MPI_GROUP_NULL;
  /// All ranks of MPI_COMM_WORLD, for the messages of all executions; errors return. It is the only communicator of
  /// ours, made in MPI_Init: elsewhere, another process may be in a call that must come first.
  MPI_Comm messages = MPI_COMM_NULL;
  std::unique_ptr<TagBlocks> tags;  ///< of `messages`: each communicator of the program has a block
  Placement placement;              ///< of the ranks of MPI_COMM_WORLD
  std::vector<int> node_ranks;      ///< ranks of MPI_COMM_WORLD on our node, by their number on it
  Rank node_self = 0;               ///< our own number on it
  /// Whether calls that do not block can be executed, and some may be: the same in all processes.
  bool executes_nonblocking = false;
  Outstanding outstanding;             ///< those of them that are not over
  std::unique_ptr<NodeMemory> memory;  ///< shared by the node's processes; nullptr: messages go through the MPI
  /// Connections to processes of other machines; nullptr: messages to them go through the MPI. The same in all
  /// processes.
  std::unique_ptr<ProcessSockets> sockets;
  /// The MPI's own messages take networks that are not for collectives; those of executions take, by `sockets`, the
  /// ones that are.
  bool collectives_are_apart = false;
  /// Whether first calls are compared with the MPI's own: not where a node has more ranks than cores. The same in all
  /// processes.
  bool may_veto = false;
};

/// Filled once, before the program's first collective call; but for the memory and what is outstanding it is only read
/// afterwards.
[[nodiscard]] Process& process();

/// Called in MPI_Init by all processes of MPI_COMM_WORLD; `level` as in ayatori_mpi_start. False: nothing is to be
/// done.
[[nodiscard]] bool begin_process(int level);

/// Prints a line on process 0.
void report(std::string_view line);

/// Prints a line on this process, whichever it is: for what may stop the job before others hear of it.
void report_here(std::string_view line);

/// The same with AYATORI_VERBOSE, and each line only once.
void explain(std::string_view line);

/// Process 0's text, in all processes of MPI_COMM_WORLD.
[[nodiscard]] std::string shared_text(std::string text);

/// Empty in all processes of MPI_COMM_WORLD if it is empty in all; otherwise that of the first process that has one.
[[nodiscard]] std::string first_reason(std::string reason);

/// What went wrong, and why.
[[nodiscard]] std::string in_words(const Error& error);

/// The name of this host.
[[nodiscard]] std::string own_host();

/// Whether the MPI refuses to receive where it sends from. Open MPI does in MPI_Reduce, and MPICH does in all calls
/// unless MPIR_CVAR_COLL_ALIAS_CHECK is 0. It is asked once, by calls of this process alone.
[[nodiscard]] bool mpi_refuses_aliases(MpiCall call);

}  // namespace ayatori::plugin
