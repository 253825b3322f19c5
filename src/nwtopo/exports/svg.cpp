#include <algorithm>
#include <array>
#include <map>

#include "ayatori/drawing/drawing.hpp"
#include "drawn_marks.hpp"
#include "writers.hpp"
#include "writing.hpp"

namespace ayatori::exports {

namespace {

using drawing::Box;
using drawing::Drawing;
using drawing::DrawnBundle;
using drawing::Frame;
using drawing::Point;
using drawing::Text;

constexpr std::size_t max_tips = 1500;  // bundles, and hosts, that still tell their names when pointed at
constexpr std::size_t max_remarks = 4;  // lines about what is irregular
constexpr double heading = 58;          // room for a line of the title and one of the legend
constexpr double title_height = 19;     // of each further line
constexpr double line_height = 17;
constexpr double margin = 20;
constexpr double least_room = 400;  // for lines of the title

// The colours of the report (python/ayatori/report/page.css). Not all that draws SVG knows variables of CSS.
constexpr std::string_view style =
    "svg{background:#fff;color:#5a6274;font-family:system-ui,-apple-system,'Segoe UI','Helvetica Neue','Noto Sans',"
    "'DejaVu Sans',Arial,sans-serif}text{font-size:11px;fill:#5a6274}.t{font-size:14px;font-weight:650;fill:#1b2230}"
    ".b{fill:#333c4f}.i{fill:#fff;font-weight:600}.h{fill:#fff;stroke:#5a6274;stroke-width:.8}"
    ".r{fill:#f1eee7;stroke:#dfdbd2}.p{stroke:currentColor;stroke-linecap:round;fill:none}.c{fill:none}.f{opacity:.5}"
    ".d,.m,.s{stroke:#c5221f}.d{stroke-dasharray:7 3}.m{stroke-dasharray:2 3}.w{fill:#c5221f}"
    ".k{fill:currentColor}.n{stroke:#1b2230}.o{fill:#fff;stroke:currentColor}"
    ".p0{stroke:#7f93b0}.p1{stroke:#3d8fd9}.p2{stroke:#8d4a9e}.p3{stroke:#00553f}.p4{stroke:#b57d00}"
    ".g0{color:#0072b2}.g1{color:#c96f00}.g2{color:#00805e}.g3{color:#c0528f}.g4{color:#2b93d6}.g5{color:#7a3d8f}"
    ".g6{color:#8a5a12}.g7{color:#1b2230}"
    "@media(prefers-color-scheme:dark){svg{background:#1a1f29;color:#a2a9b8}text{fill:#a2a9b8}.t{fill:#e9e7e1}"
    ".b{fill:#c3c9d6}.i{fill:#12151c}.h{fill:#1a1f29;stroke:#a2a9b8}.r{fill:#2a3140;stroke:#333a48}"
    ".d,.m,.s{stroke:#ff8a80}.w{fill:#ff8a80}.n{stroke:#e9e7e1}.o{fill:#1a1f29}"
    ".p2{stroke:#d79be6}.p3{stroke:#5fe0b5}.p4{stroke:#f2cf63}"
    ".g0{color:#5aa9e6}.g1{color:#f0b030}.g2{color:#3fd0a0}.g3{color:#e795bf}.g4{color:#8fd6ff}.g5{color:#c08ad0}"
    ".g6{color:#d09a4a}.g7{color:#d5d9e2}}";
constexpr std::size_t plane_colours = 5;

/// SVG path data.
std::string path_of(const std::vector<Point>& at, DrawnBundle::Form form) {
  if (form == DrawnBundle::Form::curve) {
    return fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", at[0].x, at[0].y, at[1].x, at[1].y,
                       at[2].x, at[2].y, at[3].x, at[3].y);
  }
  std::string path;
  for (std::size_t i = 0; i + 1 < at.size(); i += 2) {
    path += fmt::format("M{:.1f} {:.1f}L{:.1f} {:.1f}", at[i].x, at[i].y, at[i + 1].x, at[i + 1].y);
  }
  return path;
}

class SvgWriter {
 public:
  SvgWriter(const Network& network, const Drawing& drawing, const PictureMarks& marks, Out& out)
      : network_(network), drawing_(drawing), marks_(network, drawing, marks), out_(out) {
    for (const drawing::Dot& dot : drawing.dots) ++hosts_[drawing.box_of_router(network.router_of(dot.endpoint))];
  }

