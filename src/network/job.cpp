#include "ayatori/network/job.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "host_lookup.hpp"

namespace ayatori {

namespace {

constexpr std::size_t max_ranks = std::size_t{1} << 24;

std::vector<std::uint32_t> positions_in_order(const Network& network) {
  std::vector<std::uint32_t> position(network.machines().size());
  std::uint32_t next = 0;
  for (const MachineId id : network.machines_in_order()) position[id] = next++;
  return position;
}

/// The most endpoints that the machine has on one plane.
std::uint32_t rails_on_one_plane(const Network& network, const Machine& machine) {
  if (network.planes().size() <= 1) return static_cast<std::uint32_t>(machine.endpoints.size());
  std::vector<std::uint32_t> count(network.planes().size(), 0);
  for (const PortId endpoint : machine.endpoints) ++count[network.device(network.port(endpoint).device).plane];
  return *std::ranges::max_element(count);
}

/// An entry's slots count only if the caller does not set the number of ranks.
std::uint32_t ranks_on(const Network& network, const Machine& machine, std::uint32_t slots,
                       std::uint32_t ranks_per_machine) {
  if (ranks_per_machine != 0) return ranks_per_machine;
  return slots != 0 ? slots : rails_on_one_plane(network, machine);
}

Result<> check_rank_count(const Job& job, std::string_view what) {
  if (job.rank_count() <= max_ranks) return {};
  return fail("{}: a job of {} ranks; {} are the most", what, job.rank_count(), max_ranks);
}

/// Collects the machines of a job in the order in which they are first named.
class JobList {
 public:
  JobList(const Network& network, std::uint32_t ranks_per_machine)
      : network_(network), ranks_per_machine_(ranks_per_machine), place_(network.machines().size(), no_id) {}

  /// One machine under two names ("n1", "n1.cluster") takes the slots of both.
  void add(MachineId id, std::uint32_t slots) {
    const std::uint32_t ranks = ranks_on(network_, network_.machine(id), slots, ranks_per_machine_);
    if (place_[id] == no_id) {
      place_[id] = static_cast<std::uint32_t>(job_.machines.size());
      job_.machines.push_back({id, ranks});
    } else if (ranks_per_machine_ == 0) {
      std::uint32_t& sum = job_.machines[place_[id]].ranks;
      sum += std::min(ranks, std::numeric_limits<std::uint32_t>::max() - sum);
    }
  }
  [[nodiscard]] Job take() { return std::move(job_); }

 private:
  const Network& network_;
  std::uint32_t ranks_per_machine_;
  std::vector<std::uint32_t> place_;  // by machine: in the job
  Job job_;
};

void sort_by_network(const Network& network, Job& job) {
  const auto position = positions_in_order(network);
  std::sort(job.machines.begin(), job.machines.end(),
            [&](const JobMachine& a, const JobMachine& b) { return position[a.machine] < position[b.machine]; });
}

Result<Job> job_on(const Network& network, std::span<const MachineId> machines, std::uint32_t ranks_per_machine) {
  Job job;
  for (const MachineId id : machines)
    job.machines.push_back({id, ranks_on(network, network.machine(id), 0, ranks_per_machine)});
  if (auto checked = check_rank_count(job, "too many ranks"); !checked) return Failure(checked.error());
  return job;
}

std::string left_out_as_text(std::size_t unnamed_hcas) {
  if (unnamed_hcas == 1) return "not counted: 1 HCA that names no host";
  return fmt::format("not counted: {} HCAs that name no host", unnamed_hcas);
}

Result<> check_size(const Network& network, std::size_t size, std::size_t available) {
  if (size == 0) return fail("a job needs at least one host");
  if (size <= available) return {};
  const auto too_large = [&] {
    return fail("a job of {} hosts is larger than the network, which has {}", size, available);
  };
  const std::size_t left_out = machines_for_jobs(network, Candidates::all).size() - available;
  if (left_out == 0) return too_large();
  return with_hint(too_large(), left_out_as_text(left_out));
}

PortId endpoint_of(const Network& network, const Machine& machine, std::uint32_t local_index) {
  const auto is_its_rail = [&](PortId id) { return network.device(network.port(id).device).rail == local_index; };
  const auto found = std::find_if(machine.endpoints.begin(), machine.endpoints.end(), is_its_rail);
  return found != machine.endpoints.end() ? *found : machine.endpoints[local_index % machine.endpoints.size()];
}

}  // namespace

std::size_t Job::rank_count() const {
  std::size_t count = 0;
  for (const JobMachine& entry : machines) count += entry.ranks;
  return count;
}

Result<Job> place_job(const Network& network, std::span<const HostEntry> hosts, std::string_view file,
                      std::uint32_t ranks_per_machine, RankOrder order) {
  if (hosts.empty()) return fail_at(file, 0, "a job needs at least one host");
  HostLookup lookup(network);
  JobList list(network, ranks_per_machine);
  for (const HostEntry& entry : hosts) {
    const auto id = lookup.find(entry.host);
    if (!id) return with_hint(fail_at(file, entry.line, id.error().message), id.error().hint);
    if (network.machine(*id).endpoints.empty()) {
      return fail_at(file, entry.line, fmt::format("the host '{}' has no cable", network.machine(*id).name));
    }
    list.add(*id, entry.slots);
  }
  Job job = list.take();
  if (auto checked = check_rank_count(job, file); !checked) return Failure(checked.error());
  if (order == RankOrder::network) sort_by_network(network, job);
  return job;
}

std::vector<MachineId> machines_for_jobs(const Network& network, Candidates candidates) {
  const auto named = [&](const Machine& machine) { return machine.named && !machine.endpoints.empty(); };
  const bool named_only = candidates == Candidates::named && std::ranges::any_of(network.machines(), named);
  std::vector<MachineId> found;
  for (const MachineId id : network.machines_in_order()) {
    const Machine& machine = network.machine(id);
    if (named_only ? named(machine) : !machine.endpoints.empty()) found.push_back(id);
  }
  return found;
}

Result<Job> random_job(const Network& network, std::size_t size, std::uint32_t ranks_per_machine, Random& random,
                       Candidates candidates) {
  auto machines = machines_for_jobs(network, candidates);
  if (auto checked = check_size(network, size, machines.size()); !checked) return Failure(checked.error());
  random.shuffle(std::span(machines));
  machines.resize(size);
  const auto position = positions_in_order(network);
  std::sort(machines.begin(), machines.end(), [&](MachineId a, MachineId b) { return position[a] < position[b]; });
  return job_on(network, machines, ranks_per_machine);
}

Result<Job> contiguous_job(const Network& network, std::size_t size, std::uint32_t ranks_per_machine,
                           Candidates candidates) {
  auto machines = machines_for_jobs(network, candidates);
  if (auto checked = check_size(network, size, machines.size()); !checked) return Failure(checked.error());
  machines.resize(size);
  return job_on(network, machines, ranks_per_machine);
}

std::vector<PortId> endpoints_of_ranks(const Network& network, const Job& job) {
  std::vector<PortId> endpoints;
  endpoints.reserve(job.rank_count());
  for (const JobMachine& entry : job.machines) {
    const Machine& machine = network.machine(entry.machine);
    for (std::uint32_t local = 0; local < entry.ranks; ++local) {
      endpoints.push_back(endpoint_of(network, machine, local));
    }
  }
  return endpoints;
}

}  // namespace ayatori
