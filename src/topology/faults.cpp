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

/// A machine may have several NICs with a port of this number: all of them.
bool take_out_port(const Topology& base, ObjectId id, std::optional<std::uint32_t> port, std::set<LinkEnd>& out) {
  bool found = !port;
  const std::uint32_t count = base.link_count(id);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (port && base.link(id, i).from_port != *port) continue;
    take_out_cable(base, id, i, out);
    found = true;
  }
  return found;
}

/// Names may have a colon in them, so that a whole name goes first.
Result<> take_out_one(const Topology& base, std::string_view fault, std::set<LinkEnd>& out) {
  if (const auto object = base.find(fault)) {
    take_out_port(base, *object, std::nullopt, out);
    return {};
  }
  const std::size_t colon = fault.rfind(':');
  const std::string_view name = fault.substr(0, colon);
  const auto object = colon == std::string_view::npos ? std::nullopt : base.find(name);
  if (!object) return fail("fault '{}': there is no machine or router '{}'", fault, name);
  const auto port = parse_unsigned<std::uint32_t>(fault.substr(colon + 1));
  if (!port) return fail("fault '{}': expected a port number behind the colon", fault);
  if (take_out_port(base, *object, *port, out)) return {};
  return fail("fault '{}': '{}' has no cable in port {}", fault, name, *port);
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
