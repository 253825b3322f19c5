#include "management.hpp"

#include <algorithm>
#include <array>

namespace ayatori {

namespace {

std::string letters_of(std::string_view port) {
  std::string letters(port.substr(0, port.find_first_of("0123456789")));
  for (char& c : letters) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return letters;
}

/// As Cumulus and SONiC (eth0), NX-OS, Onyx and OS10 (mgmt), EOS (Management, ma) and Junos (fxp, em, me, vme) call it.
bool has_management_name(const std::string& port) {
  constexpr std::array<std::string_view, 7> words = {"mgmt", "management", "ma", "fxp", "em", "me", "vme"};
  return port == "eth0" || std::ranges::find(words, letters_of(port)) != words.end();
}

class Management {
 public:
  Management(const LldpDevices& devices, const LldpCables& cables);

  [[nodiscard]] std::vector<bool> routers();

 private:
  [[nodiscard]] bool is_called_unlike_another(const LldpEnd& end) const;
  [[nodiscard]] std::size_t part_of(std::size_t router);
  [[nodiscard]] bool joins_routers(const LldpEnd& end, const LldpCable& cable) const {
    return devices_.is_router(end.device) && devices_.is_router(cable.to.device);
  }

  const LldpDevices& devices_;
  const LldpCables& cables_;
  std::set<LldpEnd> ports_;         // management ports of routers
  std::vector<std::size_t> above_;  // by device: another of its part, or itself
};

Management::Management(const LldpDevices& devices, const LldpCables& cables) : devices_(devices), cables_(cables) {
  for (const auto& [end, cable] : cables) {
    if (devices.is_router(end.device) && has_management_name(end.port) && is_called_unlike_another(end)) {
      ports_.insert(end);
    }
  }
  for (std::size_t device = 0; device < devices.size(); ++device) above_.push_back(device);
}

/// Linux calls all ports of a switch eth0, eth1, … where nobody renames them: then eth0 is one like the others.
bool Management::is_called_unlike_another(const LldpEnd& end) const {
  const std::string letters = letters_of(end.port);
  for (auto other = cables_.lower_bound({end.device, ""}); other != cables_.end(); ++other) {
    if (other->first.device != end.device) return false;
    if (letters_of(other->first.port) != letters) return true;
  }
  return false;
}

std::size_t Management::part_of(std::size_t router) {
  while (above_[router] != router) router = above_[router] = above_[above_[router]];
  return router;
}

/// Without the cables of management ports the routers fall into parts. One that such a port of another part leads to is
/// for management, unless nothing but management would be left.
std::vector<bool> Management::routers() {
  for (const auto& [end, cable] : cables_) {
    if (!joins_routers(end, cable) || ports_.contains(end) || ports_.contains(cable.to)) continue;
    above_[part_of(end.device)] = part_of(cable.to.device);
  }
  std::set<std::size_t> parts;
  for (const LldpEnd& port : ports_) {
    const LldpCable& cable = cables_.at(port);
    const std::size_t there = part_of(cable.to.device);
    if (joins_routers(port, cable) && there != part_of(port.device)) parts.insert(there);
  }
  std::vector<bool> found(devices_.size(), false);
  bool some_left = false;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    if (!devices_.is_router(device)) continue;
    found[device] = parts.contains(part_of(device));
    some_left |= !found[device];
  }
  return some_left ? found : std::vector<bool>(devices_.size(), false);
}

}  // namespace

std::vector<bool> take_management_out(const LldpDevices& devices, LldpCables& cables) {
  auto routers = Management(devices, cables).routers();
  std::erase_if(cables, [&](const auto& entry) {
    const auto& [end, cable] = entry;
    const bool joins_routers = devices.is_router(end.device) && devices.is_router(cable.to.device);
    return joins_routers && routers[end.device] != routers[cable.to.device];
  });
  return routers;
}

}  // namespace ayatori
