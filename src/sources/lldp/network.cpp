#include <fmt/core.h>

#include <algorithm>

#include "ayatori/base/text.hpp"
#include "ayatori/network/builder.hpp"
#include "devices.hpp"
#include "media.hpp"

namespace ayatori {

namespace {

/// A cable as seen from one of its ends.
struct Cable {
  LldpEnd to;
  LinkRate rate;
  const LldpReport* report = nullptr;  // the first report of it
};

/// Cables by both of their ends.
using Cables = std::map<LldpEnd, Cable>;

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

  [[nodiscard]] Result<> plug(const LldpEnd& from, const Cable& cable);
  [[nodiscard]] std::vector<std::size_t> in_natural_order() const;
  [[nodiscard]] std::map<std::string, std::uint16_t, NaturalOrder> rails() const;
  [[nodiscard]] std::vector<std::string> ports_of(std::size_t device) const;
  [[nodiscard]] Result<> add_router(std::size_t device);
  void add_machine(std::size_t device);
  [[nodiscard]] Result<> connect_all();

  LldpDevices devices_;
  Cables cables_;
  NetworkBuilder builder_;
  std::map<LldpEnd, std::pair<Handle, PortNumber>> ports_;
  std::map<std::string, std::uint16_t, NaturalOrder> rails_;
};

Result<> EthernetBuilder::plug(const LldpEnd& from, const Cable& cable) {
  const auto [entry, is_new] = cables_.try_emplace(from, cable);
  Cable& known = entry->second;
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
    const LldpEnd there{devices_.index(neighbour.name), neighbour.port};
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

std::map<std::string, std::uint16_t, NaturalOrder> EthernetBuilder::rails() const {
  std::map<std::string, std::uint16_t, NaturalOrder> rails;
  for (const auto& [end, cable] : cables_) {
    if (!devices_.is_router(end.device)) rails[end.port] = 0;
  }
  std::uint16_t rank = 0;
  for (auto& [name, rail] : rails) rail = rank++;
  return rails;
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
void EthernetBuilder::add_machine(std::size_t device) {
  const std::string& machine = devices_[device].name;
  const auto interfaces = ports_of(device);
  if (interfaces.empty()) builder_.add_nic(machine, 0, 1, machine, 0);
  for (const std::string& interface : interfaces) {
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

Result<Network> EthernetBuilder::build() {
  rails_ = rails();
  if (rails_.size() > std::numeric_limits<std::uint16_t>::max()) {
    return fail("the reports use {} interface names; the maximum is 65535", rails_.size());
  }
  builder_.begin_plane("ethernet");
  for (const std::size_t device : in_natural_order()) {
    if (!devices_.is_router(device)) {
      add_machine(device);
    } else if (auto added = add_router(device); !added) {
      return Failure(added.error());
    }
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
