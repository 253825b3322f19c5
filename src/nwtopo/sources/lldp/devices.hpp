#pragma once
/// \file
/// Identifies the devices that reports name.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ayatori/lldp/lldp.hpp"

namespace ayatori {

/// An end of a cable: a device, by its index, and the name of its port.
struct LldpEnd {
  std::size_t device = 0;
  std::string port;

  friend auto operator<=>(const LldpEnd&, const LldpEnd&) = default;
};

/// A cable as seen from one of its ends.
struct LldpCable {
  LldpEnd to;
  LinkRate rate;
  const LldpReport* report = nullptr;  ///< the first report of it
};

/// Cables by both of their ends.
using LldpCables = std::map<LldpEnd, LldpCable>;

struct LldpDevice {
  std::string name;                    ///< of its report, else the name that it announces
  const LldpReport* report = nullptr;  ///< its own
  bool forwards = false;
  std::set<std::size_t> neighbours;
};

/// Addresses have dots too, and no domain.
[[nodiscard]] std::string_view name_without_domain(std::string_view name);

/// The devices of all reports. A name without domain means the same device as the only one with that name and a domain.
class LldpDevices {
 public:
  /// Errors: two reports of one device; a short name that several long names share. Keeps pointers to the reports.
  [[nodiscard]] static Result<LldpDevices> of(const std::vector<LldpReport>& reports);

  [[nodiscard]] std::size_t size() const { return devices_.size(); }
  [[nodiscard]] const LldpDevice& operator[](std::size_t index) const { return devices_[index]; }
  /// The device that a report calls `name`.
  [[nodiscard]] std::size_t index(const std::string& name) const { return by_name_.at(name); }
  [[nodiscard]] bool is_router(std::size_t index) const;

 private:
  [[nodiscard]] Result<> add_names(const std::vector<LldpReport>& reports);
  [[nodiscard]] Result<> add_report(const LldpReport& report);

  std::vector<LldpDevice> devices_;
  std::map<std::string, std::size_t> by_name_;
};

}  // namespace ayatori