  void write() {
    const std::vector<std::string> said_of_links = marks_.links_in_words();
    const std::vector<std::string> remarks = remarks_in_words();
    const std::string& summary = drawing_.shape.summary;
    const double room = std::max(drawing_.width, least_room);
    const std::vector<std::string> title = title_in_lines(room - 2 * margin);
    const std::vector<std::vector<LegendEntry>> legend = legend_in_lines(room);
    double widest = width_of(legend);
    for (const std::string& line : title) widest = std::max(widest, width_of_title(line));
    for (const auto* lines : {&said_of_links, &remarks}) {
      for (const std::string& line : *lines) widest = std::max(widest, drawing::width_of(line));
    }
    const double width = std::max(drawing_.width, widest + 2 * margin);
    const double of_title = static_cast<double>(title.size() - 1) * title_height;
    const double top = heading + of_title + static_cast<double>(legend.size() - 1) * line_height;
    const double height =
        top + drawing_.height + static_cast<double>(said_of_links.size() + remarks.size()) * line_height + 8;
    out_("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100%\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">\n",
         width, height);
    out_("<title>{}</title>\n<style>{}</style>\n", xml_text(summary), style);
    for (std::size_t i = 0; i < title.size(); ++i) {
      out_("<text class=\"t\" x=\"20\" y=\"{:.0f}\">{}</text>\n", 26 + static_cast<double>(i) * title_height,
           xml_text(title[i]));
    }
    write_legend(legend, 43 + of_title);
    out_("<g transform=\"translate({:.1f} {:.0f})\">\n", (width - drawing_.width) / 2, top);
    write_frames();
    write_cables();
    write_boxes();
    write_groups_of_boxes();
    write_hosts();
    write_texts();
    out_("</g>\n");
    double y = top + drawing_.height + 8;
    for (const std::string& line : said_of_links) {
      out_("<text x=\"20\" y=\"{:.0f}\">{}</text>\n", y, xml_text(line));
      y += line_height;
    }
    for (const std::string& remark : remarks) {
      const std::string_view weight = says_why_no_shape(remark) ? "" : " class=\"w\"";
      out_("<text{} x=\"20\" y=\"{:.0f}\">{}</text>\n", weight, y, xml_text(remark));
      y += line_height;
    }
    out_("</svg>\n");
  }

 private:
  static double width_of_title(std::string_view line) { return 1.35 * drawing::width_of(line); }

  /// The summary, parted behind commas.
  [[nodiscard]] std::vector<std::string> title_in_lines(double room) const {
    std::vector<std::string> lines(1);
    std::string_view rest = drawing_.shape.summary;
    while (!rest.empty()) {
      const std::string_view part = rest.substr(0, std::min(rest.find(", "), rest.size() - 1) + 1);
      rest.remove_prefix(std::min(part.size() + 1, rest.size()));
      std::string& line = lines.back();
      std::string longer = line.empty() ? std::string(part) : fmt::format("{} {}", line, part);
      if (line.empty() || width_of_title(longer) <= room) {
        line = std::move(longer);
      } else {
        lines.emplace_back(part);
      }
    }
    return lines;
  }

  /// "no tree: …", "not full: …": that is not a fault.
  [[nodiscard]] bool says_why_no_shape(std::string_view remark) const {
    const std::string_view reason = remark.substr(0, remark.find(": "));
    return drawing_.shape.kind == ShapeKind::graph && reason.starts_with("no") && reason.size() < remark.size() &&
           std::ranges::count(reason, ' ') <= 2;
  }
  [[nodiscard]] PlaneId plane_of(const DrawnBundle& drawn) const {
    return network_.device(network_.port(drawn.ports.front()).device).plane;
  }

  void write_frames() {
    if (drawing_.frames.empty()) return;
    out_("<g class=\"r\">\n");
    for (const Frame& frame : drawing_.frames) {
      if (frame.round) {
        out_("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\">", frame.x, frame.y, frame.width / 2);
      } else {
        out_("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\">", frame.x - frame.width / 2,
             frame.y - frame.height / 2, frame.width, frame.height);
      }
      out_("<title>{}</title></{}>\n", xml_text(frame.label), frame.round ? "circle" : "rect");
    }
    out_("</g>\n");
  }

