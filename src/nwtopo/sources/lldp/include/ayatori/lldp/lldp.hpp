#pragma once
/// \file
/// Ethernets by what their devices announce to each other over LLDP (IEEE 802.1AB): the output of `lldpctl -f json`, or
/// `-f json0`, gathered from many hosts, and from switches that run Linux.

#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori {

/// The neighbour that a device sees on one of its interfaces.
struct LldpNeighbour {
  std::string interface;  ///< of the device that sees the neighbour
  std::string name;       ///< system name, or the chassis id if there is no name
  bool named = true;
  bool forwards = false;  ///< announces an enabled bridge or router
  std::string port;       ///< of the neighbour: see parse_lldp
  LinkRate rate;          ///< of the neighbour's port, if announced
  std::string port_description = {};
};

enum class LldpRole { unknown, host, router };

struct LldpReport {
  std::string device;
  LldpRole role = LldpRole::unknown;  ///< as the folder of the report says
  std::string file;                   ///< name of the report in errors
  std::vector<LldpNeighbour> neighbours;
};

/// Parses `text`: the output of one device, called `device`, or an object {"NAME": its output, …} of many. The id of a
/// neighbour's port is its name; if the id is a MAC address, the description, which then has the interface's name. Of
/// several protocols on one interface only LLDP counts, and of several neighbours only those with a name, if any has
/// one. Errors: not valid JSON, which XML and other formats of lldpctl are not; an interface with several neighbours.
/// `file` names the text in errors.
[[nodiscard]] Result<std::vector<LldpReport>> parse_lldp(std::string_view text, std::string_view file,
                                                         std::string_view device, LldpRole role);

/// The network, on the plane "ethernet", that all reports together describe. Names with and without their domain mean
/// the same device.
///
/// A device is a router if it forwards, and a machine otherwise. One that reported itself counts as a router only if it
/// also has cables to two other devices or more: hosts with containers forward, too. `role` overrides this rule.
///
/// A router's port has the number in its name where the names of its ports differ in one number only ("swp17",
/// "Ethernet1/17"; one more if they count from 0), else its place in the natural order of the names. Every interface of
/// a machine is a NIC; its rail is the place of the interface's name among those of all machines.
///
/// A switch's management port has a name as such ports have (see docs/sources.md), and the switch another port whose
/// name has other letters. Without the cables of these ports the routers fall into parts. Those that a management port
/// of another part leads to are on the plane "management", with the machines' interfaces to them; the cables of
/// management ports to them are left out. If every part is one of those, none is.
///
/// Errors: two reports of one device; a port with two cables (both reports are named); no machine at all.
[[nodiscard]] Result<Network> network_of_lldp(const std::vector<LldpReport>& reports);

/// Opens a file as for parse_lldp (a single output belongs to the device that the file is named after), or a folder
/// with one file per device, called NAME or NAME.json. Files in its subfolders "hosts" and "switches" have these roles.
/// ",without=NAME", also repeated, leaves out what is called so: a device, or the ports of devices; '*' stands for any
/// letters. Error: nothing is called so.
[[nodiscard]] Result<Network> open_lldp(std::string_view rest);

}  // namespace ayatori
