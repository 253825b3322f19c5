#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>

#include "ayatori/topology/grid.hpp"
#include "image_draft.hpp"
#include "packed_numbers.hpp"

namespace ayatori {

namespace {

using image::Section;

/// Collects sections after the header.
class Sections {
 public:
  Sections() : bytes_(sizeof(image::Header)) {}

  image::Header header;

  template <typename Record>
  void add(Section section, std::span<const Record> records) {
    static_assert(std::is_trivially_copyable_v<Record>);
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    header.sections[static_cast<std::size_t>(section)] = {bytes_.size(), records.size()};
    const auto* first = reinterpret_cast<const std::byte*>(records.data());
    bytes_.insert(bytes_.end(), first, first + records.size_bytes());
  }
  template <typename Record>
  void add(Section section, const std::vector<Record>& records) {
    add(section, std::span<const Record>(records));
  }
  void add_numbers(const image::NumberSections& sections, std::span<const std::uint32_t> numbers) {
    const image::NumberPacking packing = image::pack(numbers);
    add(sections.blocks, packing.blocks);
    add(sections.entries(), packing.entries);
    header.*sections.format = packing.format;
  }

  std::vector<std::byte> finish() {
    header.size = bytes_.size();
    std::memcpy(bytes_.data(), &header, sizeof header);
    bytes_.shrink_to_fit();
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

void add_names(Sections& bytes, std::string names, std::span<const std::size_t> ends, std::span<const Plane> planes,
               std::span<const std::string> devices = {}, std::span<const std::string> warnings = {}) {
  std::vector<std::uint32_t> name_ends(ends.begin(), ends.end());
  const auto add = [&](const std::string& name) {
    names += name;
    name_ends.push_back(static_cast<std::uint32_t>(names.size()));
  };
  for (const Plane& plane : planes) add(plane.name);
  for (const auto& more : {devices, warnings}) std::ranges::for_each(more, add);
  bytes.header.devices = static_cast<std::uint32_t>(devices.size());
  bytes.header.warnings = static_cast<std::uint32_t>(warnings.size());
  bytes.add(Section::names, std::span<const char>(names));
  bytes.add_numbers(image::numbers::name_end, name_ends);
  bytes.header.planes = static_cast<std::uint32_t>(planes.size());
}

void add_plane_uses(Sections& bytes, std::span<const Plane> planes) {
  std::vector<std::uint8_t> uses;
  for (const Plane& plane : planes) uses.push_back(plane.use.bits());
  if (std::ranges::all_of(planes, [](const Plane& plane) { return plane.use == PlaneUse(); })) uses.clear();
  bytes.add(Section::plane_uses, uses);
}

/// The first `count` objects by name.
void add_name_order(Sections& bytes, std::string_view names, std::span<const std::size_t> ends, std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return names.substr(begin, ends[i] - begin);
  });
  bytes.add_numbers(image::numbers::name_order, order);
  bytes.header.names = static_cast<std::uint32_t>(count);
}

void add_dimensions(const GridShape& shape, std::vector<image::Dimension>& dimensions) {
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
    const std::uint32_t whole = shape.whole.empty() ? 0 : shape.whole[i];
    dimensions.push_back({shape.dimensions[i], shape.periodic[i] ? 1U : 0U, shape.reference[i], whole});
  }
}

/// Which machines have the same NICs.
struct NicKinds {
  std::vector<std::uint16_t> kind_of_machine;
  std::vector<image::MachineKind> machines;
  std::vector<image::NicKind> nics;
  std::vector<std::string> devices;
};

/// Gives machines with the same NICs a number; nothing if there are more kinds than numbers.
std::optional<NicKinds> nic_kinds_of(const ImageDraft& draft, bool with_devices) {
  NicKinds found;
  std::map<std::string, std::uint32_t> device_numbers;
  std::map<std::vector<image::NicKind>, std::uint16_t> numbers;
  std::size_t begin = 0;
  for (const std::size_t end : draft.nic_ends) {
    std::vector<image::NicKind> nics;
    for (; begin < end; ++begin) {
      const ImageDraft::Nic& nic = draft.nics[begin];
      image::NicKind kind{static_cast<std::uint16_t>(nic.rail), nic.plane, image::none};
      if (with_devices && !nic.device.empty()) {
        const auto next = static_cast<std::uint32_t>(found.devices.size());
        const auto [device, is_new] = device_numbers.try_emplace(nic.device, next);
        if (is_new) found.devices.push_back(nic.device);
        kind.device = device->second;
      }
      nics.push_back(kind);
    }
    if (numbers.size() == std::size_t{1} << 16) return std::nullopt;
    const auto [entry, is_new] = numbers.try_emplace(nics, static_cast<std::uint16_t>(numbers.size()));
    if (is_new) {
      found.machines.push_back(
          {static_cast<std::uint32_t>(found.nics.size()), static_cast<std::uint32_t>(nics.size())});
      found.nics.insert(found.nics.end(), nics.begin(), nics.end());
    }
    found.kind_of_machine.push_back(entry->second);
  }
  return found;
}

class ImageWriter {
 public:
  explicit ImageWriter(const ImageDraft& draft) : draft_(draft) {}

