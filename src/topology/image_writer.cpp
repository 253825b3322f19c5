#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>

#include "ayatori/topology/grid.hpp"
#include "image_draft.hpp"

namespace ayatori {

namespace {

using image::Section;

/// Collects sections behind the header.
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

  std::vector<std::byte> finish() {
    header.size = bytes_.size();
    std::memcpy(bytes_.data(), &header, sizeof header);
    bytes_.shrink_to_fit();
    return std::move(bytes_);
  }

 private:
  std::vector<std::byte> bytes_;
};

void add_names(Sections& bytes, std::string names, std::span<const std::size_t> ends,
               std::span<const std::string> planes) {
  std::vector<std::uint32_t> name_ends(ends.begin(), ends.end());
  for (const std::string& plane : planes) {
    names += plane;
    name_ends.push_back(static_cast<std::uint32_t>(names.size()));
  }
  bytes.add(Section::names, std::span<const char>(names));
  bytes.add(Section::name_ends, name_ends);
  bytes.header.planes = static_cast<std::uint32_t>(planes.size());
}

/// The first `count` objects by name.
void add_name_order(Sections& bytes, std::string_view names, std::span<const std::size_t> ends, std::size_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    return names.substr(begin, ends[i] - begin);
  });
  bytes.add(Section::name_order, order);
}

void add_dimensions(const GridShape& shape, std::vector<image::Dimension>& dimensions) {
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
    const std::uint32_t whole = shape.whole.empty() ? 0 : shape.whole[i];
    dimensions.push_back({shape.dimensions[i], shape.periodic[i] ? 1U : 0U, shape.reference[i], whole});
  }
}

class ImageWriter {
 public:
  explicit ImageWriter(const ImageDraft& draft) : draft_(draft) {}

  [[nodiscard]] Result<std::vector<std::byte>> write();

 private:
  [[nodiscard]] Result<> check_limits() const;
  [[nodiscard]] std::size_t machines() const;
  void add_objects();
  void add_neighbours_of(std::uint32_t object, image::Object& record, std::vector<std::uint16_t>& neighbours);
  void add_others();
  void add_links();
  void add_groups();

  const ImageDraft& draft_;
  Sections bytes_;
  std::vector<std::uint32_t> owner_;                           // by link
  std::vector<std::pair<std::uint32_t, std::uint16_t>> next_;  // neighbour and link, of the object in hand
};

std::size_t ImageWriter::machines() const {
  const auto is_machine = [](const ImageDraft::Object& object) { return object.kind == ObjectKind::machine; };
  return static_cast<std::size_t>(std::ranges::count_if(draft_.objects, is_machine));
}

Result<> ImageWriter::check_limits() const {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  constexpr std::size_t max_small = std::numeric_limits<std::uint16_t>::max();
  if (draft_.objects.size() >= most || draft_.links.size() >= most || draft_.names.size() >= most) {
    return fail("a network of {} objects, {} links and {} bytes of names is too large for an image: {} are the most",
                draft_.objects.size(), draft_.links.size(), draft_.names.size(), most - 1);
  }
  if (draft_.classes.size() > max_small || draft_.planes.size() > max_small) {
    return fail("an image can't have {} kinds of link and {} planes: {} are the most", draft_.classes.size(),
                draft_.planes.size(), max_small);
  }
  const auto has_large_port = [](const ImageDraft::Link& link) { return link.port > max_small; };
  if (std::ranges::any_of(draft_.links, has_large_port)) return fail("an image has no ports above {}", max_small);
  for (std::size_t i = 0; i < draft_.objects.size(); ++i) {
    if (draft_.first_link[i + 1] - draft_.first_link[i] > max_small || draft_.objects[i].nics > max_small ||
        draft_.objects[i].height > max_small) {
      return fail("an image has no object with more than {} links, NICs, or levels below it", max_small);
    }
  }
  for (const ImageDraft::Group& group : draft_.groups) {
    if (std::ranges::any_of(group.points, [](std::uint64_t point) { return point >= most; })) {
      return fail("an image has no grids of more than {} points", most);
    }
  }
  return {};
}

