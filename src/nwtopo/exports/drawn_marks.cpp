#include "drawn_marks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "writing.hpp"

namespace ayatori::exports {

namespace {

constexpr std::size_t max_named_links = 12;
constexpr std::size_t max_named_groups = 64;
constexpr std::array colours = {"g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7"};  // classes of svg.cpp's style
// Groups of one colour differ in these, as far as they go.
enum Look : std::uint8_t { filled, ring, outlined };
constexpr std::size_t look_count = 3;

}  // namespace

std::string line_symbol(std::string_view attributes) {
  return fmt::format("<path {} stroke-width=\"2\" d=\"M0 0h28\"/>", attributes);
}

DrawnMarks::DrawnMarks(const Network& network, const drawing::Drawing& drawing, const PictureMarks& marks)
    : network_(network), drawing_(drawing), marks_(marks) {
  for (std::size_t i = 0; i < marks.groups.size(); ++i) {
    for (const PortId endpoint : marks.groups[i].endpoints) {
      groups_of_[endpoint].push_back(i);
      if (!drawing.dots.empty()) continue;
      std::vector<std::size_t>& of_box = of_boxes_[drawing.box_of_router(network.router_of(endpoint))];
      if (of_box.empty() || of_box.back() != i) of_box.push_back(i);
    }
  }
  for (const PictureMarks::Link& link : marks.links) {
    Line& line = lines_[std::min(link.port, network.port(link.port).peer)];
    line.text += (line.text.empty() ? "" : "; ") + link.text;
    line.share = std::max(line.share, link.share);
    largest_share_ = std::max(largest_share_, link.share);
  }
}

std::optional<DrawnMarks::Line> DrawnMarks::line_of(const drawing::DrawnBundle& drawn) const {
  if (lines_.empty()) return std::nullopt;
  Line whole;
  for (const PortId port : drawn.ports) {
    const auto found = lines_.find(std::min(port, network_.port(port).peer));
    if (found == lines_.end()) continue;
    whole.text += (whole.text.empty() ? "" : "; ") + found->second.text;
    whole.share = std::max(whole.share, found->second.share);
  }
  if (whole.text.empty()) return std::nullopt;
  const double of_largest = largest_share_ > 0 ? whole.share / largest_share_ : 1;
  const double weight = of_largest * of_largest;  // so that few lines stand out where all of them are marked
  whole.width = std::max(drawing_.thickness, 0.8) * (0.6 + 2.4 * weight);
  whole.opacity = 0.15 + 0.85 * weight;
  return whole;
}

std::string_view DrawnMarks::colour_of_group(std::size_t group) const { return colours[group % colours.size()]; }

std::string DrawnMarks::look_of(std::size_t group) const {
  const std::string_view colour = colour_of_group(group);
  switch (group / colours.size() % look_count) {
    case ring:
      return fmt::format("class=\"{} o\" stroke-width=\"{:.2g}\"", colour, 0.6 * drawing_.dot);
    case outlined:
      return fmt::format("class=\"{} k n\" stroke-width=\"{:.2g}\"", colour, 0.5 * drawing_.dot);
    default:
      return fmt::format("class=\"{} k\"", colour);
  }
}

std::string_view DrawnMarks::colour_of(PortId endpoint) const {
  const auto found = groups_of_.find(endpoint);
  return found == groups_of_.end() ? "" : colour_of_group(found->second.front());
}

std::string DrawnMarks::dot_attributes(PortId endpoint) const {
  const auto found = groups_of_.find(endpoint);
  return found == groups_of_.end() ? "" : " " + look_of(found->second.front());
}

std::string DrawnMarks::names_of(PortId endpoint) const {
  const auto found = groups_of_.find(endpoint);
  return found == groups_of_.end() ? "" : names_of(found->second);
}

std::string DrawnMarks::names_of(const std::vector<std::size_t>& groups) const {
  std::string names;
  for (const std::size_t group : groups) names += ", " + name_of_group(group);
  return names;
}

std::vector<LegendEntry> DrawnMarks::legend() const {
  std::vector<LegendEntry> entries;
  if (!lines_.empty()) {
    entries.push_back({line_symbol("class=\"s\""), "used by several: wider and darker where they meet more"});
  }
  const std::size_t groups = marks_.groups.size();
  for (std::size_t i = 0; i < std::min(groups, max_named_groups); ++i) {
    const std::string look = drawing_.dots.empty() ? fmt::format("class=\"{} k\"", colour_of_group(i)) : look_of(i);
    entries.push_back(
        {fmt::format("<circle cx=\"20\" cy=\"0\" r=\"{:.2g}\" {}/>", std::clamp(drawing_.dot, 3.0, 5.0), look),
         name_of_group(i)});
  }
  if (groups > max_named_groups) entries.push_back({"", fmt::format("and {} more", groups - max_named_groups)});
  if (!of_boxes_.empty() && drawing_.joined()) entries.push_back({"", "a strip: it has NICs in this box"});
  return entries;
}

std::vector<std::string> DrawnMarks::links_in_words() const {
  if (marks_.links.empty()) return {};
  std::vector<const PictureMarks::Link*> links;
  for (const PictureMarks::Link& link : marks_.links) links.push_back(&link);
  std::ranges::stable_sort(links, [](const auto* a, const auto* b) { return a->share > b->share; });
  const std::size_t named = std::min(links.size(), max_named_links);
  const std::string of_all = named == links.size() ? "" : fmt::format(", {} of {}", named, links.size());
  std::vector<std::string> lines = {fmt::format("links that several use{}:", of_all)};
  for (std::size_t i = 0; i < named; ++i) {
    lines.push_back(fmt::format("{}: {}", network_.describe_link(links[i]->port), links[i]->text));
  }
  return lines;
}

}  // namespace ayatori::exports