  [[nodiscard]] Result<std::vector<std::byte>> write();

 private:
  /// How many of an object's neighbours are its children and its parents.
  struct Relatives {
    std::uint32_t below = 0;
    std::uint32_t above = 0;  ///< has_list added if the object lists them
  };

  [[nodiscard]] Result<> check_limits() const;
  [[nodiscard]] std::size_t machines() const;
  [[nodiscard]] Result<> find_machine_kinds();
  void add_objects();
  [[nodiscard]] Relatives find_relatives_of(std::uint32_t object);
  void add_guids();
  void add_others();
  void add_links();
  void add_groups();

  const ImageDraft& draft_;
  Sections bytes_;
  std::vector<std::uint32_t> owner_;                           // by link
  std::vector<std::pair<std::uint32_t, std::uint16_t>> next_;  // neighbour and link, of the object in hand
  std::vector<std::uint16_t> relatives_;                       // links to its children, then to its parents
  std::vector<std::uint16_t> machine_kind_;                    // by machine
  std::vector<std::string> devices_;
};

std::size_t ImageWriter::machines() const {
  const auto is_machine = [](const ImageDraft::Object& object) { return object.kind == ObjectKind::machine; };
  return static_cast<std::size_t>(std::ranges::count_if(draft_.objects, is_machine));
}

Result<> ImageWriter::check_limits() const {
  constexpr std::size_t max_large = std::numeric_limits<std::uint32_t>::max() - 1;
  constexpr std::size_t max_small = std::numeric_limits<std::uint16_t>::max();
  if (draft_.objects.size() > max_large || draft_.links.size() > max_large || draft_.names.size() > max_large) {
    return fail(
        "a network of {} objects, {} links and {} bytes of names is too large for an image, which has {} at most",
        draft_.objects.size(), draft_.links.size(), draft_.names.size(), max_large);
  }
  if (draft_.planes.size() > max_small || draft_.nics.size() >= image::wide_start) {
    return fail("an image cannot have {} planes and {} NICs", draft_.planes.size(), draft_.nics.size());
  }
  for (std::size_t i = 0; i < draft_.objects.size(); ++i) {
    if (draft_.first_link[i + 1] - draft_.first_link[i] >= image::has_list) {
      return fail("an image has no object with {} links or more", image::has_list);
    }
    if (draft_.objects[i].height > image::max_heights) {
      return fail("an image has no object with more than {} levels below it", image::max_heights);
    }
  }
  for (const ImageDraft::Group& group : draft_.groups) {
    if (std::ranges::any_of(group.points, [](std::uint64_t point) { return point > max_large; })) {
      return fail("an image has no grids of more than {} points", max_large);
    }
  }
  return {};
}

/// Children, then parents: neighbours of another height, each once, by rising id. Says which link leads to each.
ImageWriter::Relatives ImageWriter::find_relatives_of(std::uint32_t object) {
  Relatives found;
  const std::size_t first = draft_.first_link[object];
  next_.clear();
  for (std::size_t i = first; i < draft_.first_link[object + 1]; ++i) {
    next_.emplace_back(owner_[draft_.links[i].back], static_cast<std::uint16_t>(i - first));
  }
  std::ranges::sort(next_);
  next_.erase(std::ranges::unique(next_, {}, [](const auto& next) { return next.first; }).begin(), next_.end());
  const std::uint32_t height = draft_.objects[object].height;
  relatives_.clear();
  if (draft_.objects[object].kind == ObjectKind::router) {
    for (const auto& [neighbour, link] : next_) {
      if (draft_.objects[neighbour].height < height) relatives_.push_back(link);
    }
    found.below = static_cast<std::uint32_t>(relatives_.size());
  }
  const std::size_t below = relatives_.size();
  for (const auto& [neighbour, link] : next_) {
    if (draft_.objects[neighbour].height > height) relatives_.push_back(link);
  }
  found.above = static_cast<std::uint32_t>(relatives_.size() - below);
  for (std::size_t i = 0; i < relatives_.size(); ++i) {
    if (relatives_[i] != i) found.above |= image::has_list;
  }
  return found;
}

void ImageWriter::add_objects() {
  std::vector<std::uint32_t> first_links(draft_.first_link.begin(), draft_.first_link.end());
  std::vector<std::uint32_t> below;
  std::vector<std::uint32_t> above;
  std::vector<std::uint32_t> listed;
  std::vector<std::uint32_t> list_starts{0};
  std::vector<std::uint32_t> neighbours;
  for (std::uint32_t i = 0; i < draft_.objects.size(); ++i) {
    const Relatives relatives = find_relatives_of(i);
    below.push_back(draft_.objects[i].kind == ObjectKind::machine ? machine_kind_[i] : relatives.below);
    above.push_back(relatives.above);
    if ((relatives.above & image::has_list) == 0) continue;
    listed.push_back(i);
    neighbours.insert(neighbours.end(), relatives_.begin(), relatives_.end());
    list_starts.push_back(static_cast<std::uint32_t>(neighbours.size()));
  }
  bytes_.add_numbers(image::numbers::first_link, first_links);
  bytes_.add_numbers(image::numbers::below, below);
  bytes_.add_numbers(image::numbers::above, above);
  bytes_.add(Section::listed, listed);
  bytes_.add(Section::list_starts, list_starts);
  bytes_.add_numbers(image::numbers::neighbour, neighbours);
  bytes_.add(Section::ids, draft_.ids);
}

void ImageWriter::add_others() {
  std::vector<image::Other> others;
  std::vector<std::uint32_t> by_height;
  for (std::size_t i = machines(); i < draft_.objects.size(); ++i) {
    const ImageDraft::Object& object = draft_.objects[i];
    others.push_back({static_cast<std::uint16_t>(object.height), static_cast<std::uint16_t>(object.kind)});
    by_height.push_back(static_cast<std::uint32_t>(i));
  }
  const auto height = [&](std::uint32_t object) { return draft_.objects[object].height; };
  std::ranges::stable_sort(by_height, {}, height);
  std::vector<std::uint32_t> ends;
  for (std::uint32_t i = 0; i < by_height.size(); ++i) {
    ends.resize(height(by_height[i]), i);
    ends.back() = i + 1;
  }
  bytes_.add(Section::others, others);
  bytes_.add_numbers(image::numbers::by_height, by_height);
  bytes_.add(Section::height_ends, ends);
}

void ImageWriter::add_links() {
  std::vector<std::uint32_t> numbers(draft_.links.size());
  std::ranges::transform(draft_.links, numbers.begin(), &ImageDraft::Link::back);
  bytes_.header.links = static_cast<std::uint32_t>(numbers.size());
  bytes_.add_numbers(image::numbers::link, numbers);
  std::ranges::transform(draft_.links, numbers.begin(), &ImageDraft::Link::kind);
  bytes_.add_numbers(image::numbers::kind, numbers);
  std::vector<std::uint32_t> owners;
  for (std::size_t i = 0; i < owner_.size(); i += image::owner_stride) owners.push_back(owner_[i]);
  bytes_.add(Section::owners, owners);
  bytes_.add(Section::kinds, draft_.kinds);
}

/// Device names are left out if they differ from machine to machine.
Result<> ImageWriter::find_machine_kinds() {
  auto found = nic_kinds_of(draft_, true);
  if (!found) found = nic_kinds_of(draft_, false);
  if (!found) return fail("the machines have more than {} different sets of NICs", std::size_t{1} << 16);
  machine_kind_ = std::move(found->kind_of_machine);
  devices_ = std::move(found->devices);
  bytes_.add(Section::machine_kinds, found->machines);
  bytes_.add(Section::nic_kinds, found->nics);
  std::vector<std::uint32_t> starts;
  for (std::size_t i = 0; i < machine_kind_.size(); i += image::nic_stride) {
    starts.push_back(static_cast<std::uint32_t>(i == 0 ? 0 : draft_.nic_ends[i - 1]));
  }
  bytes_.add(Section::nic_starts, starts);
  bytes_.header.nics = static_cast<std::uint32_t>(draft_.nics.size());
  return {};
}

/// GUIDs of a formula rise evenly; those of one maker's adapters lie within 32 bits of each other.
void ImageWriter::add_guids() {
  std::vector<Guid> guids;
  for (const ImageDraft::Nic& nic : draft_.nics) guids.push_back(nic.guid);
  guids.insert(guids.end(), draft_.router_guids.begin(), draft_.router_guids.end());
  std::vector<image::GuidBlock> blocks;
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint64_t> wide;
  constexpr std::uint64_t max_offset = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t begin = 0; begin < guids.size(); begin += image::guid_stride) {
    const auto block = std::span(guids).subspan(begin, std::min<std::size_t>(image::guid_stride, guids.size() - begin));
    const std::uint64_t step = block.size() > 1 ? block[1] - block[0] : 0;
    bool is_even = step <= max_offset;
    for (std::size_t i = 1; i < block.size(); ++i) is_even = is_even && block[i] - block[i - 1] == step;
    const auto [least, greatest] = std::ranges::minmax(block);
    if (is_even) {
      blocks.push_back({block[0], static_cast<std::uint32_t>(step), image::none});
    } else if (greatest - least <= max_offset) {
      blocks.push_back({least, 0, static_cast<std::uint32_t>(offsets.size())});
      for (const Guid guid : block) offsets.push_back(static_cast<std::uint32_t>(guid - least));
    } else {
      blocks.push_back({0, 0, static_cast<std::uint32_t>(image::wide_start + wide.size())});
      wide.insert(wide.end(), block.begin(), block.end());
    }
  }
  bytes_.add(Section::guid_blocks, blocks);
  bytes_.add(Section::guid_offsets, offsets);
  bytes_.add(Section::wide_guids, wide);
}

