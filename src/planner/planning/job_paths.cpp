#include "job_paths.hpp"

#include <algorithm>

#include "ayatori/network/router_graph.hpp"

namespace ayatori {

class PathTracer {
 public:
  PathTracer(const Network& network, const Routes& routes, const JobEndpoints& endpoints, const SearchControl& control)
      : network_(network),
        routes_(routes),
        endpoints_(endpoints),
        control_(control),
        index_of_port_(network.port_count(), no_id) {
    paths_.leaf_count_ = endpoints.leaf_count();
    paths_.first_choice_.push_back(0);
  }

  Result<JobPaths> run() {
    for (std::uint32_t endpoint = 0; endpoint < endpoints_.endpoint_count(); ++endpoint) {
      if (auto added = add_choices(endpoint); !added) return Failure(added.error());
    }
    return std::move(paths_);
  }

 private:
  /// The routes to one LID from all leaves.
  struct Candidate {
    std::vector<std::size_t> ends;
    std::vector<LinkIndex> links;
  };

  Result<> add_choices(std::uint32_t endpoint) {
    const LidRange range = routes_.lids.of(endpoints_.port(endpoint));
    const Port& port = network_.port(endpoints_.port(endpoint));
    if (range.base == 0)
      return fail("'{}' port {} has no LID in these tables", network_.name(port.device), port.number);
    std::uint32_t unreached_from = no_id;
    for (std::uint32_t bits = 0; bits < range.count(); ++bits) {
      if (paths_.path_bits_.size() > paths_.first_choice_.back() && control_.stopped()) break;
      const std::uint32_t failed = follow_from_everywhere(endpoint, static_cast<Lid>(range.base + bits));
      if (failed != no_id) {
        unreached_from = failed;
      } else if (!is_known()) {
        add(static_cast<std::uint8_t>(bits));
      }
    }
    if (paths_.path_bits_.size() == paths_.first_choice_.back()) {
      const PortId from = source_at(unreached_from, endpoint);
      const Port& source = network_.port(from);
      if (!is_reachable(network_, from, endpoints_.port(endpoint))) {
        return fail("the job lies in several parts of the network: no cables lead from '{}' port {} to '{}' port {}",
                    network_.name(source.device), source.number, network_.name(port.device), port.number);
      }
      return fail("no LID of '{}' port {} is reached from '{}' port {}", network_.name(port.device), port.number,
                  network_.name(source.device), source.number);
    }
    paths_.first_choice_.push_back(static_cast<std::uint32_t>(paths_.path_bits_.size()));
    return {};
  }

  /// Fills the candidate. Returns the first leaf from which nothing arrives, or no_id.
  std::uint32_t follow_from_everywhere(std::uint32_t endpoint, Lid lid) {
    candidate_.ends.clear();
    candidate_.links.clear();
    for (std::uint32_t leaf = 0; leaf < endpoints_.leaf_count(); ++leaf) {
      const PortId source = source_at(leaf, endpoint);
      if (source != no_id && !follow(source, lid)) return leaf;
      if (leaf == endpoints_.leaf(endpoint))
        candidate_.links.resize(candidate_.ends.empty() ? 0 : candidate_.ends.back());
      candidate_.ends.push_back(candidate_.links.size());
    }
    return no_id;
  }

  /// An endpoint of the leaf that can send to the endpoint, if there is one.
  [[nodiscard]] PortId source_at(std::uint32_t leaf, std::uint32_t endpoint) const {
    // Nodes of a leaf follow each other.
    std::uint32_t source = endpoints_.first_endpoint(leaf);
    if (source == endpoint) ++source;
    if (source == endpoints_.endpoint_count() || endpoints_.leaf(source) != leaf) return no_id;
    const auto plane = [&](std::uint32_t n) { return network_.device(network_.port(endpoints_.port(n)).device).plane; };
    return plane(source) == plane(endpoint) ? endpoints_.port(source) : no_id;
  }

  bool follow(PortId source, Lid lid) {
    trail_.clear();
    if (!trace(network_, routes_, source, lid, [this](PortId link) { trail_.push_back(link); })) return false;
    for (std::size_t i = 1; i + 1 < trail_.size(); ++i) candidate_.links.push_back(index_of(trail_[i]));
    return true;
  }

  LinkIndex index_of(PortId port) {
    if (index_of_port_[port] == no_id) {
      index_of_port_[port] = paths_.link_count();
      paths_.port_of_link_.push_back(port);
    }
    return index_of_port_[port];
  }

  [[nodiscard]] bool is_known() const {
    for (std::size_t choice = paths_.first_choice_.back(); choice < paths_.path_bits_.size(); ++choice) {
      if (is_candidate(choice)) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_candidate(std::size_t choice) const {
    const std::size_t first_route = choice * paths_.leaf_count_;
    const std::size_t begin = first_route == 0 ? 0 : paths_.route_end_[first_route - 1];
    for (std::size_t leaf = 0; leaf < paths_.leaf_count_; ++leaf) {
      if (paths_.route_end_[first_route + leaf] - begin != candidate_.ends[leaf]) return false;
    }
    return std::equal(candidate_.links.begin(), candidate_.links.end(),
                      paths_.links_.begin() + static_cast<std::ptrdiff_t>(begin));
  }

  void add(std::uint8_t bits) {
    const std::size_t begin = paths_.links_.size();
    paths_.path_bits_.push_back(bits);
    for (const std::size_t end : candidate_.ends) paths_.route_end_.push_back(begin + end);
    paths_.links_.insert(paths_.links_.end(), candidate_.links.begin(), candidate_.links.end());
  }

  const Network& network_;
  const Routes& routes_;
  const JobEndpoints& endpoints_;
  const SearchControl& control_;
  std::vector<LinkIndex> index_of_port_;
  std::vector<PortId> trail_;
  Candidate candidate_;
  JobPaths paths_;
};

Result<JobPaths> JobPaths::traced(const Network& network, const Routes& routes, const JobEndpoints& endpoints,
                                  const SearchControl& control) {
  return PathTracer(network, routes, endpoints, control).run();
}

std::uint32_t JobPaths::max_choices() const {
  std::uint32_t most = 0;
  for (std::uint32_t endpoint = 0; endpoint < endpoint_count(); ++endpoint)
    most = std::max(most, choice_count(endpoint));
  return most;
}

std::optional<std::uint32_t> JobPaths::choice_with(std::uint32_t endpoint, std::uint8_t bits) const {
  for (std::uint32_t choice = 0; choice < choice_count(endpoint); ++choice) {
    if (path_bits(endpoint, choice) == bits) return choice;
  }
  return std::nullopt;
}

std::uint32_t JobPaths::lowest_choice(const Network& network, std::uint32_t endpoint) const {
  std::uint32_t lowest = 0;
  std::vector<std::uint64_t> least;  // by height: the sum of the port numbers by which all leaves' routes climb
  for (std::uint32_t choice = 0; choice < choice_count(endpoint); ++choice) {
    std::vector<std::uint64_t> sums;
    for (std::uint32_t leaf = 0; leaf < leaf_count_; ++leaf) {
      const auto links = route(leaf, endpoint, choice);
      sums.resize(std::max(sums.size(), links.size() / 2), 0);
      for (std::size_t height = 0; height < links.size() / 2; ++height)
        sums[height] += network.port(port(links[height])).number;
    }
    if (choice > 0 && sums >= least) continue;
    least = std::move(sums);
    lowest = choice;
  }
  return lowest;
}

}  // namespace ayatori
