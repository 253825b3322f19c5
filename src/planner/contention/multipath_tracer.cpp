#include "ayatori/contention/multipath_tracer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "ayatori/base/parallel.hpp"

namespace ayatori {

namespace {

std::string describe(const Network& network, std::span<const PortId> endpoints, Rank rank) {
  const Port& port = network.port(endpoints[rank]);
  return fmt::format("rank {} ('{}' port {})", rank, network.name(port.device), port.number);
}

}  // namespace

MultipathTracer::MultipathTracer(const Network& network, const Routes& routes, std::span<const PortId> endpoints)
    : base_lids_(std::make_unique<Plan>(Plan::base_lids(static_cast<Rank>(endpoints.size())))),
      tracer_(network, routes, endpoints, *base_lids_) {
  number_leaves(network, endpoints);
  paths_.assign(ranks_of_leaf_.size() * endpoints.size(), {1, 0});
}

Result<MultipathTracer> MultipathTracer::of(const Network& network, const Routes& routes,
                                            std::span<const PortId> endpoints, const Sends& sends) {
  for (Rank rank = 0; rank < endpoints.size(); ++rank) {
    if (routes.lids.of(endpoints[rank]).base == 0) {
      return fail("{} has no LID in these tables", describe(network, endpoints, rank));
    }
  }
  MultipathTracer tracer(network, routes, endpoints);
  const auto lost = tracer.find_paths(routes, endpoints, sends);
  if (!lost) return tracer;
  return fail("messages from {} to {} do not arrive by all of its LIDs", describe(network, endpoints, lost->from),
              describe(network, endpoints, lost->to));
}

/// A rank whose NIC is cabled to no router is a leaf of its own.
void MultipathTracer::number_leaves(const Network& network, std::span<const PortId> endpoints) {
  std::map<DeviceId, std::uint32_t> numbers;
  for (Rank rank = 0; rank < endpoints.size(); ++rank) {
    const Port& port = network.port(endpoints[rank]);
    const bool on_router = port.connected() && network.is_router(network.port(port.peer).device);
    const DeviceId leaf = on_router ? network.port(port.peer).device : port.device;
    const auto next = static_cast<std::uint32_t>(numbers.size());
    const std::uint32_t number = numbers.try_emplace(leaf, next).first->second;
    leaf_of_rank_.push_back(number);
    if (number == ranks_of_leaf_.size()) ranks_of_leaf_.emplace_back();
    ranks_of_leaf_[number].push_back(rank);
  }
}

/// From one leaf packets to one LID go the same way: one source on each leaf is enough, but not the destination itself.
std::optional<Message> MultipathTracer::find_paths(const Routes& routes, std::span<const PortId> endpoints,
                                                   const Sends& sends) {
  const auto ranks = static_cast<Rank>(endpoints.size());
  std::vector<Rank> lost_from(ranks, no_id);
  parallel_for({.count = ranks, .piece = 16}, [&](std::size_t iteration) {
    const auto to = static_cast<Rank>(iteration);
    for (const auto& sources : ranks_of_leaf_) {
      const auto elsewhere = [&](Rank from) { return endpoints[from] != endpoints[to] && (!sends || sends(from, to)); };
      const auto from = std::ranges::find_if(sources, elsewhere);
      if (from == sources.end() || find_paths(*from, to, routes.lids.of(endpoints[to]).count())) continue;
      lost_from[to] = *from;
      break;
    }
  });
  const auto lost = std::ranges::find_if(lost_from, [](Rank from) { return from != no_id; });
  if (lost == lost_from.end()) return std::nullopt;
  return Message{*lost, static_cast<Rank>(lost - lost_from.begin())};
}

bool MultipathTracer::find_paths(Rank from, Rank to, std::uint32_t lids) {
  PathBits bits = {};
  std::vector<std::vector<PortId>> known;
  for (std::uint32_t bit = 0; bit < lids; ++bit) {
    std::vector<PortId> links;
    const auto take = [&](PortId link) { links.push_back(link); };
    if (!tracer_.trace(from, to, static_cast<std::uint8_t>(bit), take)) return false;
    if (std::ranges::find(known, links) != known.end()) continue;
    known.push_back(std::move(links));
    bits[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  paths_[std::size_t{leaf_of_rank_[from]} * leaf_of_rank_.size() + to] = bits;
  return true;
}

std::uint8_t MultipathTracer::path_bits(Rank from, Rank to, std::uint32_t path) const {
  const PathBits& bits = bits_of(from, to);
  for (std::uint8_t word = 0; word < bits.size(); ++word) {
    std::uint64_t left = bits[word];
    for (; left != 0; left &= left - 1) {
      if (path-- == 0) return static_cast<std::uint8_t>(word * 64 + std::countr_zero(left));
    }
  }
  return 0;
}

}  // namespace ayatori
