#include <fmt/core.h>

#include <limits>

#include "ayatori/network/builder.hpp"
#include "records.hpp"

namespace ayatori::json_format {

namespace {

constexpr std::uint64_t max_slots = std::uint64_t{1} << 26;  // of all devices, as for formulas

class Building {
 public:
  Building(const Records& records, std::string_view file) : records_(records), file_(file) {}

  Result<Network> build();

 private:
  [[nodiscard]] Result<> check_devices() const;
  void add_devices();
  NetworkBuilder::Handle add(const DeviceRecord& device);
  Result<> set_ports(std::size_t index);
  Result<> connect(std::size_t index);
  Result<> add_background(std::size_t index);
  /// `where`: "cables[3]".
  [[nodiscard]] Result<> check_end(const std::string& where, std::string_view key, const EndRecord& end) const;
  [[nodiscard]] Result<> check_grid() const;

  const Records& records_;
  std::string_view file_;
  NetworkBuilder builder_;
  std::vector<NetworkBuilder::Handle> handles_;  // by the index of the device in the file
};

Result<Network> Building::build() {
  if (auto checked = check_devices(); !checked) return Failure(checked.error());
  if (auto checked = check_grid(); !checked) return Failure(checked.error());
  if (records_.direct) builder_.set_direct();
  if (records_.grid) builder_.set_grid(*records_.grid);
  add_devices();
  for (std::size_t i = 0; i < records_.devices.size(); ++i) {
    if (auto set = set_ports(i); !set) return Failure(set.error());
  }
  for (std::size_t i = 0; i < records_.cables.size(); ++i) {
    if (auto connected = connect(i); !connected) return Failure(connected.error());
  }
  for (std::size_t i = 0; i < records_.background.size(); ++i) {
    if (auto added = add_background(i); !added) return Failure(added.error());
  }
  auto network = builder_.build();
  if (!network) return fail_at(file_, 0, network.error().message);
  return network;
}

Result<> Building::check_devices() const {
  if (records_.planes.size() > std::numeric_limits<PlaneId>::max()) return fail_at(file_, 0, "more than 65535 planes");
  std::uint64_t slots = 0;
  for (std::size_t i = 0; i < records_.devices.size(); ++i) {
    const DeviceRecord& device = records_.devices[i];
    if (device.plane >= records_.planes.size()) {
      return fail_at(file_, 0, fmt::format("nodes[{}]: there is no plane {}", i, device.plane));
    }
    slots += device.ports + 1U;
  }
  if (slots > max_slots) return fail_at(file_, 0, fmt::format("more than {} ports", max_slots));
  return {};
}

Result<> Building::check_grid() const {
  if (!records_.grid) return {};
  std::uint64_t routers = 0;
  for (const DeviceRecord& device : records_.devices) routers += device.kind == DeviceKind::router ? 1 : 0;
  std::uint64_t points = 1;
  for (const std::uint32_t length : records_.grid->dimensions) {
    points = points > routers ? points : points * length;  // cannot overflow: both factors fit into 32 bits
  }
  if (points == routers) return {};
  return fail_at(file_, 0, fmt::format("grid: expected as many points as routers, {}", routers));
}

/// Adds the devices plane by plane, as the builder requires. Within a plane they keep the order of the file, so that a
/// file of write_json gives the ids of the network that it was written from.
void Building::add_devices() {
  handles_.resize(records_.devices.size());
  std::vector<std::vector<std::size_t>> on_plane(records_.planes.size());
  for (std::size_t i = 0; i < records_.devices.size(); ++i) on_plane[records_.devices[i].plane].push_back(i);
  for (std::size_t plane = 0; plane < records_.planes.size(); ++plane) {
    builder_.begin_plane(records_.planes[plane].name, records_.planes[plane].use);
    for (const std::size_t i : on_plane[plane]) handles_[i] = add(records_.devices[i]);
  }
}

NetworkBuilder::Handle Building::add(const DeviceRecord& device) {
  if (device.kind == DeviceKind::router) return builder_.add_router(device.name, device.guid, device.ports);
  if (device.kind == DeviceKind::aggregation) {
    return builder_.add_aggregation_node(device.name, device.guid, device.ports);
  }
  if (!device.machine) return builder_.add_unnamed_nic(device.name, device.guid, device.ports);
  return builder_.add_nic(device.name, device.guid, device.ports, *device.machine, device.rail);
}

Result<> Building::set_ports(std::size_t index) {
  const DeviceRecord& device = records_.devices[index];
  builder_.set_system_guid(handles_[index], device.system_guid);
  builder_.set_model(handles_[index], device.vendor_id, device.model_id);
  const bool is_last = index + 1 == records_.devices.size();
  const std::size_t end = is_last ? records_.details.size() : records_.devices[index + 1].first_detail;
  for (std::size_t i = device.first_detail; i < end; ++i) {
    const DetailRecord& detail = records_.details[i];
    if (detail.port > device.ports) {
      return fail_at(file_, 0,
                     fmt::format("nodes[{}].details[{}]: expected a number up to {} for 'port'", index,
                                 i - device.first_detail, device.ports));
    }
    const auto port = static_cast<PortNumber>(detail.port);
    builder_.set_port(handles_[index], port, detail.guid, detail.lid, detail.lmc);
    builder_.set_max_rate(handles_[index], port, detail.max_rate);
  }
  return {};
}

Result<> Building::check_end(const std::string& where, std::string_view key, const EndRecord& end) const {
  if (handles_.empty()) return fail_at(file_, 0, fmt::format("{}: a cable without nodes", where));
  if (end.device < handles_.size() && end.port <= std::numeric_limits<PortNumber>::max()) return {};
  return fail_at(
      file_, 0,
      fmt::format("{}: expected [node, port] for '{}', with a node from 0 to {}", where, key, handles_.size() - 1));
}

Result<> Building::connect(std::size_t index) {
  const auto& [from, to, rate, latency] = records_.cables[index];
  const std::string where = fmt::format("cables[{}]", index);
  if (auto checked = check_end(where, "from", from); !checked) return checked;
  if (auto checked = check_end(where, "to", to); !checked) return checked;
  const auto connected = builder_.connect(handles_[from.device], static_cast<PortNumber>(from.port),
                                          handles_[to.device], static_cast<PortNumber>(to.port), rate, latency);
  if (connected) return {};
  return fail_at(file_, 0, fmt::format("{}: {}", where, connected.error().message));
}

Result<> Building::add_background(std::size_t index) {
  const auto& [from, to, rate, latency] = records_.background[index];
  const std::string where = fmt::format("background[{}]", index);
  if (auto checked = check_end(where, "from", from); !checked) return checked;
  if (auto checked = check_end(where, "to", to); !checked) return checked;
  builder_.add_background(handles_[from.device], static_cast<PortNumber>(from.port), handles_[to.device],
                          static_cast<PortNumber>(to.port), rate);
  return {};
}

}  // namespace

Result<Network> build_network(const Records& records, std::string_view file) { return Building(records, file).build(); }

}  // namespace ayatori::json_format
