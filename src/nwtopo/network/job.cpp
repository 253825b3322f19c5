#include "ayatori/network/job.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <unordered_set>

#include "ayatori/network/host_name.hpp"
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

void sort_by_network(const Network& network, Job& job) {
  const auto position = positions_in_order(network);
  std::ranges::stable_sort(job.machine_of_rank, {}, [&](MachineId id) { return position[id]; });
}

/// `ranks` more on a machine. Limits are checked first: what a file says must not make us allocate.
Result<> add_ranks(Job& job, MachineId machine, std::uint64_t ranks, std::string_view what) {
  const std::uint64_t sum = job.rank_count() + ranks;
  if (sum > max_ranks) return fail("{}: a job of more than {} ranks", what, max_ranks);
  job.machine_of_rank.insert(job.machine_of_rank.end(), ranks, machine);
  return {};
}

Result<Job> job_on(const Network& network, std::span<const MachineId> machines, std::uint32_t ranks_per_machine) {
  Job job;
  for (const MachineId id : machines) {
    const std::uint32_t ranks =
        ranks_per_machine != 0 ? ranks_per_machine : rails_on_one_plane(network, network.machine(id));
    if (auto added = add_ranks(job, id, ranks, "too many ranks"); !added) return Failure(added.error());
  }
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

/// Neither the machine's own name, with domain or without, nor a GUID.
bool is_alias(std::string_view host, const Machine& machine) {
  return !is_guid(host) && short_host_name(host) != short_host_name(machine.name);
}

}  // namespace

Job Job::of_runs(std::span<const RankRun> runs) {
  Job job;
  for (const RankRun& run : runs) job.machine_of_rank.insert(job.machine_of_rank.end(), run.ranks, run.machine);
  return job;
}

std::vector<MachineId> Job::machines() const {
  std::vector<MachineId> found;
  std::unordered_set<MachineId> known;
  for (const MachineId machine : machine_of_rank) {
    if (!found.empty() && found.back() == machine) continue;
    if (known.insert(machine).second) found.push_back(machine);
  }
  return found;
}

std::vector<RankRun> Job::runs() const {
  std::vector<RankRun> found;
  for (const MachineId machine : machine_of_rank) {
    if (found.empty() || found.back().machine != machine) {
      found.push_back({machine, 1});
    } else {
      ++found.back().ranks;
    }
  }
  return found;
}

std::string_view Job::name_of(const Network& network, MachineId machine) const {
  const auto found = called.find(machine);
  return found != called.end() ? found->second : network.machine(machine).name;
}

Result<Job> place_job(const Network& network, std::span<const HostEntry> hosts, std::string_view file,
                      std::uint32_t ranks_per_machine, RankOrder order) {
  if (hosts.empty()) return fail_at(file, 0, "a job needs at least one host");
  HostLookup lookup(network);
  std::vector<bool> has_ranks(network.machines().size(), false);
  Job job;
  for (const HostEntry& entry : hosts) {
    const auto id = lookup.find(entry.host);
    if (!id) return with_hint(fail_at(file, entry.line, id.error().message), id.error().hint);
    if (network.machine(*id).endpoints.empty()) {
      return fail_at(file, entry.line, fmt::format("the host '{}' has no cable", network.machine(*id).name));
    }
    if (is_alias(entry.host, network.machine(*id))) job.called.try_emplace(*id, entry.host);
    if (ranks_per_machine != 0 && has_ranks[*id]) continue;
    has_ranks[*id] = true;
    const std::uint32_t ranks = ranks_per_machine != 0 ? ranks_per_machine : std::max(entry.slots, 1U);
    if (auto added = add_ranks(job, *id, ranks, file); !added) return Failure(added.error());
  }
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
  std::vector<std::uint32_t> ranks_before(network.machines().size(), 0);
  std::vector<PortId> endpoints;
  endpoints.reserve(job.rank_count());
  for (const MachineId machine : job.machine_of_rank) {
    endpoints.push_back(endpoint_of(network, network.machine(machine), ranks_before[machine]++));
  }
  return endpoints;
}

}  // namespace ayatori
