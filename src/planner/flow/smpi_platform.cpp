#include "ayatori/flow/smpi_platform.hpp"

#include <fmt/core.h>

namespace ayatori {

namespace {

constexpr double no_bandwidth_limit = 1e15;

class PlatformWriter {
 public:
  PlatformWriter(const Paths& paths, Rank ranks, double bus, const Sink& sink)
      : paths_(paths), ranks_(ranks), bus_(bus > 0 ? bus : no_bandwidth_limit), sink_(sink) {}

  void write() const {
    sink_("<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n");
    sink_("<platform version=\"4.1\">\n <zone id=\"network\" routing=\"Full\">\n");
    for (Rank rank = 0; rank < ranks_; ++rank) sink_(fmt::format("  <host id=\"rank-{}\" speed=\"1Gf\"/>\n", rank));
    write_links();
    for (Rank from = 0; from < ranks_; ++from) {
      for (Rank to = 0; to < ranks_; ++to) {
        if (from != to) write_route(from, to);
      }
    }
    sink_(" </zone>\n</platform>\n");
  }

 private:
  void write_links() const {
    std::vector<bool> used(paths_.link_count());
    std::vector<bool> has_bus;
    std::vector<std::uint32_t> links;
    for (Rank from = 0; from < ranks_; ++from) {
      has_bus.resize(std::max<std::size_t>(has_bus.size(), paths_.machine(from) + 1));
      has_bus[paths_.machine(from)] = true;
      for (Rank to = 0; to < ranks_; ++to) {
        if (paths_.machine(from) == paths_.machine(to)) continue;
        paths_.path(from, to, links);
        for (const std::uint32_t link : links) used[link] = true;
      }
    }
    for (std::uint32_t link = 0; link < used.size(); ++link) {
      if (!used[link]) continue;
      sink_(fmt::format("  <link id=\"link-{}\" bandwidth=\"{:.17g}Bps\" latency=\"{:.17g}s\"/>\n", link,
                        paths_.bytes_per_second(link), paths_.latency(link)));
    }
    for (std::size_t machine = 0; machine < has_bus.size(); ++machine) {
      if (!has_bus[machine]) continue;
      sink_(fmt::format("  <link id=\"bus-{}\" bandwidth=\"{:.17g}Bps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n",
                        machine, bus_));
    }
  }

  void write_route(Rank from, Rank to) const {
    std::string route = fmt::format("  <route src=\"rank-{}\" dst=\"rank-{}\" symmetrical=\"NO\">", from, to);
    if (paths_.machine(from) == paths_.machine(to)) {
      route += fmt::format("<link_ctn id=\"bus-{}\"/>", paths_.machine(from));
    } else {
      std::vector<std::uint32_t> links;
      paths_.path(from, to, links);
      for (const std::uint32_t link : links) route += fmt::format("<link_ctn id=\"link-{}\"/>", link);
    }
    sink_(route + "</route>\n");
  }

  const Paths& paths_;
  Rank ranks_;
  double bus_;
  const Sink& sink_;
};

}  // namespace

void write_smpi_platform(const Paths& paths, Rank ranks, double bus, const Sink& sink) {
  PlatformWriter(paths, ranks, bus, sink).write();
}

}  // namespace ayatori