void ImageWriter::add_groups() {
  std::vector<image::Group> groups;
  std::vector<std::vector<std::uint32_t>> above(draft_.groups.empty() ? 0 : draft_.objects.size());
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> points;
  std::vector<std::uint32_t> by_point;
  std::vector<image::Dimension> dimensions;
  for (const ImageDraft::Group& group : draft_.groups) {
    const std::size_t first = members.size();
    groups.push_back({group.object, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(group.members.size()),
                      static_cast<std::uint32_t>(dimensions.size()),
                      static_cast<std::uint32_t>(group.shape.dimensions.size()), group.shape.dense ? 1U : 0U});
    for (const std::uint32_t member : group.members)
      above[member].push_back(static_cast<std::uint32_t>(groups.size() - 1));
    members.insert(members.end(), group.members.begin(), group.members.end());
    // Aligned with members, so that one place in both belongs to one object.
    points.resize(first);
    points.insert(points.end(), group.points.begin(), group.points.end());
    by_point.resize(first + group.points.size());
    const auto order = std::span(by_point).subspan(first);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return group.points[i]; });
    add_dimensions(group.shape, dimensions);
  }
  std::vector<std::uint32_t> group_starts;
  std::vector<std::uint32_t> groups_above;
  for (const auto& of_object : above) {
    group_starts.push_back(static_cast<std::uint32_t>(groups_above.size()));
    groups_above.insert(groups_above.end(), of_object.begin(), of_object.end());
  }
  if (!above.empty()) group_starts.push_back(static_cast<std::uint32_t>(groups_above.size()));
  bytes_.add(Section::groups, groups);
  bytes_.add(Section::group_starts, group_starts);
  bytes_.add(Section::groups_above, groups_above);
  bytes_.add(Section::members, members);
  bytes_.add(Section::member_points, points);
  bytes_.add(Section::by_point, by_point);
  bytes_.add(Section::dimensions, dimensions);
}