/// Who is above and who is below: neighbours of another height, each once, by rising id.
void ImageWriter::add_neighbours_of(std::uint32_t object, image::Object& record,
                                    std::vector<std::uint16_t>& neighbours) {
  const std::size_t first = draft_.first_link[object];
  next_.clear();
  for (std::size_t i = first; i < draft_.first_link[object + 1]; ++i) {
    next_.emplace_back(owner_[draft_.links[i].back], static_cast<std::uint16_t>(i - first));
  }
  std::ranges::sort(next_);
  next_.erase(std::ranges::unique(next_, {}, [](const auto& next) { return next.first; }).begin(), next_.end());
  const std::uint32_t height = draft_.objects[object].height;
  std::size_t place = first;
  const auto add = [&](auto is_wanted) {
    const std::size_t start = place;
    for (const auto& [neighbour, link] : next_) {
      if (is_wanted(draft_.objects[neighbour].height)) neighbours[place++] = link;
    }
    return static_cast<std::uint16_t>(place - start);
  };
  record.below = static_cast<std::uint16_t>(draft_.objects[object].nics);
  const bool is_router = draft_.objects[object].kind == ObjectKind::router;
  if (is_router) record.below = add([&](std::uint32_t there) { return there < height; });
  record.above = add([&](std::uint32_t there) { return there > height; });
}

void ImageWriter::add_objects() {
  std::vector<image::Object> objects;
  std::vector<std::uint16_t> neighbours(draft_.links.size());
  objects.reserve(draft_.objects.size() + 1);
  for (std::uint32_t i = 0; i < draft_.objects.size(); ++i) {
    image::Object record;
    record.first_link = static_cast<std::uint32_t>(draft_.first_link[i]);
    add_neighbours_of(i, record, neighbours);
    objects.push_back(record);
  }
  objects.push_back({static_cast<std::uint32_t>(draft_.links.size()), 0, 0});
  bytes_.add(Section::objects, objects);
  bytes_.add(Section::neighbours, neighbours);
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
  bytes_.add(Section::by_height, by_height);
  bytes_.add(Section::height_ends, ends);
}

void ImageWriter::add_links() {
  std::vector<image::Link> links;
  links.reserve(draft_.links.size());
  for (const ImageDraft::Link& link : draft_.links) {
    links.push_back({link.back, static_cast<std::uint16_t>(link.port), static_cast<std::uint16_t>(link.link_class)});
  }
  std::vector<std::uint32_t> owners;
  for (std::size_t i = 0; i < owner_.size(); i += image::owner_stride) owners.push_back(owner_[i]);
  bytes_.add(Section::links, links);
  bytes_.add(Section::owners, owners);
  bytes_.add(Section::classes, draft_.classes);
}

void ImageWriter::add_groups() {
  std::vector<image::Group> groups;
  std::vector<std::uint32_t> group_of;
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> points;
  std::vector<std::uint32_t> by_point;
  std::vector<image::Dimension> dimensions;
  if (!draft_.groups.empty()) group_of.assign(draft_.objects.size(), image::none);
  for (const ImageDraft::Group& group : draft_.groups) {
    const std::size_t first = members.size();
    groups.push_back({group.object, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(group.members.size()),
                      static_cast<std::uint32_t>(dimensions.size()),
                      static_cast<std::uint32_t>(group.shape.dimensions.size()), group.shape.dense ? 1U : 0U});
    for (const std::uint32_t member : group.members) group_of[member] = static_cast<std::uint32_t>(groups.size() - 1);
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
  bytes_.add(Section::groups, groups);
  bytes_.add(Section::group_of, group_of);
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
  add_names(bytes_, draft_.names, draft_.name_ends, draft_.planes);
  add_name_order(bytes_, draft_.names, draft_.name_ends, draft_.objects.size() - draft_.groups.size());
  add_objects();
  add_others();
  add_links();
  add_groups();
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
  const std::array<std::string, 1> plane = {formula.plane};
  add_names(bytes, std::move(names), ends, plane);
  TopologyLink link;
  link.rate = formula.rate;
  link.latency = formula.latency;
  const std::array<image::LinkClass, 1> classes = {class_of(link)};
  bytes.add(Section::classes, std::span<const image::LinkClass>(classes));
  std::vector<image::Dimension> dimensions;
  add_dimensions(shape, dimensions);
  bytes.add(Section::dimensions, dimensions);
  return bytes.finish();
}

}  // namespace ayatori
