#pragma once
/// \file
/// The content of a JSON file, as far as it can be checked value by value. Cables may precede the devices that they
/// join, so that ids are checked when the network is built.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/link_rate.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori::json_format {

struct DeviceRecord {
  std::string name;
  std::optional<std::string> machine;
  Guid guid = 0;
  Guid system_guid = 0;
  std::uint32_t vendor_id = 0;
  std::uint32_t model_id = 0;
  std::size_t first_detail = 0;  ///< into Records::details; its details end where those of the next device begin
  PortNumber ports = 0;
  PlaneId plane = 0;
  std::uint16_t rail = 0;
  DeviceKind kind = DeviceKind::router;
};

struct DetailRecord {
  Guid guid = 0;
  std::uint32_t port = no_id;  ///< no_id if the file does not have it
  Lid lid = 0;
  std::uint8_t lmc = 0;
  LinkRate max_rate;
};

/// "[node, port]"
struct EndRecord {
  std::uint64_t device = 0;
  std::uint64_t port = 0;
};

struct CableRecord {
  EndRecord from;
  EndRecord to;
  LinkRate rate;
  std::uint32_t latency = 0;
};

struct Records {
  bool direct = false;
  std::optional<DeclaredGrid> grid;
  std::vector<Plane> planes;
  std::vector<DeviceRecord> devices;
  std::vector<DetailRecord> details;
  std::vector<CableRecord> cables;
  std::vector<CableRecord> background;  ///< without latency
};

/// Reads the text in one pass. Errors as of parse_json, except those of build_network().
[[nodiscard]] Result<Records> read_records(std::string_view text, std::string_view file);

/// Builds the network. Errors: a plane, device or port that does not exist; all that NetworkBuilder refuses.
[[nodiscard]] Result<Network> build_network(const Records& records, std::string_view file);

}  // namespace ayatori::json_format
