#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <set>

#include "ayatori/base/text.hpp"
#include "ayatori/network/builder.hpp"
#include "devices.hpp"
#include "management.hpp"
#include "media.hpp"

namespace ayatori {

namespace {

struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};

/// The two ends may announce different rates while a link comes up; it runs at the lower one.
LinkRate lower(LinkRate a, LinkRate b) {
  if (!a.known() || !b.known()) return a.known() ? a : b;
  return a.megabits < b.megabits ? a : b;
}

class EthernetBuilder {
 public:
  explicit EthernetBuilder(LldpDevices devices) : devices_(std::move(devices)) {}

  [[nodiscard]] Result<> add_cables(const LldpReport& report);
  [[nodiscard]] Result<Network> build();

 private:
  using Handle = NetworkBuilder::Handle;

  [[nodiscard]] Result<> plug(const LldpEnd& from, const LldpCable& cable);
  [[nodiscard]] std::vector<std::size_t> in_natural_order() const;
  [[nodiscard]] std::string port_of(const LldpNeighbour& neighbour) const;
  [[nodiscard]] bool is_for_management(const LldpEnd& end) const;
  [[nodiscard]] Result<> number_rails();
  [[nodiscard]] Result<> add_plane(bool management);
  [[nodiscard]] std::vector<std::string> ports_of(std::size_t device) const;
  [[nodiscard]] Result<> add_router(std::size_t device);
  void add_machine(std::size_t device, bool management);
  [[nodiscard]] Result<> connect_all();

