#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "ayatori/infiniband/infiniband.hpp"

namespace ayatori {

namespace {

constexpr std::string_view infiniband_plane = "infiniband";

/// GUIDs of all devices. Where the network has none, the device gets the one that ibsim would give it.
std::vector<Guid> guids_of_all(const Network& network) {
  std::unordered_set<Guid> taken;
  for (DeviceId id = 0; id < network.device_count(); ++id) taken.insert(network.device(id).guid);
  std::vector<Guid> guids(network.device_count());
  Guid next_router = 0x200000;
  Guid next_adapter = 0x100000;
  for (DeviceId id = 0; id < network.device_count(); ++id) {
    const Device& node = network.device(id);
    guids[id] = node.guid;
    if (node.guid != 0) continue;
    Guid& next = network.is_router(id) ? next_router : next_adapter;
    while (taken.contains(next)) ++next;
    guids[id] = next;
    next += network.is_router(id) ? 1U : node.port_count + 1U;
  }
  return guids;
}

/// A description as one line of text, with blanks for control characters.
std::string one_line(std::string_view name) {
  std::string shown(name);
  for (char& c : shown) {
    const bool is_control = static_cast<unsigned char>(c) < ' ' || c == '\x7f';
    if (is_control && c != '\t' && c != '\r') c = ' ';
  }
  return shown;
}

/// The neighbour's description for a port's line, shortened: ibsim reads no more than 255 bytes per line, and takes
/// every "x=" in them for an option.
std::string neighbour_description(std::string_view name) {
  constexpr std::size_t longest = 64;  // bytes of a NodeDescription (specification 1.2, section 14.2.5.2)
  std::string shown = one_line(name.substr(0, longest));
  std::ranges::replace(shown, '=', '-');
  std::ranges::replace(shown, '"', '\'');
  return shown;
}

std::string rate_word(LinkRate rate) { return rate.known() ? to_string(rate) : "?????"; }

class Writer {
 public:
  Writer(const Network& network, const Sink& sink) : network_(network), sink_(sink), guids_(guids_of_all(network)) {}

  void write() {
    write_preamble();
    for (DeviceId id = 0; id < network_.device_count(); ++id) {
      if (is_infiniband(id)) write_record(id);
    }
  }

 private:
  [[nodiscard]] bool is_infiniband(DeviceId id) const {
    const auto planes = network_.planes();
    const auto has_name = [](const Plane& plane) { return plane.name == infiniband_plane; };
    return has_name(planes[network_.device(id).plane]) || std::ranges::none_of(planes, has_name);
  }

  /// ibnetdiscover writes the node where it started. We write the last one, so that a reader sees if the file was cut.
  void write_preamble() {
    DeviceId last = no_id;
    for (DeviceId id = 0; id < network_.device_count(); ++id) {
      if (is_infiniband(id)) last = id;
    }
    line("#\n# Topology file: written by Ayatori\n#\n");
    if (last != no_id) line("# Initiated from node {:016x} port {:016x}\n", guids_[last], guids_[last]);
  }

  void write_record(DeviceId id) {
    const Device& node = network_.device(id);
    line("\nvendid={:#x}\ndevid={:#x}\n", node.vendor_id, node.model_id);
    if (node.system_guid != 0) line("sysimgguid={:#x}\n", node.system_guid);
    network_.is_router(id) ? write_router_heading(id) : write_adapter_heading(id);
    for (const Port& port : network_.ports(id)) {
      if (!port.connected()) continue;
      network_.is_router(id) ? write_router_port(port) : write_adapter_port(port);
    }
    flush();
  }

  void write_router_heading(DeviceId id) {
    const Port& port0 = network_.ports(id)[0];
    line("switchguid={:#x}({:x})\n", guids_[id], port0.guid != 0 ? port0.guid : guids_[id]);
    line("Switch\t{} \"{}\"\t\t# \"{}\" enhanced port 0 lid {} lmc {}\n", network_.device(id).port_count, node_id(id),
         one_line(network_.name(id)), port0.lid, port0.lmc);
  }

  void write_adapter_heading(DeviceId id) {
    line("caguid={:#x}\n", guids_[id]);
    line("Ca\t{} \"{}\"\t\t# \"{}\"\n", network_.device(id).port_count, node_id(id), one_line(network_.name(id)));
  }

  void write_router_port(const Port& port) {
    const Port& peer = network_.port(port.peer);
    line("[{}]\t\"{}\"[{}]", port.number, node_id(peer.device), peer.number);
    if (!network_.is_router(peer.device)) line("({:x}) ", port_guid(peer));
    line("\t\t# \"{}\" lid {} {}\n", neighbour_description(network_.name(peer.device)), lid(peer),
         rate_word(port.rate));
  }

  void write_adapter_port(const Port& port) {
    const Port& peer = network_.port(port.peer);
    line("[{}]({:x}) \t\"{}\"[{}]", port.number, port_guid(port), node_id(peer.device), peer.number);
    if (!network_.is_router(peer.device)) line(" ({:x}) ", port_guid(peer));
    line("\t\t# lid {} lmc {} \"{}\" lid {} {}\n", port.lid, port.lmc,
         neighbour_description(network_.name(peer.device)), lid(peer), rate_word(port.rate));
  }

  [[nodiscard]] std::string node_id(DeviceId id) const {
    return fmt::format("{}-{:016x}", network_.is_router(id) ? 'S' : 'H', guids_[id]);
  }

  [[nodiscard]] Guid port_guid(const Port& port) const {
    return port.guid != 0 ? port.guid : guids_[port.device] + port.number;
  }

  /// A router has its LID at port 0.
  [[nodiscard]] Lid lid(const Port& port) const {
    return network_.is_router(port.device) ? network_.ports(port.device)[0].lid : port.lid;
  }

  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    record_ += fmt::format(format, std::forward<Args>(args)...);
  }

  void flush() {
    sink_(record_);
    record_.clear();
  }

  const Network& network_;
  const Sink& sink_;
  std::vector<Guid> guids_;
  std::string record_;
};

}  // namespace

void write_ibnetdiscover(const Network& network, const Sink& sink) { Writer(network, sink).write(); }

}  // namespace ayatori
