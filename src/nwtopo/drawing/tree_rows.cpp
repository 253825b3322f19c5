#include <algorithm>
#include <map>

#include "ayatori/base/text.hpp"
#include "layout.hpp"

namespace ayatori::drawing {

namespace {

/// Sorts a row by the position of the first router of each part, keeping the order within a part.
void keep_together(Row& row, Partition& parts, const Row& reference) {
  std::map<std::uint32_t, std::size_t> first;
  for (std::size_t i = 0; i < reference.size(); ++i) first.try_emplace(parts.root(reference[i]), i);
  std::ranges::stable_sort(row, {}, [&](DeviceId router) {
    const auto found = first.find(parts.root(router));
    return found == first.end() ? reference.size() : found->second;
  });
}

/// The parts that the cables between two levels make.
Partition parts_at(const Scene& scene, const Levels& levels, std::size_t level) {
  Partition parts(scene.size());
  for (const CableBundle& bundle : scene.bundles) {
    const auto [low, high] = std::minmax(levels[bundle.from], levels[bundle.to]);
    if (low == level && high == level + 1) parts.join(bundle.from, bundle.to);
  }
  return parts;
}

/// Leaves that have NICs of the same machines: the rails of a scalable unit.
Partition parts_by_machine(const Network& network, const Scene& scene) {
  Partition parts(scene.size());
  std::map<MachineId, DeviceId> first_router;
  for (DeviceId router = 0; router < scene.size(); ++router) {
    for (const PortId endpoint : scene.endpoints[router]) {
      const MachineId machine = network.device(network.port(endpoint).device).machine;
      const auto [at, is_new] = first_router.try_emplace(machine, router);
      if (!is_new) parts.join(router, at->second);
    }
  }
  return parts;
}

std::vector<Cluster> runs(std::size_t count, std::size_t max_clusters) {
  std::size_t length = (count + max_clusters - 1) / max_clusters;
  for (std::size_t longer = length; longer < 2 * length; ++longer) {  // without a rest, if possible
    if (count % longer == 0) {
      length = longer;
      break;
    }
  }
  std::vector<Cluster> found;
  for (std::size_t i = 0; i < count; i += length) found.push_back({i, std::min(i + length, count)});
  return found;
}

}  // namespace

std::vector<Row> tree_rows(const Network& network, const Scene& scene, const Levels& levels) {
  std::vector<Row> rows(std::size_t{*std::ranges::max_element(levels)} + 1);
  for (DeviceId i = 0; i < scene.size(); ++i) rows[levels[i]].push_back(i);
  const auto by_name = [&](auto a, auto b) { return natural_less(scene.names[a], scene.names[b]); };
  for (Row& row : rows) std::ranges::stable_sort(row, by_name);
  Partition units = parts_by_machine(network, scene);
  keep_together(rows[0], units, Row(rows[0]));
  for (std::size_t level = 0; level + 1 < rows.size(); ++level) {
    Partition parts = parts_at(scene, levels, level);
    if (level == 0) keep_together(rows[0], parts, Row(rows[0]));
    keep_together(rows[level + 1], parts, rows[level]);
  }
  return rows;
}

std::vector<Row> parts_between(const Scene& scene, const Row& lower, const Row& upper) {
  std::vector<int> side(scene.size(), 0);
  for (const DeviceId router : lower) side[router] = 1;
  for (const DeviceId router : upper) side[router] = 2;
  Partition partition(scene.size());
  for (const CableBundle& bundle : scene.bundles) {
    if (side[bundle.from] + side[bundle.to] == 3 && side[bundle.from] != 0 && side[bundle.to] != 0) {
      partition.join(bundle.from, bundle.to);
    }
  }
  std::map<std::uint32_t, std::size_t> index_of;
  std::vector<Row> parts;
  for (const Row* row : {&lower, &upper}) {
    for (const DeviceId router : *row) {
      const auto [at, is_new] = index_of.try_emplace(partition.root(router), parts.size());
      if (is_new) parts.emplace_back();
      parts[at->second].push_back(router);
    }
  }
  return parts;
}

std::vector<Cluster> clusters_of_row(const Scene& scene, const std::vector<Row>& rows, std::size_t level,
                                     std::size_t max_clusters) {
  const Row& row = rows[level];
  if (level == 0) return runs(row.size(), max_clusters);
  std::vector<bool> in_row(scene.size());
  for (const DeviceId router : row) in_row[router] = true;
  std::vector<Cluster> found;
  std::size_t at = 0;
  for (const Row& part : parts_between(scene, rows[level - 1], row)) {
    const auto size = static_cast<std::size_t>(std::ranges::count_if(part, [&](DeviceId id) { return in_row[id]; }));
    if (size > 0) found.push_back({at, at + size});
    at += size;
  }
  return found.size() > 1 && found.size() <= max_clusters ? found : runs(row.size(), max_clusters);
}

}  // namespace ayatori::drawing