  /// Cables by plane; over them those that run slower than their kind, and where some are missing.
  void write_cables() {
    const bool with_tips = drawing_.bundles.size() <= max_tips;
    out_("<g class=\"c\" stroke-width=\"{:.2g}\">\n", drawing_.thickness);
    for (std::size_t plane = 0; plane < network_.planes().size(); ++plane) {
      out_("<g class=\"p{}\" opacity=\"{:.2g}\">\n", plane % plane_colours, drawing_.opacity);
      write_bundles(with_tips, [&](const DrawnBundle& s) { return !s.degraded && plane_of(s) == plane; });
      out_("</g>\n");
    }
    out_("<g class=\"d\" stroke-width=\"{:.2g}\">\n", std::max(drawing_.thickness * 1.5, 1.5));
    write_bundles(true, [](const DrawnBundle& drawn) { return drawn.degraded; });
    out_("</g>\n");
    write_marked_bundles();
    for (const drawing::MissingCables& missing : drawing_.missing) {
      out_("<path class=\"m\" stroke-width=\"1.5\" d=\"{}\"><title>{} - {}: {} of {} cables</title></path>\n",
           path_of(missing.points, DrawnBundle::Form::line), xml_text(drawing_.names[missing.from]),
           xml_text(drawing_.names[missing.to]), missing.cables, missing.usual);
    }
    out_("</g>\n");
  }

  template <typename Filter>
  void write_bundles(bool with_tips, Filter belongs) {
    std::string together;
    std::string faint;
    for (const DrawnBundle& drawn : drawing_.bundles) {
      if (!belongs(drawn)) continue;
      const std::string path = path_of(drawn.points, drawn.form);
      if (!with_tips) {
        (drawn.faint ? faint : together) += path;
        continue;
      }
      out_("<path d=\"{}\"", path);
      if (drawn.ports.size() > 1 && !drawn.degraded && !drawing_.joined()) {
        out_(" stroke-width=\"{:.2g}\"",
             drawing_.thickness * std::min(0.5 + 0.5 * static_cast<double>(drawn.ports.size()), 4.0));
      }
      if (drawn.faint) out_(" class=\"f\"");
      out_("><title>{}</title></path>\n", xml_text(bundle_in_words(drawn)));
    }
    if (!together.empty()) out_("<path d=\"{}\"/>\n", together);
    if (!faint.empty()) out_("<path class=\"f\" d=\"{}\"/>\n", faint);
  }

  /// Over the others, those that matter most last.
  void write_marked_bundles() {
    std::vector<std::pair<DrawnMarks::Line, const DrawnBundle*>> lines;
    for (const DrawnBundle& drawn : drawing_.bundles) {
      if (auto line = marks_.line_of(drawn)) lines.emplace_back(std::move(*line), &drawn);
    }
    if (lines.empty()) return;
    std::ranges::stable_sort(lines, {}, [](const auto& line) { return line.first.share; });
    out_("<g class=\"s\">\n");
    for (const auto& [line, drawn] : lines) {
      out_("<path stroke-width=\"{:.2g}\" opacity=\"{:.2g}\" d=\"{}\"><title>{}: {}</title></path>\n", line.width,
           line.opacity, path_of(drawn->points, drawn->form), xml_text(bundle_in_words(*drawn)), xml_text(line.text));
    }
    out_("</g>\n");
  }

  /// "LS2 - RS1: 2 x 4xHDR"; of several pairs of routers only how many cables there are.
  [[nodiscard]] std::string bundle_in_words(const DrawnBundle& drawn) const {
    const Port& first = network_.port(drawn.ports.front());
    const DeviceId peer = network_.port(first.peer).device;
    const auto elsewhere = [&](PortId id) {
      const Port& port = network_.port(id);
      return port.device != first.device || network_.port(port.peer).device != peer;
    };
    const std::string rate = to_string(first.rate);
    if (std::ranges::any_of(drawn.ports, elsewhere)) return fmt::format("{} cables, {}", drawn.ports.size(), rate);
    return fmt::format("{} - {}: {} x {}{}", drawing_.names[first.device], drawing_.names[peer], drawn.ports.size(),
                       rate, drawn.degraded ? ", degraded" : "");
  }

