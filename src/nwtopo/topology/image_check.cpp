#include "image_check.hpp"

namespace ayatori::image {

namespace {

/// Queries keep arrays by id.
constexpr std::uint64_t max_id = std::uint64_t{1} << 32;

class ImageCheck {
 public:
  explicit ImageCheck(const Arrays& reader)
      : image_(reader),
        machines_(reader.header.machines),
        objects_(reader.header.objects),
        first_group_(objects_ - static_cast<std::uint32_t>(reader.groups.size())) {}

  [[nodiscard]] Result<> check();

 private:
  [[nodiscard]] bool names_fit() const;
  [[nodiscard]] bool ids_fit() const;
  [[nodiscard]] bool heights_fit() const;
  [[nodiscard]] bool links_belong_to_objects();
  [[nodiscard]] bool links_fit() const;
  [[nodiscard]] bool relatives_fit();
  [[nodiscard]] bool relatives_fit(std::uint32_t object);
  [[nodiscard]] bool listed_relatives_fit(std::uint32_t object, std::uint32_t begin, std::uint32_t count,
                                          bool above) const;
  [[nodiscard]] bool nics_fit() const;
  [[nodiscard]] bool lists_fit() const;
  [[nodiscard]] bool groups_fit() const;
  [[nodiscard]] bool groups_above_fit() const;
  [[nodiscard]] bool members_fit(std::uint32_t group) const;
  [[nodiscard]] bool points_fit(std::uint32_t group) const;

  [[nodiscard]] std::uint32_t height(std::uint32_t object) const {
    return object < machines_ ? 0 : image_.others[object - machines_].height;
  }

  /// Virtual objects have no links; of machines, `below` says something else.
  [[nodiscard]] std::uint32_t children(std::uint32_t object) const {
    return object < machines_ ? 0 : image_.below[object];
  }

  const Arrays& image_;
  const std::uint32_t machines_;
  const std::uint32_t objects_;
  const std::uint32_t first_group_;
  std::vector<std::uint32_t> owner_;  // by link
  std::vector<std::uint32_t> seen_;   // by object: 1 + the last object that it was a neighbour of
};

bool ImageCheck::names_fit() const {
  std::uint32_t end = 0;
  for (std::size_t i = 0; i < image_.name_ends.size(); ++i) {
    if (image_.name_ends[i] < end) return false;
    end = image_.name_ends[i];
  }
  if (end > image_.names.size() || image_.name_order.size() != first_group_) return false;
  for (std::size_t i = 0; i < image_.name_order.size(); ++i) {
    if (image_.name_order[i] >= first_group_) return false;
  }
  return true;
}

bool ImageCheck::ids_fit() const {
  const auto ids = image_.ids.span();
  const bool rises = std::ranges::adjacent_find(ids, std::ranges::greater_equal{}) == ids.end();
  return rises && (ids.empty() || ids.back() < max_id);
}

/// Every object but machines once, by height, then by number.
bool ImageCheck::heights_fit() const {
  const auto ends = image_.height_ends.span();
  if (ends.size() > max_heights || !std::ranges::is_sorted(ends)) return false;
  if ((ends.empty() ? 0 : ends.back()) != image_.by_height.size()) return false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t place = begin; place < ends[i]; ++place) {
      const std::uint32_t object = image_.by_height[place];
      if (object < machines_ || object >= objects_ || height(object) != i + 1) return false;
      if (place > begin && object <= image_.by_height[place - 1]) return false;
    }
    begin = ends[i];
  }
  for (std::uint32_t object = machines_; object < objects_; ++object) {
    const auto kind = static_cast<ObjectKind>(image_.others[object - machines_].kind);
    const bool is_group = kind == ObjectKind::grid || kind == ObjectKind::full || kind == ObjectKind::graph;
    if (object < first_group_ ? kind != ObjectKind::router : !is_group) return false;
  }
  return true;
}

bool ImageCheck::links_belong_to_objects() {
  if (image_.first_links[0] != 0 || image_.first_links[objects_] != image_.links.size()) return false;
  owner_.resize(image_.links.size());
  for (std::uint32_t object = 0; object < objects_; ++object) {
    const std::uint32_t begin = image_.first_links[object];
    const std::uint32_t end = image_.first_links[object + 1];
    if (begin > end || end > image_.links.size()) return false;
    if (object >= first_group_ && begin != end) return false;
    std::fill(owner_.begin() + begin, owner_.begin() + end, object);
  }
  for (std::size_t i = 0; i < image_.owners.size(); ++i) {
    if (image_.owners[i] != owner_[i * owner_stride]) return false;
  }
  return true;
}

