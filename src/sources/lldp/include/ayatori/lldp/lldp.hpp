#pragma once
/// \file
/// Ethernets by what their devices hear of each other over LLDP (IEEE 802.1AB): the output of `lldpctl -f json0`,
/// gathered from many hosts, and from switches that run Linux.

#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// What a device hears on one of its interfaces: what is plugged in at the other end.
struct LldpNeighbour {
  std::string interface;  ///< of the device that hears
  std::string name;       ///< system name, or the chassis id of one that tells none
  bool named = true;
  bool forwards = false;  ///< says that it is a bridge or router, enabled
  std::string port;       ///< of the neighbour: see parse_lldp
  LinkRate rate;          ///< of the neighbour's port, if it tells
};

enum class LldpRole { unknown, host, router };

struct LldpReport {
  std::string device;
  LldpRole role = LldpRole::unknown;  ///< as whoever gathered it says
  std::string file;                   ///< where it stands, for errors
  std::vector<LldpNeighbour> neighbours;
};

/// `text` is one device's output, called `device`, or an object {"NAME": its output, …} of many. A neighbour's port
/// goes by its id, or where that is a MAC address, by its description, which is then the interface's name. An interface
/// that hears several protocols counts with LLDP only, and with neighbours that have a name if there are any. Errors:
/// no JSON, another format of lldpctl, an interface with several neighbours. `file` is named in errors.
[[nodiscard]] Result<std::vector<LldpReport>> parse_lldp(std::string_view text, std::string_view file,
                                                         std::string_view device, LldpRole role);

/// The network on the plane "ethernet" that all reports together show. Devices are the same if their names are, with or
/// without domain.
///
/// A device is a router if it forwards, and a machine otherwise. One that reported itself counts as a router only if it
/// also has cables to two other devices or more: hosts with containers forward too. `role` overrules that.
///
/// A router's port has the number in its name where the names of its ports differ in one number only ("swp17",
/// "Ethernet1/17"; one more if they count from 0), else its place in the natural order of the names. Every interface of
/// a machine is a NIC; its rail is the place of the interface's name among those of all machines.
///
/// Errors: a device that reported twice, a port with two cables (both reports are named), routers alone.
[[nodiscard]] Result<Network> network_of_lldp(const std::vector<LldpReport>& reports);

/// `rest` is a file as for parse_lldp (a single output is that of the device that the file is called after), or a
/// folder with a file a device, called NAME or NAME.json. Files in its subfolders "hosts" and "switches" are of the one
/// or the other.
[[nodiscard]] Result<Network> open_lldp(std::string_view rest);

}  // namespace ayatori
