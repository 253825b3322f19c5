#include "ayatori/artefacts/roce_plan_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "artefact_reader.hpp"
#include "ayatori/base/files.hpp"

namespace ayatori {

namespace {

using Json = nlohmann::ordered_json;

constexpr ArtefactHead roce_head = {
    .format = "ayatori-roce-plan",
    .name = "a plan of source ports",
    .made_by = "`ayatori plan SOURCE --job HOSTFILE --roce --out FILE` writes one",
};
constexpr std::uint64_t min_source_port = 0xC000;
constexpr std::uint64_t max_source_port = 0xFFFF;

class RocePlanReader {
 public:
  explicit RocePlanReader(const JsonValue& document) : document_(document) {}

  Result<RocePlanFile> read() {
    if (auto checked = read_head(document_, roce_head); !checked) return Failure(checked.error());
    auto hash = filled_text_at(document_, "hash");
    if (!hash) return Failure(hash.error());
    file_.hash = std::move(*hash);
    auto reason = document_.text_at("reason");
    if (!reason) return Failure(reason.error());
    file_.reason = std::move(*reason);
    if (auto read = read_ports(); !read) return Failure(read.error());
    if (auto read = read_source_ports(); !read) return Failure(read.error());
    return std::move(file_);
  }

 private:
  Result<> read_ports() {
    const auto entries = filled_list_at(document_, "ports");
    if (!entries) return Failure(entries.error());
    std::set<IpAddress> met;
    for (const JsonValue& entry : *entries) {
      auto host = filled_text_at(entry, "host");
      if (!host) return Failure(host.error());
      const auto text = entry.text_at("address");
      if (!text) return Failure(text.error());
      const auto address = parse_ip_address(*text);
      if (!address) return entry.at("address")->wrong("expected an IP address like \"10.0.0.1\" or \"fd00::1\"");
      if (!met.insert(*address).second) return entry.at("address")->wrong("the second port of this address");
      file_.ports.push_back({std::move(*host), *address});
    }
    return {};
  }

  Result<> read_source_ports() {
    const auto rows = filled_list_at(document_, "source_ports");
    if (!rows) return Failure(rows.error());
    if (rows->size() != file_.ports.size()) return wrong_count(document_);
    for (const JsonValue& row : *rows) {
      const auto entries = row.items();
      if (!entries) return Failure(entries.error());
      if (entries->size() != file_.ports.size()) return wrong_count(document_);
      const std::size_t from = file_.source_ports.size() / file_.ports.size();
      for (std::size_t to = 0; to < entries->size(); ++to) {
        const auto port = (*entries)[to].count();
        const bool fits = port && (from == to ? *port == 0 : *port >= min_source_port && *port <= max_source_port);
        if (!fits) return (*entries)[to].wrong("expected a port from 49152 to 65535, and 0 from a port to itself");
        file_.source_ports.push_back(static_cast<std::uint16_t>(*port));
      }
    }
    return {};
  }

  [[nodiscard]] Failure wrong_count(const JsonValue& document) const {
    return document.at("source_ports")->wrong(fmt::format("expected {0} rows of {0} ports", file_.ports.size()));
  }

  const JsonValue& document_;
  RocePlanFile file_;
};

}  // namespace

std::string roce_plan_file_text(const RocePlanFile& file) {
  Json ports = Json::array();
  for (const RocePort& port : file.ports) ports.push_back({{"host", port.host}, {"address", text_of(port.address)}});
  Json rows = Json::array();
  for (std::size_t from = 0; from < file.ports.size(); ++from) {
    Json row = Json::array();
    for (std::size_t to = 0; to < file.ports.size(); ++to) row.push_back(file.source_port(from, to));
    rows.push_back(std::move(row));
  }
  const Json document = {{"format", roce_head.format}, {"version", artefact_version},
                         {"hash", file.hash},          {"reason", file.reason},
                         {"ports", std::move(ports)},  {"source_ports", std::move(rows)}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<> write_roce_plan_file(const RocePlanFile& file, const std::filesystem::path& path) {
  return write_file(path, roce_plan_file_text(file));
}

Result<RocePlanFile> parse_roce_plan_file(std::string_view text, std::string_view file) {
  const auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  return RocePlanReader(*document).read();
}

Result<RocePlanFile> read_roce_plan_file(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  return parse_roce_plan_file(*text, path.string());
}

}  // namespace ayatori
