#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "devices.hpp"
#include "writers.hpp"
#include "writing.hpp"

namespace ayatori::exports {

namespace {

constexpr std::string_view simgrid_host_speed = "1Gf";  // what a host computes: nothing here says
constexpr std::uint32_t unknown_latency = 1000;         // nanoseconds
constexpr std::size_t max_for_floyd = 300;              // its table has a row and a column for each of them
constexpr int detour = 16;                              // counts as so many more links: longer than any sensible way

/// Names as SimGrid needs them: no two alike.
std::vector<std::string> unique_names(const std::vector<Vertex>& devices) {
  std::unordered_set<std::string> taken;
  std::vector<std::string> names(devices.size());
  const auto name_all = [&](bool machines) {
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (devices[i].is_machine() != machines) continue;
      names[i] = clean_utf8(devices[i].name);
      while (names[i].empty() || !taken.insert(names[i]).second) names[i] += fmt::format(".{}", device_id(devices[i]));
    }
  };
  name_all(true);  // hosts are what programs name, so they keep theirs
  name_all(false);
  return names;
}

using Ends = std::pair<std::uint32_t, std::uint32_t>;  // devices

/// What a message between two devices goes through.
struct Way {
  double bytes_per_second = 0;
  std::uint32_t latency = 0;
};

/// SimGrid takes one route between two devices, so that parallel cables have to be one link. What one message gets is
/// then bounded by its host's own cable.
std::map<Ends, Way> ways_of(const Network& network, const Devices& all) {
  std::map<Ends, Way> ways;
  for (const CableBundle& bundle : all.bundles) {
    if (bundle.from == bundle.to) continue;
    Way& way = ways[{bundle.from, bundle.to}];
    for (const PortId id : bundle.ports) {
      const Port& port = network.port(id);
      way.bytes_per_second += port.rate.bytes_per_second();
      way.latency = std::max(way.latency, port.latency);
    }
  }
  return ways;
}

class Platform {
 public:
  Platform(const Network& network, Out& out)
      : network_(network),
        all_(devices_of(network)),
        names_(unique_names(all_.devices)),
        ways_(ways_of(network, all_)),
        out_(out) {}

  void write() {
    out_("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out_("<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n");
    out_("  <zone id=\"network\" routing=\"{}\">\n", all_.devices.size() <= max_for_floyd ? "Floyd" : "Dijkstra");
    for (std::size_t i = 0; i < all_.devices.size(); ++i) write_device(i);
    out_("    <link id=\"detour\" bandwidth=\"1e18Bps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n");
    for (const auto& [ends, way] : ways_) write_link(ends, way);
    for (const auto& [ends, way] : ways_) write_route(ends);
    out_("  </zone>\n</platform>\n");
  }

 private:
  void write_device(std::size_t i) {
    if (all_.devices[i].is_machine()) {
      out_("    <host id=\"{}\" speed=\"{}\"/>\n", xml_text(names_[i]), simgrid_host_speed);
    } else {
      out_("    <router id=\"{}\"/>\n", xml_text(names_[i]));
    }
  }

  [[nodiscard]] std::string link_id(Ends ends) const {
    return device_id(all_.devices[ends.first]) + "-" + device_id(all_.devices[ends.second]);
  }

  void write_link(Ends ends, const Way& way) {
    out_("    <link id=\"{}\" bandwidth=\"{}Bps\" latency=\"{}ns\" sharing_policy=\"SPLITDUPLEX\"/>\n", link_id(ends),
         way.bytes_per_second, way.latency != 0 ? way.latency : unknown_latency);
  }

  void write_route(Ends ends) {
    out_("    <route src=\"{}\" dst=\"{}\"><link_ctn id=\"{}\" direction=\"UP\"/>", xml_text(names_[ends.first]),
         xml_text(names_[ends.second]), link_id(ends));
    if (could_be_passed(all_.devices[ends.first]) || could_be_passed(all_.devices[ends.second])) {
      for (int i = 0; i < detour; ++i) out_("<link_ctn id=\"detour\"/>");
    }
    out_("</route>\n");
  }

  /// Machines do not forward, unless their router is built in.
  [[nodiscard]] bool could_be_passed(const Vertex& device) const {
    return device.is_machine() && device.router == no_id && network_.machine(device.machine).endpoints.size() > 1;
  }

  const Network& network_;
  Devices all_;
  std::vector<std::string> names_;
  std::map<Ends, Way> ways_;
  Out& out_;
};

}  // namespace

Result<> write_simgrid(const Network& network, const Sink& sink) {
  for (PortId id = 0; id < network.port_count(); ++id) {
    const Port& port = network.port(id);
    if (!port.connected() || port.rate.known()) continue;
    return with_hint(fail("simgrid: the rate of {} is not known", network.describe_link(id)),
                     "SimGrid needs the bandwidth of every link");
  }
  Out out(sink);
  Platform(network, out).write();
  return {};
}

}  // namespace ayatori::exports