bool ImageCheck::links_fit() const {
  const auto kinds = image_.kinds.span();
  for (std::uint32_t i = 0; i < image_.links.size(); ++i) {
    const std::uint32_t back = image_.links[i];
    if (back >= image_.links.size() || image_.links[back] != i || image_.link_kinds[i] >= kinds.size()) return false;
    const LinkKind& kind = kinds[image_.link_kinds[i]];
    // A cable is up or taken out in both directions: searches start at either end.
    if (image_.link_kinds[back] >= kinds.size() || kind.state != kinds[image_.link_kinds[back]].state) return false;
    const std::uint16_t nic = kind.nic;
    if (nic == no_nic_number) continue;
    if (owner_[i] >= machines_ || nic >= image_.machine_kind(owner_[i]).nics) return false;
  }
  return std::ranges::all_of(image_.kinds.span(), [&](const LinkKind& kind) {
    return kind.plane < image_.header.planes && kind.speed <= static_cast<std::uint8_t>(LaneSpeed::xdr) &&
           kind.state <= static_cast<std::uint8_t>(LinkState::taken_out);
  });
}

bool ImageCheck::nics_fit() const {
  const auto kind_fits = [&](const MachineKind& kind) {
    return image_.nic_kinds.part(kind.first_nic, kind.nics).size() == kind.nics;
  };
  const auto nic_fits = [&](const NicKind& nic) {
    return nic.plane < image_.header.planes && (nic.device == none || nic.device < image_.header.devices);
  };
  if (!std::ranges::all_of(image_.machine_kinds.span(), kind_fits)) return false;
  if (!std::ranges::all_of(image_.nic_kinds.span(), nic_fits)) return false;
  std::uint64_t nics = 0;
  for (std::uint32_t machine = 0; machine < machines_; ++machine) {
    if (image_.below[machine] >= image_.machine_kinds.size()) return false;
    if (machine % nic_stride == 0 && image_.nic_starts[machine / nic_stride] != nics) return false;
    nics += image_.machine_kind(machine).nics;
  }
  if (nics != image_.header.nics) return false;
  const std::uint64_t guids = nics + first_group_ - machines_;
  for (std::size_t i = 0; i < image_.guid_blocks.size(); ++i) {
    const GuidBlock block = image_.guid_blocks[i];
    const std::uint64_t count = std::min<std::uint64_t>(guid_stride, guids - i * guid_stride);
    if (block.start == none) continue;
    const bool is_wide = block.start >= wide_start;
    const std::uint64_t end = (is_wide ? block.start - wide_start : block.start) + count;
    if (end > (is_wide ? image_.wide_guids.size() : image_.guid_offsets.size())) return false;
  }
  return true;
}

/// Lists are those of the objects that say that they have one, as long as what they list.
bool ImageCheck::lists_fit() const {
  const auto starts = image_.list_starts.span();
  if (starts.front() != 0 || starts.back() != image_.neighbours.size()) return false;
  std::size_t next = 0;
  for (std::uint32_t object = 0; object < objects_; ++object) {
    if ((image_.above[object] & has_list) == 0) continue;
    const std::size_t relatives = children(object) + image_.parents(object);
    if (next == image_.listed.size() || image_.listed[next] != object) return false;
    if (starts[next] > starts[next + 1] || starts[next + 1] - starts[next] != relatives) return false;
    ++next;
  }
  return next == image_.listed.size();
}

/// Some of the neighbours that an object lists: by rising number, and all above it, or all below.
bool ImageCheck::listed_relatives_fit(std::uint32_t object, std::uint32_t begin, std::uint32_t count,
                                      bool above) const {
  const std::uint32_t first = image_.first_links[object];
  const std::uint32_t links = image_.first_links[object + std::size_t{1}] - first;
  std::uint32_t last = none;
  for (std::uint32_t place = begin; place < begin + count; ++place) {
    const std::uint32_t link = image_.link_to_relative(object, place);
    if (link >= links) return false;
    const std::uint32_t neighbour = owner_[image_.links[std::size_t{first} + link]];
    if (last != none && neighbour <= last) return false;
    if (above ? height(neighbour) <= height(object) : height(neighbour) >= height(object)) return false;
    last = neighbour;
  }
  return true;
}

