// Where the nodes of the job are in the network. What it says changes which schedules are made, never whether they are
// right: all ranks get the same answer from process 0.
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "ayatori/base/text.hpp"
#include "ayatori/network/job.hpp"
#include "ayatori/network/plane_network.hpp"
#include "ayatori/sources/host_environment.hpp"
#include "ayatori/sources/source.hpp"
#include "networks.hpp"
#include "nodes.hpp"

namespace ayatori::plugin {

namespace {

const HostEnvironment surroundings{.variable = [](const char* name) -> const char* { return std::getenv(name); }};

/// On process 0. Reading a live fabric takes longer than a program should wait in MPI_Init, unless it is asked for.
std::string source_here() {
  const char* const named = std::getenv("NWTOPO_SOURCE");
  if (named != nullptr && *named != '\0') return named;
  std::string found = automatic_source(surroundings);
  return found == "ib:live" ? "" : found;
}

Result<Job> job_of(const Network& network, const Process& process, const std::vector<std::string>& hosts) {
  const std::size_t machines = process.placement.machine_count();
  if (process.settings.ranks_per_machine > 0) return contiguous_job(network, machines, 1);
  std::vector<HostEntry> entries;
  for (const std::string& host : hosts) entries.push_back({host, 1, 0});
  auto job = place_job(network, entries, "the job's nodes", 1, RankOrder::as_given);
  if (job && job->rank_count() != machines) return fail("several nodes have the same name");
  return job;
}

/// One number after the other, as text.
std::string placement_text(const Placement& placement, bool collectives_are_apart) {
  std::string text = collectives_are_apart ? "1\n" : "0\n";
  const auto add = [&](const auto& list) {
    text += fmt::format("{}", list.size());
    for (const auto& one : list) text += fmt::format(" {}", static_cast<std::uint32_t>(one));
    text += '\n';
  };
  add(placement.group);
  add(placement.gateway);
  add(placement.dimensions);
  add(placement.periodic);
  add(placement.point);
  return text;
}

void take_words(std::string_view text, Process& process) {
  LineReader lines(text);
  process.collectives_are_apart = lines.next() == "1";
  Placement& placement = process.placement;
  const auto take = [&](auto& list) {
    const auto line = lines.next();
    if (!line) return;
    list.clear();
    const auto words = split(*line, ' ');
    for (const auto word : std::span(words).subspan(1)) {
      list.push_back(parse_unsigned<std::uint32_t>(word).value_or(0));
    }
  };
  take(placement.group);
  take(placement.gateway);
  take(placement.dimensions);
  take(placement.periodic);
  take(placement.point);
}

/// Whether messages between two processes, and so all that the MPI sends, may take a network that is not for
/// collectives.
bool are_collectives_apart(const Network& network) {
  return std::ranges::any_of(network.planes(), [](const Plane& plane) {
    return plane.use.carries(Purpose::neighbours) && !plane.use.carries(Purpose::collectives);
  });
}

/// What process 0 finds out for all.
struct Found {
  std::string placement;
  std::vector<std::string> paths;  ///< as paths_of_machines()
};

Result<Found> find_placement(const std::string& source, const Process& process, const std::vector<std::string>& hosts) {
  const char* const aliases = std::getenv("AYATORI_ALIASES");
  const auto whole = open_source(source, {.aliases = aliases == nullptr ? "" : aliases});
  if (!whole) return Failure(whole.error());
  const bool are_apart = are_collectives_apart(*whole);
  const auto network = network_for(*whole, Purpose::collectives);
  if (!network) return Failure(network.error());
  const auto job = job_of(*network, process, hosts);
  if (!job) return Failure(job.error());
  Found found{placement_text(placement_of_job(*network, *job), are_apart), {}};
  if (process.settings.sockets) found.paths = paths_of_machines(*network, *job);
  return found;
}

}  // namespace

void add_topology(Process& process) {
  const std::string source = shared_text(process.rank == 0 ? source_here() : "");
  if (source.empty()) return;
  const auto hosts = hosts_of_machines(process);
  Found found;
  if (process.rank == 0) {
    auto here = find_placement(source, process, hosts);
    if (here) {
      found = std::move(*here);
      explain(fmt::format("the network is {}", source));
    } else {
      report(fmt::format("the network is not used: {}", in_words(here.error())));
    }
  }
  const std::string words = shared_text(std::move(found.placement));
  if (words.empty()) return;
  take_words(words, process);
  if (process.settings.sockets && process.placement.machine_count() > 1) join_networks(process, found.paths);
  if (process.sockets == nullptr) process.collectives_are_apart = false;
}

}  // namespace ayatori::plugin
