// Caches: refused, or every answer can be had. The checksums are put right in half of the inputs, so that the checks
// after them are reached.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "ayatori/topology/image.hpp"
#include "image_checksums.hpp"
#include "require.hpp"

using namespace ayatori;

namespace {

/// Forged numbers may say that there is much; some of it is enough.
constexpr std::uint64_t enough = 64;

void walk(const Topology& topology, ObjectId id) {
  std::uint64_t sum = topology.height(id) + topology.nic_count(id) + topology.machine_index(id);
  require(topology.kind(id) <= ObjectKind::graph);
  const std::string name = topology.name(id);
  if (const auto found = topology.find(name)) sum += *found;
  for (std::uint32_t i = 0; i < std::min<std::uint64_t>(enough, topology.parent_count(id)); ++i) {
    sum += topology.parent(id, i);
  }
  const std::uint64_t children = topology.child_count(id);
  for (std::uint64_t i = 0; i < std::min(enough, children); ++i) {
    const ObjectId child = topology.child(id, i);
    if (const GridShape* shape = topology.grid(id)) require(topology.grid_point(id, child) < shape->points());
  }
  if (children > 0) sum += topology.child(id, children - 1);
  if (const GridShape* shape = topology.grid(id)) {
    for (std::uint64_t point = 0; point < std::min(enough, shape->points()); ++point) {
      sum += topology.grid_child(id, point);
    }
  }
  for (std::uint32_t i = 0; i < std::min<std::uint64_t>(enough, topology.link_count(id)); ++i) {
    const TopologyLink link = topology.link(id, i);
    require(link.plane == 0 || link.plane < topology.planes().size());
    sum += link.to + static_cast<std::uint64_t>(link.rate.bytes_per_second()) + to_string(link.rate).size();
  }
  volatile std::uint64_t kept = sum;
  (void)kept;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::uint64_t> aligned(size / 8 + 1);
  std::memcpy(aligned.data(), data, size);
  auto* bytes = reinterpret_cast<std::byte*>(aligned.data());
  const std::span<const std::byte> image(bytes, size);
  if (size > 0 && (data[size - 1] & 1) == 0) put_checksums_right({bytes, size});
  const auto topology = open_image(image, "fuzz");
  if (!topology) {
    require(!topology.error().message.empty());
    return 0;
  }
  const Topology& opened = **topology;
  for (std::uint64_t i = 0; i < std::min(enough, opened.machine_count()); ++i) (void)opened.machine(i);
  for (std::uint32_t height = 0; height <= std::min<std::uint64_t>(enough, opened.max_height()); ++height) {
    for (std::uint64_t i = 0; i < std::min(enough, opened.count_at(height)); ++i)
      walk(opened, opened.object_at(height, i));
  }
  for (ObjectId id = 0; id < std::min(enough, opened.id_end()); ++id) {
    if (opened.contains(id)) walk(opened, id);
  }
  for (const Plane& plane : opened.planes()) require(PlaneUse::from_bits(plane.use.bits()).has_value());
  for (const std::string& warning : opened.warnings()) require(warning.size() < size);
  for (std::uint64_t i = 0; i < std::min(enough, opened.machine_count()); ++i) {
    require(transit_of(opened).contains(opened.machine(i)));
  }
  return 0;
}
