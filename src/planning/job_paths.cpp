#include "job_paths.hpp"

#include <algorithm>

namespace ayatori {

class PathTracer {
 public:
  PathTracer(const Network& network, const Routes& routes, const JobEndpoints& nodes)
      : network_(network), routes_(routes), nodes_(nodes), index_of_port_(network.port_count(), no_id) {
    paths_.site_count_ = nodes.site_count();
    paths_.first_choice_.push_back(0);
  }

  Result<JobPaths> run() {
    for (std::uint32_t node = 0; node < nodes_.node_count(); ++node) {
      if (auto added = add_choices(node); !added) return Failure(added.error());
    }
    return std::move(paths_);
  }

 private:
  /// The routes to one LID from all sites.
  struct Candidate {
    std::vector<std::size_t> ends;
    std::vector<LinkIndex> links;
  };

  Result<> add_choices(std::uint32_t node) {
    const LidRange range = routes_.lids.of(nodes_.endpoint(node));
    const Port& port = network_.port(nodes_.endpoint(node));
    if (range.base == 0)
      return fail("'{}' port {} has no LID in these tables", network_.name(port.device), port.number);
    std::uint32_t unreached_from = no_id;
    for (std::uint32_t bits = 0; bits < range.count(); ++bits) {
      const std::uint32_t failed = follow_from_everywhere(node, static_cast<Lid>(range.base + bits));
      if (failed != no_id) {
        unreached_from = failed;
      } else if (!is_known()) {
        add(static_cast<std::uint8_t>(bits));
      }
    }
    if (paths_.path_bits_.size() == paths_.first_choice_.back()) {
      const Port& source = network_.port(source_at(unreached_from, node));
      return fail("no LID of '{}' port {} is reached from '{}' port {}", network_.name(port.device), port.number,
                  network_.name(source.device), source.number);
    }
    paths_.first_choice_.push_back(static_cast<std::uint32_t>(paths_.path_bits_.size()));
    return {};
  }

  /// Fills the candidate. Returns the first site from which nothing arrives, or no_id.
  std::uint32_t follow_from_everywhere(std::uint32_t node, Lid lid) {
    candidate_.ends.clear();
    candidate_.links.clear();
    for (std::uint32_t site = 0; site < nodes_.site_count(); ++site) {
      const PortId source = source_at(site, node);
      if (source != no_id && !follow(source, lid)) return site;
      if (site == nodes_.site(node)) candidate_.links.resize(candidate_.ends.empty() ? 0 : candidate_.ends.back());
      candidate_.ends.push_back(candidate_.links.size());
    }
    return no_id;
  }

  /// An endpoint of the site that can send to the node, if there is one.
  [[nodiscard]] PortId source_at(std::uint32_t site, std::uint32_t node) const {
    // Nodes of a site follow each other.
    std::uint32_t source = nodes_.first_node(site);
    if (source == node) ++source;
    if (source == nodes_.node_count() || nodes_.site(source) != site) return no_id;
    const auto plane = [&](std::uint32_t n) { return network_.device(network_.port(nodes_.endpoint(n)).device).plane; };
    return plane(source) == plane(node) ? nodes_.endpoint(source) : no_id;
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
    const std::size_t first_route = choice * paths_.site_count_;
    const std::size_t begin = first_route == 0 ? 0 : paths_.route_end_[first_route - 1];
    for (std::size_t site = 0; site < paths_.site_count_; ++site) {
      if (paths_.route_end_[first_route + site] - begin != candidate_.ends[site]) return false;
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
  const JobEndpoints& nodes_;
  std::vector<LinkIndex> index_of_port_;
  std::vector<PortId> trail_;
  Candidate candidate_;
  JobPaths paths_;
};

Result<JobPaths> JobPaths::traced(const Network& network, const Routes& routes, const JobEndpoints& nodes) {
  return PathTracer(network, routes, nodes).run();
}

std::uint32_t JobPaths::max_choices() const {
  std::uint32_t most = 0;
  for (std::uint32_t node = 0; node < node_count(); ++node) most = std::max(most, choice_count(node));
  return most;
}

}  // namespace ayatori