Result<std::vector<std::byte>> ImageWriter::write() {
  if (auto checked = check_limits(); !checked) return Failure(checked.error());
  owner_.resize(draft_.links.size());
  for (std::uint32_t i = 0; i < draft_.objects.size(); ++i) {
    std::fill(owner_.begin() + static_cast<std::ptrdiff_t>(draft_.first_link[i]),
              owner_.begin() + static_cast<std::ptrdiff_t>(draft_.first_link[i + 1]), i);
  }
  if (draft_.direct) bytes_.header.form = image::Form::direct_network;
  bytes_.header.machines = static_cast<std::uint32_t>(machines());
  bytes_.header.objects = static_cast<std::uint32_t>(draft_.objects.size());
  if (auto found = find_machine_kinds(); !found) return Failure(found.error());
  add_names(bytes_, draft_.names, draft_.name_ends, draft_.planes, devices_, draft_.warnings);
  add_name_order(bytes_, draft_.names, draft_.name_ends, draft_.objects.size() - draft_.groups.size());
  add_objects();
  add_others();
  add_links();
  add_guids();
  add_groups();
  bytes_.add(Section::transit, draft_.transit);
  add_plane_uses(bytes_, draft_.planes);
  return bytes_.finish();
}

}  // namespace

Result<std::vector<std::byte>> write_image(const ImageDraft& draft) { return ImageWriter(draft).write(); }

