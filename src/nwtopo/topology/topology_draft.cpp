#include <algorithm>

#include "image_draft.hpp"
#include "link_back.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t max_port = 0xFFFF;

class TopologyDrafter {
 public:
  explicit TopologyDrafter(const Topology& topology) : topology_(topology), kinds_(draft_.kinds) {}

  [[nodiscard]] Result<ImageDraft> draft();

 private:
  void add_objects();
  void add_nics(ObjectId machine);
  [[nodiscard]] Result<> add_links();
  void add_group(std::uint32_t object);
  [[nodiscard]] std::uint32_t index_of(ObjectId id) const {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(draft_.ids, id) - draft_.ids.begin());
  }

  const Topology& topology_;
  ImageDraft draft_;
  LinkKinds kinds_;
};

void TopologyDrafter::add_objects() {
  for (std::uint32_t height = 0; height <= topology_.max_height(); ++height) {
    const std::uint64_t count = topology_.count_at(height);
    for (std::uint64_t i = 0; i < count; ++i) draft_.ids.push_back(topology_.object_at(height, i));
  }
  std::ranges::sort(draft_.ids);
  for (const ObjectId id : draft_.ids) {
    const ObjectKind kind = topology_.kind(id);
    const bool is_machine = kind == ObjectKind::machine;
    const bool is_named = is_machine || kind == ObjectKind::router;
    draft_.add_object({kind, topology_.height(id)}, is_named ? topology_.name(id) : "");
    if (is_machine) add_nics(id);
    if (kind == ObjectKind::router) draft_.router_guids.push_back(topology_.router_guid(id));
    draft_.first_link.push_back(draft_.first_link.back() + topology_.link_count(id));
  }
}

void TopologyDrafter::add_nics(ObjectId machine) {
  const std::uint32_t count = topology_.nic_count(machine);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TopologyNic nic = topology_.nic(machine, i);
    draft_.nics.push_back({nic.rail, nic.plane, nic.guid, std::string(nic.device)});
  }
  draft_.nic_ends.push_back(draft_.nics.size());
}

Result<> TopologyDrafter::add_links() {
  std::vector<LinkEnds> ends;
  ends.reserve(draft_.first_link.back());
  draft_.links.reserve(draft_.first_link.back());
  for (const ObjectId id : draft_.ids) {
    const std::uint32_t count = topology_.link_count(id);
    for (std::uint32_t i = 0; i < count; ++i) {
      const TopologyLink link = topology_.link(id, i);
      if (link.from_port > max_port) return fail("an image has no ports above {}", max_port);
      ends.emplace_back(id, link);
      draft_.links.push_back({0, kinds_.number_of(kind_of(link))});
    }
  }
  const auto partners = pair_up(ends);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (partners[i] == no_partner) {
      return fail("the link from port {} of '{}' has no link back", ends[i].from_port, topology_.name(ends[i].from));
    }
    draft_.links[i].back = static_cast<std::uint32_t>(partners[i]);
  }
  return {};
}

void TopologyDrafter::add_group(std::uint32_t object) {
  const ObjectId id = draft_.ids[object];
  ImageDraft::Group group;
  group.object = object;
  const GridShape* shape = topology_.grid(id);
  if (shape != nullptr) group.shape = *shape;
  const std::uint64_t count = topology_.child_count(id);
  for (std::uint64_t i = 0; i < count; ++i) {
    const ObjectId child = topology_.child(id, i);
    group.members.push_back(index_of(child));
    if (shape != nullptr) group.points.push_back(topology_.grid_point(id, child));
  }
  draft_.groups.push_back(std::move(group));
}

Result<ImageDraft> TopologyDrafter::draft() {
  draft_.direct = topology_.direct();
  draft_.planes.assign(topology_.planes().begin(), topology_.planes().end());
  draft_.warnings.assign(topology_.warnings().begin(), topology_.warnings().end());
  add_objects();
  if (auto added = add_links(); !added) return Failure(added.error());
  for (std::uint32_t i = 0; i < draft_.objects.size(); ++i) {
    const ObjectKind kind = draft_.objects[i].kind;
    if (kind != ObjectKind::machine && kind != ObjectKind::router) add_group(i);
  }
  if (draft_.ids.empty() || draft_.ids.back() + 1 == draft_.ids.size()) draft_.ids.clear();
  return std::move(draft_);
}

}  // namespace

void ImageDraft::add_object(const Object& object, std::string_view name) {
  objects.push_back(object);
  names += name;
  name_ends.push_back(names.size());
}

std::uint32_t LinkKinds::number_of(const image::LinkKind& kind) {
  if (last_ < kinds_.size() && kinds_[last_] == kind) return last_;
  const auto [entry, is_new] = numbers_.try_emplace(kind, static_cast<std::uint32_t>(kinds_.size()));
  if (is_new) kinds_.push_back(kind);
  return last_ = entry->second;
}

image::LinkKind kind_of(const TopologyLink& link) {
  image::LinkKind found;
  found.megabits = link.rate.megabits;
  found.latency = link.latency;
  found.plane = link.plane;
  found.port = static_cast<std::uint16_t>(std::min<std::uint32_t>(link.from_port, max_port));
  found.nic = static_cast<std::uint16_t>(std::min<std::uint32_t>(link.from_nic, image::no_nic_number));
  found.width = link.rate.width;
  found.speed = static_cast<std::uint8_t>(link.rate.speed);
  found.state = static_cast<std::uint8_t>(link.state);
  found.degraded = link.degraded ? 1 : 0;
  return found;
}

Result<ImageDraft> draft_of(const Topology& topology) { return TopologyDrafter(topology).draft(); }

}  // namespace ayatori
