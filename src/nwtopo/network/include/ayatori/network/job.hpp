#pragma once
/// \file
/// A Job: which machine each rank is on, and the endpoints that the ranks use.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// Ranks that follow each other on one machine.
struct RankRun {
  MachineId machine = no_id;
  std::uint32_t ranks = 1;
};

/// A list rank -> machine, in the launcher's order. Any placement is one: by slot, cyclic, with unequal slots.
struct Job {
  std::vector<MachineId> machine_of_rank;
  /// What the hostfile calls machines that it finds by an alias: launchers know them by that name.
  std::map<MachineId, std::string> called = {};

  [[nodiscard]] static Job of_runs(std::span<const RankRun> runs);

  [[nodiscard]] std::size_t rank_count() const { return machine_of_rank.size(); }
  /// Each machine once, in the order of their first ranks.
  [[nodiscard]] std::vector<MachineId> machines() const;
  /// The list, shortened: two neighbouring runs are on different machines.
  [[nodiscard]] std::vector<RankRun> runs() const;
  /// What to call a machine in what is written for launchers and running programs.
  [[nodiscard]] std::string_view name_of(const Network& network, MachineId machine) const;
};

enum class RankOrder : std::uint8_t {
  as_given,  ///< line by line, as a launcher starts them that obeys the file
  network,   ///< by machine, and these sorted by Network::machines_in_order (paper 1, section 4.2, step 1)
};

/// A host as a hostfile lists it, before it is looked up in a network.
struct HostEntry {
  std::string host;         ///< a name or a GUID ("0x…")
  std::uint32_t slots = 0;  ///< 0: not given
  std::size_t line = 0;     ///< line in the file, from 1
};

/// Reads a hostfile in any of these formats, also mixed (one host or host list per line):
///   Open MPI   node01 slots=8 max-slots=8      MPICH   node01:8      Slurm   node[01-04,09],login1
///   PBS, LSF   node01, a line a slot           LSF     node01 4 node02 4
///   Grid Engine   node01 4 all.q@node01 UNDEFINED
/// or Open MPI's rankfile, in all of its lines:     rank 0=node01 slot=0:1
/// A rankfile gives an entry a rank, in the order of ranks. '#' starts a comment. A name listed again is an entry
/// again: its ranks are where its lines are. `file` is for messages. Errors name file and line: an empty file, a
/// malformed range, a slot count that is not a number or is 0, a rank that a rankfile has twice or not. As in Open MPI,
/// blanks around '=' are allowed; max-slots, user, binding and ifname are ignored. A file may list at most 2^18 hosts,
/// and an entry at most 65536 slots.
[[nodiscard]] Result<std::vector<HostEntry>> parse_hostfile(std::string_view text, std::string_view file);

/// Expands a Slurm host list: "n[01-03,7]x,m" gives n01x n02x n03x n7x m. Several brackets in one name give all
/// combinations. A name has no blank and none of "#,[]:=", but for those that `allowed` lists. Errors say what is
/// malformed; more than 2^18 hosts or a name longer than 255 letters is refused.
[[nodiscard]] Result<std::vector<std::string>> expand_hostlist(std::string_view text, std::string_view allowed = {});

/// Finds the hosts in the network: by machine name (exactly, then ignoring case, then by the part before the first
/// dot; aliases are names, too), or by the GUID of one of its ports. `ranks_per_machine` = 0 takes each entry's slots
/// at its place in the list; an entry that gives none is one rank. Otherwise each machine has so many ranks, at its
/// first place. Errors name file, line and host: a host that the network does not have (with the nearest name as a
/// hint), a name that several hosts share, a machine without a cable, a job of fewer than 1 or more than 2^24 ranks.
[[nodiscard]] Result<Job> place_job(const Network& network, std::span<const HostEntry> hosts, std::string_view file,
                                    std::uint32_t ranks_per_machine, RankOrder order);

/// Which machines a job may be given whose hosts nobody lists. No program starts on a machine that is not cabled.
enum class Candidates : std::uint8_t {
  named,  ///< those with a host name; all cabled ones in a network that names no host
  all,    ///< also HCAs that name no host: those of storage, of gateways, of management
};

/// The candidates in network order.
[[nodiscard]] std::vector<MachineId> machines_for_jobs(const Network& network, Candidates candidates);

/// `size` different candidates, drawn uniformly, in network order, each with `ranks_per_machine` ranks. 0: one for each
/// of the machine's endpoints (rails); of a machine on several planes, those on one of them. Error: a job of 0
/// machines, or of more than there are candidates.
[[nodiscard]] Result<Job> random_job(const Network& network, std::size_t size, std::uint32_t ranks_per_machine,
                                     Random& random, Candidates candidates = Candidates::named);

/// The first `size` candidates in network order. Errors as for random_job.
[[nodiscard]] Result<Job> contiguous_job(const Network& network, std::size_t size, std::uint32_t ranks_per_machine,
                                         Candidates candidates = Candidates::named);

/// The NIC port that each rank sends and receives through: the l-th rank of its machine (from 0, by rank) uses the
/// machine's endpoint of rail l, or its (l mod number of endpoints)-th where it has no such rail.
[[nodiscard]] std::vector<PortId> endpoints_of_ranks(const Network& network, const Job& job);

}  // namespace ayatori