Result<std::vector<std::byte>> write_formula(const GridFormula& formula) {
  Sections bytes;
  bytes.header.form = image::Form::formula;
  std::string names;
  std::vector<std::size_t> ends;
  const GridShape shape{formula.dimensions, formula.periodic, std::vector<std::uint32_t>(formula.dimensions.size())};
  if (formula.name) {
    for (std::uint64_t point = 0; point < shape.points(); ++point) {
      names += formula.name(point);
      ends.push_back(names.size());
    }
    if (names.size() > image::none || ends.size() > image::none) {
      return fail("{} names of {} bytes are too many for an image", ends.size(), names.size());
    }
  }
  add_name_order(bytes, names, ends, ends.size());
  bytes.header.machines = bytes.header.objects = static_cast<std::uint32_t>(ends.size());
  const std::array<Plane, 1> plane = {Plane{formula.plane, {}}};
  add_names(bytes, std::move(names), ends, plane);
  TopologyLink link;
  link.rate = formula.rate;
  link.latency = formula.latency;
  const std::array<image::LinkKind, 1> kinds = {kind_of(link)};
  bytes.add(Section::kinds, std::span<const image::LinkKind>(kinds));
  std::vector<image::Dimension> dimensions;
  add_dimensions(shape, dimensions);
  bytes.add(Section::dimensions, dimensions);
  return bytes.finish();
}

}  // namespace ayatori
