#pragma once
/// \file
/// The style of the marks of a picture: groups of NICs in colours, links in red, and the texts of both.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/drawing/drawing.hpp"
#include "ayatori/exports/exports.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori::exports {

/// An entry of a legend: SVG of a symbol 28 wide around the middle line y = 0, and its text.
struct LegendEntry {
  std::string symbol;
  std::string text;
};

/// A line of this colour.
[[nodiscard]] std::string line_symbol(std::string_view attributes);

/// What it refers to must outlive it.
class DrawnMarks {
 public:
  DrawnMarks(const Network& network, const drawing::Drawing& drawing, const PictureMarks& marks);

  /// A marked bundle: its link with the largest share decides on width and opacity.
  struct Line {
    double width = 0;
    double opacity = 1;
    double share = 0;
    std::string text;  ///< of all its links
  };
  /// Nothing if no link of the bundle is marked.
  [[nodiscard]] std::optional<Line> line_of(const drawing::DrawnBundle& drawn) const;

  /// The class of an endpoint's group, which has its colour; empty if it is in none.
  [[nodiscard]] std::string_view colour_of(PortId endpoint) const;
  /// The same as attributes of a circle, with a look of its own for each group of one colour.
  [[nodiscard]] std::string dot_attributes(PortId endpoint) const;
  /// ", joba, jobb"
  [[nodiscard]] std::string names_of(PortId endpoint) const;
  [[nodiscard]] std::string names_of(const std::vector<std::size_t>& groups) const;

  /// Where a box stands for the NICs: the groups that have some there, by number.
  [[nodiscard]] const std::map<std::uint32_t, std::vector<std::size_t>>& groups_of_boxes() const { return of_boxes_; }
  [[nodiscard]] std::string_view colour_of_group(std::size_t group) const;
  [[nodiscard]] const std::string& name_of_group(std::size_t group) const { return marks_.groups[group].name; }

  [[nodiscard]] std::vector<LegendEntry> legend() const;
  /// A heading and a line for each of the marked links with the largest shares; nothing if none is marked.
  [[nodiscard]] std::vector<std::string> links_in_words() const;

 private:
  [[nodiscard]] std::string look_of(std::size_t group) const;

  const Network& network_;
  const drawing::Drawing& drawing_;
  const PictureMarks& marks_;
  std::map<PortId, std::vector<std::size_t>> groups_of_;  // by endpoint
  std::map<std::uint32_t, std::vector<std::size_t>> of_boxes_;
  std::map<PortId, Line> lines_;  // by the lower port of a cable
  double largest_share_ = 0;
};

}  // namespace ayatori::exports
