#include "ayatori/topology/faults.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "ayatori/base/text.hpp"
#include "forwarding.hpp"
#include "link_back.hpp"
#include "search.hpp"

namespace ayatori {

namespace {

using LinkEnd = std::pair<ObjectId, std::uint32_t>;  // object and index of one of its links

/// The base, but for the state of some links.
class FaultyTopology final : public ForwardingTopology {
 public:
  FaultyTopology(TopologyPtr without_faults, const std::set<LinkEnd>& out, TopologyPtr transit)
      : ForwardingTopology(std::move(without_faults)), out_(out.begin(), out.end()), transit_(std::move(transit)) {
    if (const GridShape* shape = regular_grid(base())) {
      irregular_ = *shape;
      irregular_.regular = false;
    }
  }

  const GridShape* grid(ObjectId id) const override {
    const GridShape* shape = base().grid(id);
    return shape != nullptr && shape->regular ? &irregular_ : shape;
  }
  TopologyLink link(ObjectId id, std::uint32_t index) const override {
    TopologyLink link = base().link(id, index);
    if (std::ranges::binary_search(out_, LinkEnd(id, index))) link.state = LinkState::taken_out;
    return link;
  }

  TopologyPtr transit() const override { return transit_; }

  std::size_t private_bytes() const override {
    return base().private_bytes() + sizeof *this + out_.capacity() * sizeof(LinkEnd);
  }

 private:
  std::vector<LinkEnd> out_;  // sorted
  TopologyPtr transit_;       // the base's, with the same faults
  GridShape irregular_;       // of the base's regular grid, if it has one
};

void take_out_cable(const Topology& base, ObjectId id, std::uint32_t index, std::set<LinkEnd>& out) {
  out.emplace(id, index);
  if (const auto back = link_back(base, id, index)) out.emplace(base.link(id, index).to, *back);
}

/// Which cables of an object are meant.
struct Chosen {
  std::optional<std::uint32_t> nic;
  std::optional<std::uint32_t> port;
};

/// Without a NIC: of a port that several NICs of a machine have, that of the first one. False: there is no such cable.
bool take_out_cables(const Topology& base, ObjectId id, Chosen chosen, std::set<LinkEnd>& out) {
  bool found = !chosen.nic && !chosen.port;
  const std::uint32_t count = base.link_count(id);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TopologyLink link = base.link(id, i);
    if (chosen.port && link.from_port != *chosen.port) continue;
    if (chosen.port && !chosen.nic) chosen.nic = link.from_nic;
    if (chosen.nic && link.from_nic != *chosen.nic) continue;
    take_out_cable(base, id, i, out);
    found = true;
  }
  return found;
}

/// The NIC of a machine with a device name, such as "mlx5_1".
std::optional<std::uint32_t> nic_named(const Topology& base, ObjectId machine, std::string_view device) {
  if (base.kind(machine) != ObjectKind::machine || device.empty()) return std::nullopt;
  const std::uint32_t count = base.nic_count(machine);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (base.nic(machine, i).device == device) return i;
  }
  return std::nullopt;
}

/// A text before and after its last colon; nothing if it has none.
std::optional<std::pair<std::string_view, std::string_view>> split_at_colon(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return std::pair(text.substr(0, colon), text.substr(colon + 1));
}

/// NAME, NAME:PORT, NAME:DEVICE or NAME:DEVICE:PORT. Names may have a colon in them, so that a whole name goes first.
Result<> take_out_one(const Topology& base, std::string_view fault, std::set<LinkEnd>& out) {
  if (const auto object = base.find(fault)) {
    take_out_cables(base, *object, {}, out);
    return {};
  }
  const auto parts = split_at_colon(fault);
  const auto name = parts ? parts->first : fault;
  const auto port = parts ? parse_unsigned<std::uint32_t>(parts->second) : std::nullopt;
  if (const auto object = parts ? base.find(name) : std::nullopt) {
    if (const auto nic = nic_named(base, *object, parts->second)) {
      if (take_out_cables(base, *object, {nic, {}}, out)) return {};
      return fail("fault '{}': this NIC has no cable", fault);
    }
    if (!port) return fail("fault '{}': expected a port number or the name of a NIC after the colon", fault);
    if (take_out_cables(base, *object, {{}, port}, out)) return {};
    return fail("fault '{}': '{}' has no cable in port {}", fault, name, *port);
  }
  const auto device = port ? split_at_colon(name) : std::nullopt;
  const auto machine = device ? base.find(device->first) : std::nullopt;
  if (!machine) return fail("fault '{}': there is no machine or router '{}'", fault, name);
  const auto nic = nic_named(base, *machine, device->second);
  if (!nic) return fail("fault '{}': '{}' has no NIC '{}'", fault, device->first, device->second);
  if (take_out_cables(base, *machine, {nic, port}, out)) return {};
  return fail("fault '{}': the NIC has no cable in port {}", fault, *port);
}

}  // namespace

Result<TopologyPtr> take_out(TopologyPtr base, std::string_view faults) {
  TopologyPtr transit = base->transit();
  if (transit) {
    auto faulty = take_out(std::move(transit), faults);
    if (!faulty) return faulty;
    transit = std::move(*faulty);
  }
  std::set<LinkEnd> out;
  bool any = false;
  LineReader lines(faults);
  while (const auto line = lines.next()) {
    for (const std::string_view fault : split(*line, ',')) {
      if (fault.empty()) continue;
      any = true;
      // What only packets in transit come by is not among the links of the base.
      if (auto taken = take_out_one(*base, fault, out); !taken && !transit) return Failure(taken.error());
    }
  }
  if (!any) return base;
  return std::make_shared<FaultyTopology>(std::move(base), out, std::move(transit));
}

}  // namespace ayatori
