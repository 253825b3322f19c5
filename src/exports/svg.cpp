#include <algorithm>
#include <array>
#include <map>

#include "picture.hpp"
#include "writers.hpp"
#include "writing.hpp"

namespace ayatori::exports {

namespace {

constexpr std::size_t max_routers = 4096;
constexpr std::size_t max_bundles = 40'000;
constexpr std::size_t max_tips = 1200;  // bundles that still tell their names when pointed at
constexpr std::size_t max_remarks = 4;  // lines about what is irregular
constexpr double heading = 58;          // room for title and legend
constexpr double line_height = 17;

// The colours of the report (python/ayatori/report/page.css).
constexpr std::string_view style =
    "svg{background:#fff;font-family:system-ui,-apple-system,'Segoe UI','Helvetica Neue','Noto Sans','DejaVu Sans',"
    "Arial,sans-serif}text{font-size:11px;fill:#5a6274}.t{font-size:16px;font-weight:650;fill:#1b2230}"
    ".b{fill:#333c4f}.i{fill:#fff;font-weight:600}.h{fill:#fff;stroke:#5a6274;stroke-width:.8}"
    ".c{fill:none}.f{opacity:.5}.d{stroke:#cf4a12;stroke-dasharray:7 3;opacity:1}.w{fill:#cf4a12}";
constexpr std::array plane_colours = {"#8fa3bd", "#3d8fd9", "#8d4a9e", "#00553f", "#e0a100"};

Picture picture_of(const Network& network, const Scene& scene, const Shape& shape) {
  if (shape.kind == ShapeKind::fat_tree) {
    if (const auto levels = rank_levels(network)) return tree_picture(scene, *levels);
  }
  if (shape.kind == ShapeKind::grid && (shape.dimensions.size() > 1 || !shape.periodic[0])) {
    std::map<DeviceId, std::uint32_t> index_of;
    for (std::uint32_t i = 0; i < scene.routers.size(); ++i) index_of[scene.routers[i].router] = i;
    std::vector<std::uint32_t> at;
    for (const DeviceId router : shape.at) at.push_back(index_of.at(router));
    return grid_picture(scene, shape, at);
  }
  return circle_picture(scene);
}

class SvgWriter {
 public:
  SvgWriter(const Network& network, const Scene& scene, const Shape& shape, Out& out)
      : network_(network), scene_(scene), shape_(shape), picture_(picture_of(network, scene, shape)), out_(out) {}

  void write() {
    const std::vector<std::string> remarks = remarks_in_words();
    const double legend = legend_width();
    const double title = static_cast<double>(shape_.summary.size()) * 9.8;
    const double width = std::max({picture_.width, legend + 40, std::min(title + 40, 1200.0), 320.0});
    const double height = heading + picture_.height + static_cast<double>(remarks.size()) * line_height + 8;
    out_(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
        "{1:.0f}\" "
        "role=\"img\">\n",
        width, height);
    out_("<title>{}</title>\n<style>{}</style>\n", xml_text(shape_.summary), style);
    const double squeezed = title + 40 > width ? width - 40 : 0;
    out_("<text class=\"t\" x=\"20\" y=\"26\"");
    if (squeezed > 0) out_(" textLength=\"{:.0f}\" lengthAdjust=\"spacingAndGlyphs\"", squeezed);
    out_(">{}</text>\n", xml_text(shape_.summary));
    write_legend();
    out_("<g transform=\"translate({:.1f} {:.0f})\">\n", (width - picture_.width) / 2, heading);
    write_cables();
    write_boxes();
    write_hosts();
    write_texts();
    out_("</g>\n");
    double y = heading + picture_.height + 8;
    for (const std::string& remark : remarks) {
      out_("<text class=\"w\" x=\"20\" y=\"{:.0f}\">{}</text>\n", y, xml_text(remark));
      y += line_height;
    }
    out_("</svg>\n");
  }

 private:
  [[nodiscard]] PlaneId plane_of(const CableBundle& bundle) const {
    return network_.device(network_.port(bundle.ports.front()).device).plane;
  }

  /// Cables by plane; those that run slower than their kind over all others.
  void write_cables() {
    const bool with_tips = scene_.bundles.size() <= max_tips;
    out_("<g class=\"c\" stroke-width=\"{:.2g}\">\n", picture_.thickness);
    for (std::size_t plane = 0; plane < network_.planes().size(); ++plane) {
      out_("<g stroke=\"{}\" opacity=\"{:.2g}\">\n", plane_colours[plane % plane_colours.size()], picture_.opacity);
      write_strands(with_tips, [&](const CableBundle& b) { return !b.degraded && plane_of(b) == plane; });
      out_("</g>\n");
    }
    out_("<g class=\"d\" stroke-width=\"{:.2g}\">\n", std::max(picture_.thickness * 1.5, 1.5));
    write_strands(true, [](const CableBundle& bundle) { return bundle.degraded; });
    out_("</g>\n</g>\n");
  }