  [[nodiscard]] std::string box_in_words(std::size_t box) {
    if (drawing_.joined()) return drawing_.box_names[box];
    const std::size_t hosts = hosts_[static_cast<std::uint32_t>(box)];
    return drawing_.names[box] + (hosts > 0 ? ", " + drawing::hosts_in_words(hosts) : "");
  }

  void write_box(const Box& box, std::string_view style, const std::string& tip) {
    if (box.round) {
      out_("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"{}>", box.x, box.y, box.width / 2, style);
    } else {
      out_("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\"{}>", box.x - box.width / 2,
           box.y - box.height / 2, box.width, box.height, style);
    }
    out_("<title>{}</title></{}>\n", xml_text(tip), box.round ? "circle" : "rect");
  }

  void write_boxes() {
    out_("<g class=\"b\">\n");
    for (std::size_t i = 0; i < drawing_.boxes.size(); ++i) write_box(drawing_.boxes[i], "", box_in_words(i));
    out_("</g>\n");
  }

  /// Where hosts have no dots: a router of a group in its colour; of a box that stands for several routers, the groups
  /// side by side along its lower edge.
  void write_groups_of_boxes() {
    if (marks_.groups_of_boxes().empty()) return;
    out_("<g>\n");
    for (const auto& [number, groups] : marks_.groups_of_boxes()) {
      const Box& box = drawing_.boxes[number];
      if (drawing_.joined()) {
        write_strips(box, groups);
        continue;
      }
      Box inner = box;
      inner.width -= 2;
      inner.height -= 2;
      write_box(inner, fmt::format(" class=\"{} k\"", marks_.colour_of_group(groups.front())),
                box_in_words(number) + marks_.names_of(groups));
    }
    out_("</g>\n");
  }

  void write_strips(const Box& box, const std::vector<std::size_t>& groups) {
    const double width = box.width / static_cast<double>(groups.size());
    const double height = std::clamp(box.height / 3, 2.0, 5.0);
    double x = box.x - box.width / 2;
    for (const std::size_t group : groups) {
      out_("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" class=\"{} k\">", x,
           box.y + box.height / 2 - height, width, height, marks_.colour_of_group(group));
      out_("<title>{}</title></rect>\n", xml_text(marks_.name_of_group(group)));
      x += width;
    }
  }

  /// Many hosts are one path of dots for each colour.
  void write_hosts() {
    if (drawing_.dots.size() > max_tips) return write_hosts_as_paths();
    out_("<g class=\"h\">\n");
    for (const drawing::Dot& dot : drawing_.dots) {
      const Device& nic = network_.device(network_.port(dot.endpoint).device);
      const Machine& machine = network_.machine(nic.machine);
      const std::string rail = machine.endpoints.size() > 1 ? fmt::format(", rail {}", nic.rail) : "";
      out_("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.2g}\"{}><title>{}{}{}</title></circle>\n", dot.x, dot.y,
           drawing_.dot, marks_.dot_attributes(dot.endpoint), xml_text(machine.name), rail,
           xml_text(marks_.names_of(dot.endpoint)));
    }
    out_("</g>\n");
  }

  void write_hosts_as_paths() {
    std::map<std::string_view, std::string> paths;  // by colour; "" for hosts in no group
    for (const drawing::Dot& dot : drawing_.dots) {
      paths[marks_.colour_of(dot.endpoint)] += fmt::format("M{:.1f} {:.1f}h0", dot.x, dot.y);
    }
    for (const auto& [colour, path] : paths) {
      out_("<path class=\"p {}\" stroke-width=\"{:.2g}\" d=\"{}\"/>\n", colour, 2 * drawing_.dot, path);
    }
  }

  void write_texts() {
    constexpr std::array anchors = {"start", "middle", "end"};
    for (const Text& text : drawing_.texts) {
      out_("<text text-anchor=\"{}\"", anchors[static_cast<std::size_t>(text.anchor)]);
      if (text.angle != 0) {
        out_(" transform=\"translate({:.1f} {:.1f}) rotate({:.4g})\"", text.x, text.y, text.angle);
      } else {
        out_(" x=\"{:.1f}\" y=\"{:.1f}\"", text.x, text.y);
      }
      if (text.size != 11) out_(" style=\"font-size:{}px\"", text.size);
      out_("{}>{}</text>\n", text.inside ? " class=\"i\"" : "", xml_text(text.text));
    }
  }

  /// What the lines mean: "4xNDR: 558 cables".
  [[nodiscard]] std::vector<LegendEntry> legend() const {
    std::map<std::pair<PlaneId, std::string>, std::size_t> cables;
    std::size_t degraded = 0;
    for (const DrawnBundle& drawn : drawing_.bundles) {
      if (drawn.degraded) degraded += drawn.ports.size();
      for (const PortId port : drawn.ports) {
        if (!drawn.degraded) ++cables[{plane_of(drawn), to_string(network_.port(port).rate)}];
      }
    }
    std::vector<LegendEntry> entries;
    for (const auto& [kind, count] : cables) {
      const std::string plane = network_.planes().size() > 1 ? network_.planes()[kind.first].name + " " : "";
      entries.push_back({line_symbol(fmt::format("class=\"p{}\"", kind.first % plane_colours)),
                         fmt::format("{}{}: {} {}", plane, kind.second, count, count == 1 ? "cable" : "cables")});
    }
    if (degraded > 0) entries.push_back({line_symbol("class=\"d\""), fmt::format("degraded: {}", degraded)});
    std::size_t missing = 0;
    for (const drawing::MissingCables& pair : drawing_.missing) missing += pair.usual - pair.cables;
    if (missing > 0) entries.push_back({line_symbol("class=\"m\""), fmt::format("missing: {}", missing)});
    if (drawing_.shape.rails > 1) {
      entries.push_back({"", fmt::format("a dot is a NIC, {} a host", drawing_.shape.rails)});
    }
    const std::vector<LegendEntry> of_marks = marks_.legend();
    entries.insert(entries.end(), of_marks.begin(), of_marks.end());
    if (!drawing_.remark.empty()) entries.push_back({"", drawing_.remark});
    return entries;
  }

  static double width_of(const LegendEntry& entry) {
    return (entry.symbol.empty() ? 20 : 56) + drawing::width_of(entry.text);
  }
  static double width_of(const std::vector<std::vector<LegendEntry>>& lines) {
    double widest = 0;
    for (const auto& line : lines) {
      double width = 0;
      for (const LegendEntry& entry : line) width += width_of(entry);
      widest = std::max(widest, width);
    }
    return widest;
  }

  /// At least one line.
  [[nodiscard]] std::vector<std::vector<LegendEntry>> legend_in_lines(double room) const {
    std::vector<std::vector<LegendEntry>> lines(1);
    double x = 20;
    for (LegendEntry& entry : legend()) {
      const double width = width_of(entry);
      if (x + width > room && !lines.back().empty()) {
        lines.emplace_back();
        x = 20;
      }
      x += width;
      lines.back().push_back(std::move(entry));
    }
    return lines;
  }

  void write_legend(const std::vector<std::vector<LegendEntry>>& lines, double y) {
    for (const auto& line : lines) {
      double x = 20;
      for (const LegendEntry& entry : line) {
        if (!entry.symbol.empty()) out_("<g transform=\"translate({:.0f} {:.0f})\">{}</g>", x, y, entry.symbol);
        out_("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", x + (entry.symbol.empty() ? 0 : 36), y + 4,
             xml_text(entry.text));
        x += width_of(entry);
      }
      y += line_height;
    }
  }

  [[nodiscard]] std::vector<std::string> remarks_in_words() const {
    std::vector<std::string> remarks;
    for (const Irregularity& irregular : drawing_.shape.irregularities) remarks.push_back(irregular.text);
    const std::size_t count = remarks.size();
    if (count > max_remarks) {
      remarks.resize(max_remarks);
      remarks.push_back(fmt::format("… and {} more", count - max_remarks));
    }
    return remarks;
  }

  const Network& network_;
  const Drawing& drawing_;
  const DrawnMarks marks_;
  std::map<std::uint32_t, std::size_t> hosts_;  // by box
  Out& out_;
};

}  // namespace

Result<> write_svg(const Network& network, const Sink& sink) { return write_marked_svg(network, {}, sink); }

Result<> write_marked_svg(const Network& network, const PictureMarks& marks, const Sink& sink) {
  const auto drawing = drawing::draw(network);
  if (!drawing) return with_hint(fail("svg: {}", drawing.error().message), drawing.error().hint);
  Out out(sink);
  SvgWriter(network, *drawing, marks, out).write();
  return {};
}

}  // namespace ayatori::exports