/// It lists all of them, too.
bool ImageCheck::relatives_fit(std::uint32_t object) {
  std::uint32_t lower = 0;
  std::uint32_t higher = 0;
  for (std::uint32_t i = image_.first_links[object]; i < image_.first_links[object + std::size_t{1}]; ++i) {
    const std::uint32_t neighbour = owner_[image_.links[i]];
    if (seen_[neighbour] == object + 1) continue;
    seen_[neighbour] = object + 1;
    lower += height(neighbour) < height(object) ? 1 : 0;
    higher += height(neighbour) > height(object) ? 1 : 0;
  }
  const std::uint32_t below = children(object);
  const std::uint32_t above = image_.parents(object);
  return lower == below && higher == above && listed_relatives_fit(object, 0, below, false) &&
         listed_relatives_fit(object, below, above, true);
}

bool ImageCheck::relatives_fit() {
  seen_.resize(objects_);
  for (std::uint32_t object = 0; object < objects_; ++object) {
    if (!relatives_fit(object)) return false;
  }
  return true;
}

bool ImageCheck::points_fit(std::uint32_t number) const {
  const Group group = image_.groups[number];
  const auto shape = image_.shape(group.first_dimension, group.dimensions, group.dense != 0);
  const auto points = image_.member_points.part(group.first_member, group.members);
  const auto order = image_.by_point.part(group.first_member, group.members);
  if (!shape || points.size() != group.members || order.size() != group.members) return false;
  if (shape->dense != (shape->points() == group.members)) return false;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= points.size() || points[order[i]] >= shape->points()) return false;
    if (i > 0 && points[order[i]] <= points[order[i - 1]]) return false;
  }
  return true;
}

bool ImageCheck::members_fit(std::uint32_t number) const {
  const Group group = image_.groups[number];
  const auto members = image_.members.part(group.first_member, group.members);
  if (members.size() != group.members || members.empty()) return false;
  if (std::ranges::adjacent_find(members, std::ranges::greater_equal{}) != members.end()) return false;
  return std::ranges::all_of(members, [&](std::uint32_t member) {
    return member < group.object && height(member) < height(group.object) &&
           std::ranges::binary_search(image_.groups_above_of(member), number);
  });
}

/// Groups are the last objects, and know of each object that names them.
bool ImageCheck::groups_fit() const {
  std::size_t members = 0;
  for (std::uint32_t i = 0; i < image_.groups.size(); ++i) {
    if (image_.groups[i].object != first_group_ + i || !members_fit(i)) return false;
    const auto kind = static_cast<ObjectKind>(image_.others[first_group_ + i - machines_].kind);
    if (kind == ObjectKind::grid ? !points_fit(i) : image_.groups[i].dimensions != 0) return false;
    members += image_.groups[i].members;
  }
  return members == image_.groups_above.size();
}

/// Every object's list of groups rises, and no list is longer than its part.
bool ImageCheck::groups_above_fit() const {
  const auto starts = image_.group_starts.span();
  if (starts.empty()) return image_.groups_above.empty();
  if (!std::ranges::is_sorted(starts) || starts.front() != 0 || starts.back() != image_.groups_above.size())
    return false;
  for (std::uint32_t object = 0; object < objects_; ++object) {
    const auto above = image_.groups_above_of(object);
    if (std::ranges::adjacent_find(above, std::ranges::greater_equal{}) != above.end()) return false;
    if (!above.empty() && above.back() >= image_.groups.size()) return false;
  }
  return true;
}

Result<> ImageCheck::check() {
  if (!names_fit()) return fail("its names do not fit together");
  const auto is_use = [](std::uint8_t bits) { return PlaneUse::from_bits(bits).has_value(); };
  if (!std::ranges::all_of(image_.plane_uses.span(), is_use)) return fail("its planes are for nothing that is known");
  if (image_.header.form == Form::formula) return {};
  if (!ids_fit()) return fail("its ids do not rise, or are too large");
  if (!heights_fit()) return fail("its objects are not listed once each by their heights");
  if (!links_belong_to_objects()) return fail("its links do not belong to its objects");
  if (!nics_fit()) return fail("its NICs do not belong to its machines");
  if (!links_fit()) return fail("its links do not lead back, or are of no kind that it lists");
  if (!lists_fit() || !relatives_fit())
    return fail("its objects do not list the parents and children that links lead to");
  if (!groups_above_fit() || !groups_fit()) return fail("its grid, full and graph objects do not fit their children");
  return {};
}

}  // namespace

Result<> check_image(const Arrays& reader) { return ImageCheck(reader).check(); }

}  // namespace ayatori::image
