#include <fmt/core.h>

#include "ayatori/flow/paths.hpp"
#include "ayatori/network/shape.hpp"
#include "default_rate.hpp"

namespace ayatori {

namespace {

class GridPaths final : public Paths {
 public:
  GridPaths(std::vector<std::uint32_t> dimensions, std::vector<bool> periodic,
            std::vector<std::uint32_t> machine_of_rank, std::vector<std::uint32_t> point_of_machine,
            const LinkDefaults& links)
      : length_(std::move(dimensions)),
        periodic_(std::move(periodic)),
        machine_of_rank_(std::move(machine_of_rank)),
        point_of_machine_(std::move(point_of_machine)),
        links_(links),
        stride_(length_.size(), 1) {
    for (std::size_t d = length_.size(); d-- > 1;) stride_[d - 1] = stride_[d] * length_[d];
    points_ = length_.empty() ? 1 : stride_[0] * length_[0];
  }

  [[nodiscard]] std::size_t link_count() const override { return std::size_t{points_} * length_.size() * 2; }
  [[nodiscard]] double bytes_per_second(std::uint32_t) const override {
    return links_.bytes_per_second > 0 ? links_.bytes_per_second : default_bytes_per_second();
  }
  [[nodiscard]] double latency(std::uint32_t) const override { return links_.latency; }
  [[nodiscard]] Rank participant_count() const override { return static_cast<Rank>(machine_of_rank_.size()); }
  [[nodiscard]] std::uint32_t machine(Rank participant) const override { return machine_of_rank_[participant]; }
  [[nodiscard]] std::uint32_t machine_count() const override {
    return static_cast<std::uint32_t>(point_of_machine_.size());
  }

  /// "(0,3) +1": from this point upwards in dimension 1.
  [[nodiscard]] std::string name(std::uint32_t link) const override {
    const auto dimensions = static_cast<std::uint32_t>(length_.size());
    const std::uint32_t point = link / 2 / dimensions;
    std::string coordinates;
    for (std::size_t d = 0; d < dimensions; ++d) {
      coordinates += fmt::format("{}{}", d == 0 ? "" : ",", coordinate(point, d));
    }
    return fmt::format("({}) {}{}", coordinates, link % 2 == 0 ? '+' : '-', link / 2 % dimensions);
  }

  void path(Rank from, Rank to, std::vector<std::uint32_t>& links) const override {
    links.clear();
    std::uint32_t here = point_of_machine_[machine_of_rank_[from]];
    const std::uint32_t goal = point_of_machine_[machine_of_rank_[to]];
    for (std::size_t d = 0; d < length_.size(); ++d) {
      const bool up = upwards(coordinate(here, d), coordinate(goal, d), d);
      while (coordinate(here, d) != coordinate(goal, d)) {
        links.push_back(static_cast<std::uint32_t>((here * length_.size() + d) * 2 + (up ? 0 : 1)));
        here = neighbour(here, d, up);
      }
    }
  }

 private:
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t point, std::size_t d) const {
    return point / stride_[d] % length_[d];
  }

  [[nodiscard]] bool upwards(std::uint32_t from, std::uint32_t to, std::size_t d) const {
    if (!periodic_[d]) return from < to;
    const std::uint32_t up = (to + length_[d] - from) % length_[d];
    return up <= length_[d] - up;
  }

  [[nodiscard]] std::uint32_t neighbour(std::uint32_t point, std::size_t d, bool up) const {
    const std::uint32_t now = coordinate(point, d);
    const std::uint32_t next = (now + (up ? 1 : length_[d] - 1)) % length_[d];
    return point - now * stride_[d] + next * stride_[d];
  }

  std::vector<std::uint32_t> length_;
  std::vector<bool> periodic_;
  std::vector<std::uint32_t> machine_of_rank_;
  std::vector<std::uint32_t> point_of_machine_;
  LinkDefaults links_;
  std::vector<std::uint32_t> stride_;
  std::uint32_t points_ = 1;
};

Failure differ(const Network& network, std::string_view what, PortId a, const std::string& of_a, PortId b,
               const std::string& of_b) {
  return fail("links of this grid have different {}: {} at {}, {} at {}", what, network.describe_link(a), of_a,
              network.describe_link(b), of_b);
}

/// What all cables between routers have, and where the network does not tell, what `links` say.
Result<LinkDefaults> common_links(const Network& network, LinkDefaults links) {
  std::optional<PortId> first;
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (port.peer == no_id || !network.is_router(port.device) || !network.is_router(network.port(port.peer).device)) {
      continue;
    }
    if (!first) first = id;
    const Port& other = network.port(*first);
    if (links.bytes_per_second == 0 && port.rate != other.rate)
      return differ(network, "rates", *first, to_string(other.rate), id, to_string(port.rate));
    if (port.latency != other.latency)
      return differ(network, "latencies", *first, fmt::format("{} ns", other.latency), id,
                    fmt::format("{} ns", port.latency));
  }
  if (!first) return links;
  const Port& port = network.port(*first);
  if (links.bytes_per_second == 0 && port.rate.known()) links.bytes_per_second = port.rate.bytes_per_second();
  if (port.latency != 0) links.latency = port.latency * 1e-9;
  return links;
}

}  // namespace

std::unique_ptr<Paths> grid_paths(std::vector<std::uint32_t> dimensions, std::vector<bool> periodic,
                                  std::vector<std::uint32_t> machine_of_rank,
                                  std::vector<std::uint32_t> point_of_machine, const LinkDefaults& links) {
  return std::make_unique<GridPaths>(std::move(dimensions), std::move(periodic), std::move(machine_of_rank),
                                     std::move(point_of_machine), links);
}

Result<std::unique_ptr<Paths>> grid_paths_of_job(const Network& network, const Job& job, const LinkDefaults& links) {
  auto grid = machine_grid(network);
  if (!grid) return fail("the machines of this network form no grid");
  const auto common = common_links(network, links);
  if (!common) return Failure(common.error());
  for (const MachineId machine : job.machine_of_rank) {
    if (grid->point[machine] == no_id) return fail("{} has no cable", network.machine(machine).name);
  }
  std::vector<std::uint32_t> machine_of_rank(job.machine_of_rank.begin(), job.machine_of_rank.end());
  return grid_paths(std::move(grid->dimensions), std::move(grid->periodic), std::move(machine_of_rank),
                    std::move(grid->point), *common);
}

}  // namespace ayatori
