#pragma once
/// \file
/// A Job: an ordered list of machines with ranks on them, and the endpoints that those ranks use.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// One machine's share of a job.
struct JobMachine {
  MachineId machine = no_id;
  std::uint32_t ranks = 1;
};

struct Job {
  std::vector<JobMachine> machines;  ///< each machine once; ranks are numbered consecutively in this order

  [[nodiscard]] std::size_t rank_count() const;
};

enum class RankOrder : std::uint8_t {
  network,   ///< machines sorted by Network::machines_in_order (paper 1, section 4.2, step 1)
  as_given,  ///< as the hostfile lists them
};

/// A host as a hostfile lists it, before it is looked up in a network.
struct HostEntry {
  std::string host;         ///< a name or a GUID ("0x…")
  std::uint32_t slots = 0;  ///< 0: not given
  std::size_t line = 0;     ///< line in the file, from 1
};

/// Reads a hostfile in any of these ways, also mixed (one host or host list per line):
///   Open MPI   node01 slots=8 max-slots=8      MPICH   node01:8      Slurm   node[01-04,09],login1
/// '#' starts a comment. A name listed again adds to its slots (Open MPI's rule). `file` is for messages.
/// Errors name file and line: an empty file, a malformed range, a slot count that is not a number or is 0. As in Open
/// MPI, blanks around '=' are allowed; max-slots, user, binding and ifname are ignored. A file may list at most 2^18
/// hosts, and an entry at most 65536 slots.
[[nodiscard]] Result<std::vector<HostEntry>> parse_hostfile(std::string_view text, std::string_view file);

/// Expands a Slurm host list: "n[01-03,7]x,m" gives n01x n02x n03x n7x m. Several brackets in one name give all
/// combinations. Errors say what is malformed; more than 2^18 hosts or a name longer than 255 letters is refused.
[[nodiscard]] Result<std::vector<std::string>> expand_hostlist(std::string_view text);

/// Finds the hosts in the network: by machine name (exactly, then ignoring case, then by the part before the first
/// dot), or by the GUID of one of its ports. `ranks_per_machine` = 0 takes each entry's slots, or if it gives none,
/// one rank for each of the machine's endpoints (rails); of a machine on several planes, those on one of them. Errors
/// name file, line and host: a host that the network does not have (with the nearest name as a hint), a name that
/// several hosts share, a machine without a cable, a job of fewer than 1 or more than 2^24 ranks.
[[nodiscard]] Result<Job> place_job(const Network& network, std::span<const HostEntry> hosts, std::string_view file,
                                    std::uint32_t ranks_per_machine, RankOrder order);

/// Which machines a job may be given whose hosts nobody lists. No program starts on a machine that is not cabled.
enum class Candidates : std::uint8_t {
  named,  ///< those with a host name; all cabled ones in a network that names no host
  all,    ///< also HCAs that name no host: those of storage, of gateways, of management
};

/// The candidates in network order.
[[nodiscard]] std::vector<MachineId> machines_for_jobs(const Network& network, Candidates candidates);

/// `size` different candidates, drawn uniformly, in network order. `ranks_per_machine` as above. Error: a job of 0
/// machines, or of more than there are candidates.
[[nodiscard]] Result<Job> random_job(const Network& network, std::size_t size, std::uint32_t ranks_per_machine,
                                     Random& random, Candidates candidates = Candidates::named);

/// The first `size` candidates in network order. Errors as for random_job.
[[nodiscard]] Result<Job> contiguous_job(const Network& network, std::size_t size, std::uint32_t ranks_per_machine,
                                         Candidates candidates = Candidates::named);

/// The NIC port that each rank sends and receives through: rank with local index l on its machine uses the
/// machine's endpoint of rail l, or its (l mod number of endpoints)-th where it has no such rail.
[[nodiscard]] std::vector<PortId> endpoints_of_ranks(const Network& network, const Job& job);

}  // namespace ayatori
