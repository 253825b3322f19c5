#include "degraded_links.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace ayatori {

namespace {

/// What devices of one model have in common. Where the source does not give the model, the number of ports stands for
/// it.
using Model = std::tuple<DeviceKind, std::uint32_t, std::uint32_t, PortNumber>;

Model model_of(const Device& device) {
  const bool known = device.vendor_id != 0 || device.model_id != 0;
  return {device.kind, device.vendor_id, device.model_id, known ? PortNumber{0} : device.port_count};
}

/// Links are of one class when they join the same two models on the same plane.
using LinkClass = std::tuple<PlaneId, Model, Model>;

/// The rate that both ends support; not known unless both ends report it.
LinkRate supported_by_both(const Port& a, const Port& b) {
  if (!a.max_rate.known() || !b.max_rate.known()) return {};
  if (a.max_rate.megabits == 0 && b.max_rate.megabits == 0) {
    return {std::min(a.max_rate.width, b.max_rate.width), std::min(a.max_rate.speed, b.max_rate.speed)};
  }
  return a.max_rate.bytes_per_second() <= b.max_rate.bytes_per_second() ? a.max_rate : b.max_rate;
}

/// Whether all links that were added run at the same rate.
class OneRate {
 public:
  void add(double rate) {
    is_one_ &= links_ == 0 || rate == rate_;
    rate_ = rate;
    ++links_;
  }
  /// One link alone says nothing.
  [[nodiscard]] bool is(double rate) const { return is_one_ && links_ >= 2 && rate == rate_; }

 private:
  double rate_ = 0;
  std::size_t links_ = 0;
  bool is_one_ = true;
};

/// The links by what their ends are: of one router or machine; of all devices that are alike.
class RatesOfDevices {
 public:
  explicit RatesOfDevices(const Network& network) : network_(network) {}

  void add(PortId id, double rate) {
    const PortId peer = network_.port(id).peer;
    of_one_[owner(id)].add(rate);
    if (owner(id) != owner(peer)) of_one_[owner(peer)].add(rate);
    of_those_alike_[likeness(id)].add(rate);
    if (likeness(id) != likeness(peer)) of_those_alike_[likeness(peer)].add(rate);
  }

  /// Whether the link runs as all others of a device at one of its ends, or of all devices like that one.
  [[nodiscard]] bool explain(PortId id, double rate) const {
    return std::ranges::any_of(std::array{id, network_.port(id).peer}, [&](PortId end) {
      return of_one_.at(owner(end)).is(rate) || of_those_alike_.at(likeness(end)).is(rate);
    });
  }

 private:
  using Owner = std::tuple<bool, std::uint32_t>;             // of a machine, or of another device
  using Likeness = std::tuple<PlaneId, Model, std::string>;  // with the letters of the name

  [[nodiscard]] Owner owner(PortId end) const {
    const DeviceId device = network_.port(end).device;
    const MachineId machine = network_.device(device).machine;
    return machine == no_id ? Owner{false, device} : Owner{true, machine};
  }

  [[nodiscard]] Likeness likeness(PortId end) const {
    const DeviceId id = network_.port(end).device;
    const Device& device = network_.device(id);
    std::string letters;
    if (device.machine == no_id) {
      letters = network_.name(id);
    } else if (network_.machine(device.machine).named) {
      letters = network_.machine(device.machine).name;
    }
    std::erase_if(letters, [](char c) { return c >= '0' && c <= '9'; });
    return {device.plane, model_of(device), std::move(letters)};
  }

  const Network& network_;
  std::map<Owner, OneRate> of_one_;
  std::map<Likeness, OneRate> of_those_alike_;
};

class DegradedLinks {
 public:
  explicit DegradedLinks(const Network& network) : network_(network) {
    for (PortId id = 0; id < network.port_count(); ++id) {
      const Port& port = network.port(id);
      if (!port.connected() || port.peer < id || !port.rate.known()) continue;
      Rates& rates = rates_[class_of(id)];
      ++rates.counts[rate(id)];
      links_.push_back({id, &rates});
    }
    for (auto& [link_class, rates] : rates_) rates.slowest_usual = slowest_usual(rates.counts);
    for (const auto& [id, rates] : links_) {
      if (rates->counts.size() == 1) continue;
      double& fastest = fastest_between_[ends_of(id)];
      fastest = std::max(fastest, rate(id));
    }
  }

  [[nodiscard]] std::vector<PortId> find() const {
    std::vector<PortId> found;
    for (const auto& [id, rates] : links_) {
      if (is_degraded(id, *rates)) found.push_back(id);
    }
    if (found.empty()) return found;
    RatesOfDevices of_devices(network_);
    for (const auto& [id, rates] : links_) of_devices.add(id, rate(id));
    std::erase_if(found, [&](PortId id) { return !states_its_maximum(id) && of_devices.explain(id, rate(id)); });
    return found;
  }

 private:
  /// Of the links of a class.
  struct Rates {
    std::map<double, std::size_t> counts;  // links, by rate
    double slowest_usual = 0;
  };

  [[nodiscard]] double rate(PortId id) const { return network_.port(id).rate.bytes_per_second(); }

  [[nodiscard]] std::pair<DeviceId, DeviceId> ends_of(PortId id) const {
    const DeviceId a = network_.port(id).device;
    const DeviceId b = network_.port(network_.port(id).peer).device;
    return {std::min(a, b), std::max(a, b)};
  }

  [[nodiscard]] LinkClass class_of(PortId id) const {
    const auto [a, b] = ends_of(id);
    const Model first = model_of(network_.device(a));
    const Model second = model_of(network_.device(b));
    return {network_.device(a).plane, std::min(first, second), std::max(first, second)};
  }

  /// The commonest rate of a class, or a slower one that several links and a third of all have: hosts with slower
  /// cables of their own, and not a cable that is damaged.
  static double slowest_usual(const std::map<double, std::size_t>& counts) {
    std::size_t all = 0;
    for (const auto& [rate, count] : counts) all += count;
    const auto commonest =
        std::ranges::max_element(counts, [](const auto& a, const auto& b) { return a.second < b.second; });
    for (const auto& [rate, count] : counts) {
      if (rate == commonest->first || (count >= 2 && 3 * count >= all)) return rate;
    }
    return commonest->first;
  }

  /// Whether both ends report what they support.
  [[nodiscard]] bool states_its_maximum(PortId id) const {
    const Port& port = network_.port(id);
    return supported_by_both(port, network_.port(port.peer)).known();
  }

  [[nodiscard]] bool is_degraded(PortId id, const Rates& rates) const {
    const Port& port = network_.port(id);
    const LinkRate supported = supported_by_both(port, network_.port(port.peer));
    if (supported.known()) return rate(id) < supported.bytes_per_second();
    if (rates.counts.size() == 1) return false;
    return rate(id) < fastest_between_.at(ends_of(id)) || rate(id) < rates.slowest_usual;
  }

  const Network& network_;
  std::vector<std::pair<PortId, const Rates*>> links_;
  std::map<LinkClass, Rates> rates_;
  std::map<std::pair<DeviceId, DeviceId>, double> fastest_between_;  // of classes whose links differ in rate
};

}  // namespace

std::vector<PortId> find_degraded_links(const Network& network) { return DegradedLinks(network).find(); }

}  // namespace ayatori
