#include "ayatori/artefacts/applied_file.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "artefact_reader.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

using Json = nlohmann::ordered_json;

constexpr ArtefactHead applied_head = {
    .format = "ayatori-applied",
    .name = "a record of paths",
    .made_by = "`ayatori run --plan FILE --applied-out DIR -- COMMAND` writes one for each process",
};
constexpr std::string_view kinds[] = {"queue-pair", "address-handle"};
constexpr std::uint64_t max_lid = 0xFFFF;  // with those of multicast groups

Json connections_as_json(const AppliedConnections& connections) {
  const AppliedPath& path = connections.path;
  return {{"kind", kinds[path.datagram ? 1 : 0]},
          {"port_guid", fmt::format("{:#018x}", path.port_guid)},
          {"slid", path.slid},
          {"dlid", path.dlid},
          {"planned", path.planned},
          {"count", connections.count}};
}

Result<bool> read_kind(const JsonValue& item) {
  const auto word = item.text_at("kind");
  if (!word) return Failure(word.error());
  if (*word == kinds[0] || *word == kinds[1]) return *word == kinds[1];
  return item.at("kind")->wrong("expected queue-pair or address-handle");
}

Result<Guid> read_guid(const JsonValue& item) {
  const auto text = item.text_at("port_guid");
  if (!text) return Failure(text.error());
  const auto guid = text->starts_with("0x") ? parse_guid(*text) : std::nullopt;
  if (!guid) return item.at("port_guid")->wrong("expected a GUID like \"0x0002c90300a1b2c3\"");
  return *guid;
}

Result<AppliedConnections> read_connections(const JsonValue& item) {
  AppliedConnections read;
  const auto datagram = read_kind(item);
  if (!datagram) return Failure(datagram.error());
  read.path.datagram = *datagram;
  const auto guid = read_guid(item);
  if (!guid) return Failure(guid.error());
  read.path.port_guid = *guid;
  const auto slid = count_at(item, "slid", 0, max_lid);
  if (!slid) return Failure(slid.error());
  read.path.slid = static_cast<Lid>(*slid);
  const auto dlid = count_at(item, "dlid", 0, max_lid);
  if (!dlid) return Failure(dlid.error());
  read.path.dlid = static_cast<Lid>(*dlid);
  const auto planned = item.truth_at("planned");
  if (!planned) return Failure(planned.error());
  read.path.planned = *planned;
  const auto count = count_at(item, "count", 1, max_count);
  if (!count) return Failure(count.error());
  read.count = *count;
  return read;
}

}  // namespace

std::string applied_file_text(const AppliedFile& file) {
  Json connections = Json::array();
  for (const AppliedConnections& each : file.connections) connections.push_back(connections_as_json(each));
  const Json document = {{"format", applied_head.format},
                         {"version", artefact_version},
                         {"plan", file.plan},
                         {"host", file.host},
                         {"process", file.process},
                         {"paths_per_pair", file.paths_per_pair},
                         {"connections", std::move(connections)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<> write_applied_file(const AppliedFile& file, const std::filesystem::path& path) {
  return write_file(path, applied_file_text(file));
}

Result<AppliedFile> parse_applied_file(std::string_view text, std::string_view file) {
  const auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  if (auto checked = read_head(*document, applied_head); !checked) return Failure(checked.error());
  AppliedFile read;
  auto plan = document->text_at("plan");
  if (!plan) return Failure(plan.error());
  read.plan = std::move(*plan);
  auto host = filled_text_at(*document, "host");
  if (!host) return Failure(host.error());
  read.host = std::move(*host);
  const auto process = count_at(*document, "process", 0, max_count);
  if (!process) return Failure(process.error());
  read.process = *process;
  const auto paths = count_at(*document, "paths_per_pair", 1, max_paths_per_pair);
  if (!paths) return Failure(paths.error());
  read.paths_per_pair = static_cast<std::uint32_t>(*paths);
  const auto list = document->at("connections");
  if (!list) return Failure(list.error());
  const auto items = list->items();
  if (!items) return Failure(items.error());
  for (const JsonValue& item : *items) {
    const auto connections = read_connections(item);
    if (!connections) return Failure(connections.error());
    read.connections.push_back(*connections);
  }
  return read;
}

Result<AppliedFile> read_applied_file(const std::filesystem::path& path) {
  const auto text = read_file(path);
  if (!text) return Failure(text.error());
  return parse_applied_file(*text, path.string());
}

}  // namespace ayatori