  template <typename Filter>
  void write_strands(bool with_tips, Filter belongs) {
    std::string together;
    std::string faint;
    for (const Strand& strand : picture_.strands) {
      const CableBundle& bundle = scene_.bundles[strand.bundle];
      if (!belongs(bundle)) continue;
      if (!with_tips) {
        (strand.faint ? faint : together) += strand.path;
        continue;
      }
      out_("<path d=\"{}\"", strand.path);
      if (bundle.ports.size() > 1 && !bundle.degraded) {
        out_(" stroke-width=\"{:.2g}\"",
             picture_.thickness * std::min(0.5 + 0.5 * static_cast<double>(bundle.ports.size()), 4.0));
      }
      if (strand.faint) out_(" class=\"f\"");
      out_("><title>{}</title></path>\n", xml_text(bundle_in_words(bundle)));
    }
    if (!together.empty()) out_("<path d=\"{}\"/>\n", together);
    if (!faint.empty()) out_("<path class=\"f\" d=\"{}\"/>\n", faint);
  }

  [[nodiscard]] std::string bundle_in_words(const CableBundle& bundle) const {
    return fmt::format("{} - {}: {} x {}{}", scene_.routers[bundle.from].name, scene_.routers[bundle.to].name,
                       bundle.ports.size(), to_string(network_.port(bundle.ports.front()).rate),
                       bundle.degraded ? ", degraded" : "");
  }

  void write_boxes() {
    out_("<g class=\"b\">\n");
    for (std::size_t i = 0; i < picture_.boxes.size(); ++i) {
      const Box& box = picture_.boxes[i];
      if (box.round) {
        out_("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\">", box.x, box.y, box.width / 2);
      } else {
        out_("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"3\">", box.x - box.width / 2,
             box.y - box.height / 2, box.width, box.height);
      }
      const std::size_t hosts = scene_.hosts[i].size();
      out_("<title>{}{}</title></{}>\n", xml_text(scene_.routers[i].name),
           hosts > 0 ? ", " + hosts_in_words(hosts) : "", box.round ? "circle" : "rect");
    }
    out_("</g>\n");
  }

  void write_hosts() {
    const bool with_tips = picture_.dots.size() <= max_tips;
    out_("<g class=\"h\">\n");
    for (const Dot& dot : picture_.dots) {
      out_("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.2g}\"", dot.x, dot.y, picture_.dot);
      if (!with_tips) {
        out_("/>");
        continue;
      }
      const MachineId machine = network_.device(network_.port(dot.host).device).machine;
      out_("><title>{}</title></circle>\n", xml_text(network_.machine(machine).name));
    }
    out_("</g>\n");
  }

  void write_texts() {
    constexpr std::array anchors = {"start", "middle", "end"};
    for (const Text& text : picture_.texts) {
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

  struct Entry {
    std::string colour;
    std::string text;
    bool degraded = false;
  };

  /// What the colours mean: "4xNDR: 558 cables".
  [[nodiscard]] std::vector<Entry> legend() const {
    std::map<std::pair<PlaneId, std::string>, std::size_t> cables;
    std::size_t degraded = 0;
    for (const CableBundle& bundle : scene_.bundles) {
      if (bundle.degraded) {
        degraded += bundle.ports.size();
      } else {
        cables[{plane_of(bundle), to_string(network_.port(bundle.ports.front()).rate)}] += bundle.ports.size();
      }
    }
    const bool several = network_.planes().size() > 1;
    std::vector<Entry> entries;
    for (const auto& [kind, count] : cables) {
      const std::string plane = several ? std::string(network_.planes()[kind.first].name) + " " : "";
      entries.push_back({plane_colours[kind.first % plane_colours.size()],
                         fmt::format("{}{}: {} {}", plane, kind.second, count, count == 1 ? "cable" : "cables")});
    }
    if (degraded > 0) entries.push_back({"", fmt::format("degraded: {}", degraded), true});
    if (!picture_.remark.empty()) entries.push_back({"none", picture_.remark});
    return entries;
  }

  [[nodiscard]] double legend_width() const {
    double width = 0;
    for (const Entry& entry : legend()) width += 56 + static_cast<double>(entry.text.size()) * letter;
    return width;
  }

  void write_legend() {
    double x = 20;
    for (const Entry& entry : legend()) {
      out_("<path {} stroke-width=\"2\" d=\"M{:.0f} 43h28\"/>",
           entry.degraded ? "class=\"d\"" : "stroke=\"" + entry.colour + "\"", x);
      out_("<text x=\"{:.0f}\" y=\"47\">{}</text>\n", x + 36, xml_text(entry.text));
      x += 56 + static_cast<double>(entry.text.size()) * letter;
    }
  }

  [[nodiscard]] std::vector<std::string> remarks_in_words() const {
    std::vector<std::string> remarks = shape_.irregularities;
    const std::size_t count = remarks.size();
    if (count > max_remarks) {
      remarks.resize(max_remarks);
      remarks.push_back(fmt::format("… and {} more", count - max_remarks));
    }
    return remarks;
  }

  const Network& network_;
  const Scene& scene_;
  const Shape& shape_;
  const Picture picture_;
  Out& out_;
};

}  // namespace

Result<> write_svg(const Network& network, const Sink& sink) {
  const Scene scene = scene_of(network);
  if (scene.routers.empty()) return with_hint(fail("svg: the network has no router to draw"), "dot draws hosts alone");
  if (scene.routers.size() > max_routers || scene.bundles.size() > max_bundles) {
    return with_hint(
        fail("svg: {} routers with {} pairs cabled are too many to draw", scene.routers.size(), scene.bundles.size()),
        fmt::format("up to {} routers and {} pairs", max_routers, max_bundles));
  }
  const Shape shape = recognise(network);
  Out out(sink);
  SvgWriter(network, scene, shape, out).write();
  return {};
}

}  // namespace ayatori::exports
