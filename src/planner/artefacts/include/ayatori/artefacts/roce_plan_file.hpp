#pragma once
/// \file
/// Reads and writes the source ports of a job's RoCE connections as JSON. docs/roce-plan-format.md describes the file,
/// schemas/roce-plan.schema.json its members.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ip_address.hpp"

namespace ayatori {

/// A port of the job on an Ethernet.
struct RocePort {
  std::string host;
  IpAddress address;

  friend bool operator==(const RocePort&, const RocePort&) = default;
};

struct RocePlanFile {
  std::string hash;                         ///< of the switches, as `--hash` takes it
  std::string reason;                       ///< how good the plan is; for people
  std::vector<RocePort> ports;              ///< no two of one address
  std::vector<std::uint16_t> source_ports;  ///< by source · ports + destination; 0 from a port to itself

  [[nodiscard]] std::uint16_t source_port(std::size_t from, std::size_t to) const {
    return source_ports[from * ports.size() + to];
  }

  friend bool operator==(const RocePlanFile&, const RocePlanFile&) = default;
};

/// Writes the file whole or not at all. Errors: as write_file().
[[nodiscard]] Result<> write_roce_plan_file(const RocePlanFile& file, const std::filesystem::path& path);

/// Reads what write_roce_plan_file() wrote. Errors name the file, and the line or the place in it (a JSON pointer): not
/// valid JSON, another format or version, a member that is missing or not as docs/roce-plan-format.md says.
[[nodiscard]] Result<RocePlanFile> read_roce_plan_file(const std::filesystem::path& path);

/// read_roce_plan_file() for a text. `file` names it in messages.
[[nodiscard]] Result<RocePlanFile> parse_roce_plan_file(std::string_view text, std::string_view file);

/// The JSON of write_roce_plan_file().
[[nodiscard]] std::string roce_plan_file_text(const RocePlanFile& file);

}  // namespace ayatori
