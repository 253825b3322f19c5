#pragma once
/// \file
/// Where the packets to a LID go from every router, and whether they arrive.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ayatori/network/network.hpp"
#include "ayatori/tables/tables.hpp"

namespace ayatori {

enum class Fate : std::uint8_t {
  unknown,
  under_way,  ///< only while walking
  arrives,
  lost,   ///< dropped, misrouted or sent where no cable is
  loops,  ///< goes round for ever
};

/// One LID's next hops and fates, by router. Each thread has one and reuses it for all its LIDs.
class PacketWalk {
 public:
  PacketWalk(const Network& network, const LidMap& lids);

  /// `out(router)` is the LID's entry in the router's table.
  template <typename Out>
  void follow(Lid lid, Out&& out) {
    begin(lid);
    for (DeviceId router = 0; router < fate_.size(); ++router) take_hop(router, out(router));
    for (DeviceId router = 0; router < fate_.size(); ++router) walk_from(router);
  }

  [[nodiscard]] Fate fate(DeviceId router) const { return fate_[router]; }
  /// Directed links from the router to the LID's owner; only where the packets arrive.
  [[nodiscard]] std::uint32_t links(DeviceId router) const { return links_[router]; }
  /// The link that packets take from this router to the next one; no_id if they go to no router.
  [[nodiscard]] PortId link(DeviceId router) const { return link_[router]; }
  [[nodiscard]] DeviceId next(DeviceId router) const {
    return link_[router] == no_id ? no_id : network_.port(network_.port(link_[router]).peer).device;
  }

  /// What is wrong at the routers that `concerns` is true of, once for each place where packets are lost or loop, at
  /// most `most`: call it after follow().
  void describe_problems(std::span<const TablePort> out, std::size_t most,
                         const std::function<bool(DeviceId)>& concerns, std::vector<std::string>& problems) const;

 private:
  void begin(Lid lid);
  void take_hop(DeviceId router, PortNumber out);
  void walk_from(DeviceId router);
  [[nodiscard]] std::string describe_loss(DeviceId router, PortNumber out) const;
  [[nodiscard]] std::string describe_loop(DeviceId router) const;
  [[nodiscard]] std::string describe_lid() const;

  const Network& network_;
  const LidMap& lids_;
  Lid lid_ = 0;
  PortId goal_ = no_id;
  std::vector<Fate> fate_;
  std::vector<std::uint32_t> links_;
  std::vector<PortId> link_;
  std::vector<DeviceId> path_;
};

}  // namespace ayatori
