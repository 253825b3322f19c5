#include "ayatori/routing/virtual_lanes.hpp"

#include <algorithm>
#include <bit>

#include "cycle_search.hpp"

namespace ayatori {

namespace {

constexpr std::uint32_t lanes_per_link = 16;

std::uint32_t number_of(Channel channel) { return channel.link * lanes_per_link + channel.vl; }

Channel channel_of(std::uint32_t number) {
  return {number / lanes_per_link, static_cast<VirtualLane>(number % lanes_per_link)};
}

/// Which channel waits for which.
class LaneDependencies {
 public:
  explicit LaneDependencies(const Network& network)
      : waits_for_(network.port_count() * lanes_per_link), used_(network.port_count(), 0) {}

  void use(Channel channel) { used_[channel.link] |= static_cast<std::uint16_t>(1U << channel.vl); }

  void add(Channel held, Channel wanted) {
    std::vector<std::uint32_t>& list = waits_for_[number_of(held)];
    const auto place = std::lower_bound(list.begin(), list.end(), number_of(wanted));
    if (place == list.end() || *place != number_of(wanted)) list.insert(place, number_of(wanted));
  }

  [[nodiscard]] std::vector<Channel> find_cycle() const {
    return cycle_among([](std::uint32_t) { return true; });
  }

  [[nodiscard]] std::vector<LaneUse> lanes() const {
    std::vector<LaneUse> found;
    for (VirtualLane vl = 0; vl < lanes_per_link; ++vl) {
      const auto links = std::count_if(used_.begin(), used_.end(), [&](std::uint16_t set) { return set >> vl & 1; });
      if (links == 0) continue;
      const bool is_free = cycle_among([&](std::uint32_t number) { return number % lanes_per_link == vl; }).empty();
      found.push_back({vl, static_cast<std::uint32_t>(links), is_free});
    }
    return found;
  }

 private:
  /// A cycle of channels that all `belong`.
  template <typename Belongs>
  [[nodiscard]] std::vector<Channel> cycle_among(Belongs&& belongs) const {
    const auto successor = [&](std::uint32_t channel, std::uint32_t place) -> std::optional<Successor> {
      if (!belongs(channel)) return std::nullopt;
      const std::vector<std::uint32_t>& list = waits_for_[channel];
      while (place < list.size() && !belongs(list[place])) ++place;
      if (place >= list.size()) return std::nullopt;
      return Successor{list[place], place + 1};
    };
    std::vector<Channel> cycle;
    for (const std::uint32_t number : ayatori::find_cycle(waits_for_.size(), successor)) {
      cycle.push_back(channel_of(number));
    }
    return cycle;
  }

  std::vector<std::vector<std::uint32_t>> waits_for_;  // by channel, in order
  std::vector<std::uint16_t> used_;                    // VLs by link
};

/// Follows paths and notes their dependencies.
class LaneWalk {
 public:
  LaneWalk(const Network& network, const Routes& routes, const SlToVl* lanes)
      : network_(network),
        routes_(routes),
        lanes_(lanes),
        dependencies_(network),
        seen_(network.port_count() * service_levels, 0) {}

  /// The paths that follow() is asked for next have this destination.
  void begin(Lid destination) {
    lid_ = destination;
    for (const std::size_t place : touched_) seen_[place] = 0;
    touched_.clear();
  }

  void follow(PortId source, ServiceLevel sl) {
    const PortId goal = routes_.lids.owner(lid_);
    Channel held{source, 0};
    while (true) {
      const PortId arrival = network_.port(held.link).peer;
      if (arrival == no_id || arrival == goal || !is_router_port(arrival) || !is_new(arrival, sl, held.vl)) return;
      const DeviceId here = network_.port(arrival).device;
      const PortNumber out = lid_ <= routes_.tables.last_lid() ? routes_.tables.out(here, lid_) : 0;
      if (out == 0 || out > network_.device(here).port_count) return;
      const auto vl = lane(here, network_.port(arrival).number, out, sl);
      if (!vl || *vl > last_data_lane) {
        ++discarded_;
        return;
      }
      const Channel wanted{network_.port_id(here, out), *vl};
      const PortId next = network_.port(wanted.link).peer;
      if (next == no_id || !is_router_port(next)) return;
      dependencies_.use(wanted);
      if (is_router_port(held.link)) dependencies_.add(held, wanted);
      held = wanted;
    }
  }

  [[nodiscard]] const LaneDependencies& dependencies() const { return dependencies_; }
  [[nodiscard]] std::uint64_t discarded() const { return discarded_; }

 private:
  [[nodiscard]] bool is_router_port(PortId port) const { return network_.is_router(network_.port(port).device); }

  [[nodiscard]] std::optional<VirtualLane> lane(DeviceId router, PortNumber in, PortNumber out, ServiceLevel sl) const {
    return lanes_ == nullptr ? std::optional<VirtualLane>(sl) : lanes_->of(router, in, out, sl);
  }

  /// What follows depends on nothing but these: the rest of a path that was seen already adds nothing.
  bool is_new(PortId arrival, ServiceLevel sl, VirtualLane vl) {
    const std::size_t place = arrival * service_levels + sl;
    const auto bit = static_cast<std::uint16_t>(1U << vl);
    if ((seen_[place] & bit) != 0) return false;
    if (seen_[place] == 0) touched_.push_back(place);
    seen_[place] |= bit;
    return true;
  }

  const Network& network_;
  const Routes& routes_;
  const SlToVl* lanes_;
  Lid lid_ = 0;
  LaneDependencies dependencies_;
  std::uint64_t discarded_ = 0;
  std::vector<std::uint16_t> seen_;  // VLs by port of arrival and SL
  std::vector<std::size_t> touched_;
};

}  // namespace

LaneCheck check_lanes(const Network& network, const Routes& routes, const PathServiceLevels* levels,
                      const SlToVl* lanes) {
  std::vector<PortId> adapters(network.endpoints().begin(), network.endpoints().end());
  adapters.insert(adapters.end(), network.aggregation_ports().begin(), network.aggregation_ports().end());
  LaneWalk with_sls(network, routes, lanes);
  LaneWalk at_sl_0(network, routes, lanes);
  LaneCheck check;
  for (const PortId goal : adapters) {
    const LidRange range = routes.lids.of(goal);
    for (std::uint32_t j = 0; range.base != 0 && j < range.count(); ++j) {
      const auto lid = static_cast<Lid>(range.base + j);
      with_sls.begin(lid);
      at_sl_0.begin(lid);
      for (const PortId source : adapters) {
        if (source == goal) continue;
        const auto sl = levels == nullptr ? std::optional<ServiceLevel>(0) : levels->of(source, lid);
        ++check.paths;
        check.paths_without_sl += sl ? 0 : 1;
        with_sls.follow(source, sl.value_or(0));
        at_sl_0.follow(source, 0);
      }
    }
  }
  check.discarded = with_sls.discarded();
  check.lanes = with_sls.dependencies().lanes();
  check.cycle = with_sls.dependencies().find_cycle();
  check.deadlock_free = check.cycle.empty();
  check.cycle_at_sl_0 = at_sl_0.dependencies().find_cycle();
  check.deadlock_free_at_sl_0 = check.cycle_at_sl_0.empty();
  return check;
}

}  // namespace ayatori