  LldpDevices devices_;
  LldpCables cables_;
  std::vector<bool> manages_;  // by device: a router of the management network
  NetworkBuilder builder_;
  std::map<LldpEnd, std::pair<Handle, PortNumber>> ports_;
  std::map<std::string, std::uint16_t, NaturalOrder> rails_;
};

Result<> EthernetBuilder::plug(const LldpEnd& from, const LldpCable& cable) {
  const auto [entry, is_new] = cables_.try_emplace(from, cable);
  LldpCable& known = entry->second;
  if (!is_new && known.to != cable.to) {
    const auto describe = [&](const LldpEnd& end) {
      return fmt::format("'{}' port '{}'", devices_[end.device].name, end.port);
    };
    return with_hint(fail("{} has two cables: to {} by the report of '{}' ({}), to {} by that of '{}' ({})",
                          describe(from), describe(known.to), known.report->device, known.report->file,
                          describe(cable.to), cable.report->device, cable.report->file),
                     "gather the reports again; or make all devices name ports in the same way: lldpcli configure lldp "
                     "portidsubtype ifname");
  }
  known.rate = lower(known.rate, cable.rate);
  return {};
}

Result<> EthernetBuilder::add_cables(const LldpReport& report) {
  for (const LldpNeighbour& neighbour : report.neighbours) {
    const LldpEnd here{devices_.index(report.device), neighbour.interface};
    const LldpEnd there{devices_.index(neighbour.name), port_of(neighbour)};
    if (auto plugged = plug(here, {there, neighbour.rate, &report}); !plugged) return plugged;
    if (auto plugged = plug(there, {here, neighbour.rate, &report}); !plugged) return plugged;
  }
  return {};
}

std::vector<std::size_t> EthernetBuilder::in_natural_order() const {
  std::vector<std::size_t> order(devices_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, natural_less, [&](std::size_t i) { return std::string_view(devices_[i].name); });
  return order;
}

/// SONiC's ports have an id of the factory's ("etp1"), and the interface's name, which its own report has, as the
/// description.
std::string EthernetBuilder::port_of(const LldpNeighbour& neighbour) const {
  const LldpReport* there = devices_[devices_.index(neighbour.name)].report;
  if (there == nullptr || neighbour.port_description.empty()) return neighbour.port;
  const auto has = [&](const std::string& interface) {
    return std::ranges::find(there->neighbours, interface, &LldpNeighbour::interface) != there->neighbours.end();
  };
  return !has(neighbour.port) && has(neighbour.port_description) ? neighbour.port_description : neighbour.port;
}

bool EthernetBuilder::is_for_management(const LldpEnd& end) const {
  return manages_[end.device] || manages_[cables_.at(end).to.device];
}

/// Interfaces for management come last, so that the others have the rails that they have without them.
Result<> EthernetBuilder::number_rails() {
  std::uint32_t next = 0;
  for (const bool management : {false, true}) {
    std::set<std::string, NaturalOrder> names;
    for (const auto& [end, cable] : cables_) {
      if (devices_.is_router(end.device) || is_for_management(end) != management) continue;
      if (!rails_.contains(end.port)) names.insert(end.port);
    }
    for (const std::string& name : names) rails_[name] = static_cast<std::uint16_t>(next++);
  }
  constexpr std::size_t most = std::numeric_limits<std::uint16_t>::max();
  if (rails_.size() > most) return fail("the reports use {} interface names; the maximum is {}", rails_.size(), most);
  return {};
}

std::vector<std::string> EthernetBuilder::ports_of(std::size_t device) const {
  std::vector<std::string> names;
  for (auto end = cables_.lower_bound({device, ""}); end != cables_.end() && end->first.device == device; ++end) {
    names.push_back(end->first.port);
  }
  return names;
}

Result<> EthernetBuilder::add_router(std::size_t device) {
  const auto numbers = number_ports(ports_of(device));
  if (!numbers) return fail("'{}' has {}", devices_[device].name, numbers.error().message);
  PortNumber highest = 0;
  for (const auto& [name, number] : *numbers) highest = std::max(highest, number);
  const Handle handle = builder_.add_router(devices_[device].name, 0, highest);
  for (const auto& [name, number] : *numbers) ports_[{device, name}] = {handle, number};
  return {};
}

/// A machine without any neighbour is kept, with a NIC that has no cable.
void EthernetBuilder::add_machine(std::size_t device, bool management) {
  const std::string& machine = devices_[device].name;
  const auto interfaces = ports_of(device);
  if (interfaces.empty() && !management) builder_.add_nic(machine, 0, 1, machine, 0);
  for (const std::string& interface : interfaces) {
    if (is_for_management({device, interface}) != management) continue;
    const std::string name = fmt::format("{} {}", machine, interface);
    ports_[{device, interface}] = {builder_.add_nic(name, 0, 1, machine, rails_.at(interface)), PortNumber{1}};
  }
}

Result<> EthernetBuilder::connect_all() {
  for (const auto& [end, cable] : cables_) {
    const auto [a, port_a] = ports_.at(end);
    const auto [b, port_b] = ports_.at(cable.to);
    if (auto connected = builder_.connect(a, port_a, b, port_b, cable.rate); !connected) return connected;
  }
  return {};
}

Result<> EthernetBuilder::add_plane(bool management) {
  builder_.begin_plane(management ? "management" : "ethernet", management ? PlaneUse::of_management() : PlaneUse());
  for (const std::size_t device : in_natural_order()) {
    if (!devices_.is_router(device)) {
      add_machine(device, management);
    } else if (manages_[device] == management) {
      if (auto added = add_router(device); !added) return added;
    }
  }
  return {};
}

Result<Network> EthernetBuilder::build() {
  manages_ = take_management_out(devices_, cables_);
  if (auto numbered = number_rails(); !numbered) return Failure(numbered.error());
  if (auto added = add_plane(false); !added) return Failure(added.error());
  if (std::ranges::find(manages_, true) != manages_.end()) {
    if (auto added = add_plane(true); !added) return Failure(added.error());
  }
  if (auto connected = connect_all(); !connected) return Failure(connected.error());
  return builder_.build();
}

}  // namespace

Result<Network> network_of_lldp(const std::vector<LldpReport>& reports) {
  auto devices = LldpDevices::of(reports);
  if (!devices) return Failure(devices.error());
  EthernetBuilder builder(std::move(*devices));
  for (const LldpReport& report : reports) {
    if (auto added = builder.add_cables(report); !added) return Failure(added.error());
  }
  auto network = builder.build();
  if (network && network->machines().empty()) {
    return with_hint(fail("every device in the reports forwards packets: there is no machine"),
                     "put the reports of hosts into the subfolder hosts, those of switches into switches");
  }
  return network;
}

}  // namespace ayatori
