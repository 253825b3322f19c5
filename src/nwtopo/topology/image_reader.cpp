#include "image_reader.hpp"

#include <cstring>
#include <limits>
#include <ranges>

#include "image_check.hpp"
#include "image_topology.hpp"

namespace ayatori::image {

namespace {

constexpr std::uint64_t max_points = (std::uint64_t{1} << 31) - 1;
constexpr std::size_t max_dimensions = 64;

Result<> check_header(const Header& header, std::span<const std::byte> bytes, std::string_view name) {
  if (header.magic != magic) return fail("{}: this is not a topology cache", name);
  if (header.byte_order == std::byteswap(byte_order)) {
    return with_hint(fail("{}: this cache was written on a machine of the other byte order", name),
                     "write it anew on a machine of this kind");
  }
  if (header.byte_order != byte_order) return fail("{}: this is not a topology cache", name);
  if (header.version != version) {
    return with_hint(fail("{}: this cache has version {}, not {}", name, header.version, version),
                     "write it anew with this release");
  }
  if (header.size != bytes.size()) {
    return fail("{}: this cache is cut off: {} bytes of {}", name, bytes.size(), header.size);
  }
  return {};
}

/// Whether arrays belong together in their lengths; check_image() compares what they say.
bool fits_together(const Arrays& reader) {
  const Header& header = reader.header;
  const std::uint64_t objects = header.objects;
  if (header.form > Form::direct_network || header.machines > objects || objects == none) return false;
  if (!reader.name_ends.is_complete() || !reader.name_order.is_complete()) return false;
  if (header.planes > std::numeric_limits<std::uint16_t>::max()) return false;
  if (!reader.plane_uses.empty() && reader.plane_uses.size() != header.planes) return false;
  if (header.form == Form::formula) return reader.kinds.size() == 1 && header.planes == 1 && header.machines == objects;
  const bool has_ids = !reader.ids.empty();
  const bool has_groups = !reader.groups.empty();
  if (reader.groups.size() > reader.others.size()) return false;
  const std::uint64_t guids = header.nics + reader.others.size() - reader.groups.size();
  const std::size_t links = reader.links.size();
  return reader.first_links.is_complete() && reader.below.is_complete() && reader.above.is_complete() &&
         reader.others.size() == objects - header.machines && reader.by_height.is_complete() && links < none &&
         reader.links.is_complete() && reader.link_kinds.is_complete() && reader.neighbours.is_complete() &&
         reader.owners.size() == (links + owner_stride - 1) / owner_stride &&
         reader.list_starts.size() == reader.listed.size() + 1 &&
         reader.nic_starts.size() == (header.machines + nic_stride - 1) / nic_stride &&
         reader.guid_blocks.size() == (guids + guid_stride - 1) / guid_stride &&
         (!has_ids || reader.ids.size() == objects) && reader.group_starts.size() == (has_groups ? objects + 1 : 0) &&
         reader.groups_above.size() == reader.members.size() && reader.member_points.size() <= reader.members.size() &&
         reader.by_point.size() <= reader.members.size() &&
         reader.height_ends.size() <= std::numeric_limits<std::uint16_t>::max();
}

/// Points an array at its section of the bytes.
class SectionTaker {
 public:
  SectionTaker(const Header& header, std::span<const std::byte> bytes) : header_(header), bytes_(bytes) {}

  template <typename Record>
  void take(Section section, Array<Record>& array) {
    const Extent extent = header_.sections[static_cast<std::size_t>(section)];
    fits_ = fits_ && extent.offset % alignof(std::uint64_t) == 0 && extent.offset <= bytes_.size() &&
            extent.count <= (bytes_.size() - extent.offset) / sizeof(Record);
    if (!fits_) return;
    array = Array(std::span(reinterpret_cast<const Record*>(bytes_.data() + extent.offset), extent.count));
  }

  void take(const NumberSections& sections, PackedNumbers& numbers, std::size_t count) {
    Array<NumberBlock> blocks;
    Array<std::uint8_t> entries;
    take(sections.blocks, blocks);
    take(sections.entries(), entries);
    numbers = {blocks, entries, header_.*sections.format, count};
  }

  [[nodiscard]] bool fits() const { return fits_; }

 private:
  const Header& header_;
  std::span<const std::byte> bytes_;
  bool fits_ = true;
};

/// False if a section does not lie within the bytes.
bool take_sections(Arrays& reader, std::span<const std::byte> bytes) {
  SectionTaker sections(reader.header, bytes);
  sections.take(Section::names, reader.names);
  const Header& header = reader.header;
  const std::size_t names = std::size_t{header.objects} + header.planes + header.devices + header.warnings;
  sections.take(numbers::name_end, reader.name_ends, names);
  sections.take(numbers::name_order, reader.name_order, header.names);
  sections.take(Section::ids, reader.ids);
  const std::size_t objects = header.form == Form::formula ? 0 : std::size_t{header.objects};
  const std::size_t with_end = header.form == Form::formula ? 0 : objects + 1;
  sections.take(numbers::first_link, reader.first_links, with_end);
  sections.take(numbers::below, reader.below, objects);
  sections.take(numbers::above, reader.above, objects);
  sections.take(Section::others, reader.others);
  sections.take(numbers::by_height, reader.by_height, reader.others.size());
  sections.take(Section::height_ends, reader.height_ends);
  sections.take(numbers::link, reader.links, header.links);
  sections.take(numbers::kind, reader.link_kinds, header.links);
  sections.take(Section::owners, reader.owners);
  sections.take(Section::kinds, reader.kinds);
  sections.take(Section::listed, reader.listed);
  sections.take(Section::list_starts, reader.list_starts);
  const std::size_t neighbours = reader.list_starts.empty() ? 0 : reader.list_starts[reader.list_starts.size() - 1];
  sections.take(numbers::neighbour, reader.neighbours, neighbours);
  sections.take(Section::machine_kinds, reader.machine_kinds);
  sections.take(Section::nic_kinds, reader.nic_kinds);
  sections.take(Section::nic_starts, reader.nic_starts);
  sections.take(Section::guid_blocks, reader.guid_blocks);
  sections.take(Section::guid_offsets, reader.guid_offsets);
  sections.take(Section::wide_guids, reader.wide_guids);
  sections.take(Section::groups, reader.groups);
  sections.take(Section::group_starts, reader.group_starts);
  sections.take(Section::groups_above, reader.groups_above);
  sections.take(Section::members, reader.members);
  sections.take(Section::member_points, reader.member_points);
  sections.take(Section::by_point, reader.by_point);
  sections.take(Section::dimensions, reader.dimensions);
  sections.take(Section::transit, reader.transit);
  sections.take(Section::plane_uses, reader.plane_uses);
  return sections.fits();
}

}  // namespace

std::string_view Arrays::name(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : name_ends[index - 1];
  const std::size_t end = name_ends[index];
  const auto part = names.part(begin, end < begin ? 0 : end - begin);
  return {part.data(), part.size()};
}

std::optional<std::uint32_t> Arrays::find(std::string_view wanted) const {
  const auto places = std::views::iota(std::size_t{0}, name_order.size());
  const auto found = std::ranges::lower_bound(places, wanted, {}, [&](std::size_t i) { return name(name_order[i]); });
  if (wanted.empty() || found == places.end()) return std::nullopt;
  const std::uint32_t object = name_order[*found];
  if (object >= header.objects || name(object) != wanted) return std::nullopt;
  return object;
}

std::vector<std::string> Arrays::names_from(std::size_t first, std::uint32_t count) const {
  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < count; ++i) found.emplace_back(name(first + i));
  return found;
}

std::vector<Plane> Arrays::planes() const {
  std::vector<Plane> found;
  for (std::string& name : names_from(header.objects, header.planes)) found.push_back({std::move(name), {}});
  for (std::size_t plane = 0; plane < plane_uses.size(); ++plane) {
    found[plane].use = PlaneUse::from_bits(plane_uses[plane]).value_or(PlaneUse());
  }
  return found;
}

std::vector<std::string> Arrays::devices() const {
  return names_from(std::size_t{header.objects} + header.planes, header.devices);
}

std::vector<std::string> Arrays::warnings() const {
  return names_from(std::size_t{header.objects} + header.planes + header.devices, header.warnings);
}

std::uint32_t Arrays::link_to_relative(std::uint32_t object, std::uint64_t place) const {
  if ((above[object] & has_list) == 0) return static_cast<std::uint32_t>(place);
  const auto all = listed.span();
  const auto entry = static_cast<std::size_t>(std::ranges::lower_bound(all, object) - all.begin());
  return neighbours[list_starts[entry] + place];
}

std::uint32_t Arrays::nics_before(std::uint32_t machine) const {
  std::uint32_t count = nic_starts[machine / nic_stride];
  for (std::uint32_t i = machine / nic_stride * nic_stride; i < machine; ++i) count += machine_kind(i).nics;
  return count;
}

std::uint64_t Arrays::guid(std::uint64_t index) const {
  const GuidBlock block = guid_blocks[index / guid_stride];
  const std::uint64_t place = index % guid_stride;
  if (block.start == none) return block.base + block.stride * place;
  if (block.start < wide_start) return block.base + guid_offsets[block.start + place];
  return wide_guids[block.start - wide_start + place];
}

Result<GridShape> Arrays::shape(std::size_t first, std::size_t count, bool dense) const {
  GridShape found;
  found.dense = dense;
  std::uint64_t points = 1;
  const auto part = dimensions.part(first, count);
  if (part.size() != count || count > max_dimensions) return fail("a grid has {} dimensions", count);
  for (const Dimension& dimension : part) {
    if (dimension.length == 0 || dimension.length > max_points / points) {
      return fail("a grid has a dimension of {}", dimension.length);
    }
    points *= dimension.length;
    found.dimensions.push_back(dimension.length);
    found.periodic.push_back(dimension.periodic != 0);
    found.reference.push_back(dimension.reference);
    if (dimension.whole != 0) found.whole.push_back(dimension.whole);
  }
  if (found.whole.size() != count) found.whole.clear();
  return found;
}

Result<Arrays> read(std::span<const std::byte> bytes, std::string_view name, bool check) {
  Arrays reader;
  Header& header = reader.header;
  if (bytes.size() < magic.size() || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0) {
    return fail("{}: this is not a topology cache", name);
  }
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof header));
  if (bytes.size() < checked_from) return fail("{}: this cache is cut off: {} bytes", name, bytes.size());
  if (auto checked = check_header(header, bytes, name); !checked) return Failure(checked.error());
  if (bytes.size() < sizeof header) return fail("{}: this cache is cut off: {} bytes", name, bytes.size());
  if (check && image_checksum(bytes) != header.checksum) {
    return with_hint(fail("{}: this cache is damaged: its checksum does not fit", name), "write it anew");
  }

  if (!take_sections(reader, bytes) || !fits_together(reader))
    return fail("{}: this cache is damaged: its sections do not fit", name);
  if (!check) return reader;
  if (auto checked = check_image(reader); !checked) {
    return fail("{}: this cache is damaged: {}", name, checked.error().message);
  }
  return reader;
}

}  // namespace ayatori::image
