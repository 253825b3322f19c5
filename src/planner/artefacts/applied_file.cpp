#include "ayatori/artefacts/applied_file.hpp"

#include "artefact_record.hpp"

namespace ayatori {

namespace {

constexpr ArtefactHead applied_head = {
    .format = "ayatori-applied",
    .name = "a record of paths",
    .made_by = "`ayatori run --plan FILE --applied-out DIR -- COMMAND` writes one for each process",
};
constexpr std::uint64_t max_lid = 0xFFFF;  // with those of multicast groups

/// AppliedPath::datagram as a word.
struct ConnectionKind {
  static constexpr std::string_view words[] = {"queue-pair", "address-handle"};

  [[nodiscard]] Result<> read(const JsonValue& value, bool& datagram) const {
    const auto word = value.text();
    if (!word) return Failure(word.error());
    if (*word != words[0] && *word != words[1]) return value.wrong("expected queue-pair or address-handle");
    datagram = *word == words[1];
    return {};
  }
  [[nodiscard]] Json write(bool datagram) const { return words[datagram ? 1 : 0]; }
};

constexpr auto describe_connections = [](auto& fields, auto& alike) {
  fields.member("kind", alike.path.datagram, ConnectionKind{});
  fields.member("port_guid", alike.path.port_guid, GuidText{});
  fields.member("slid", alike.path.slid, Count{0, max_lid});
  fields.member("dlid", alike.path.dlid, Count{0, max_lid});
  fields.member("planned", alike.path.planned, Truth{});
  fields.member("count", alike.count, Count{1});
};

constexpr auto describe_applied_file = [](auto& fields, auto& file) {
  fields.member("plan", file.plan, Text{});
  fields.member("host", file.host, FilledText{});
  fields.member("process", file.process, Count{});
  fields.member("paths_per_pair", file.paths_per_pair, Count{1, max_paths_per_pair});
  fields.member("connections", file.connections, List{Record{describe_connections}});
};

}  // namespace

std::string applied_file_text(const AppliedFile& file) {
  return artefact_text(applied_head, file, describe_applied_file);
}

Result<> write_applied_file(const AppliedFile& file, const std::filesystem::path& path) {
  return write_file(path, applied_file_text(file));
}

Result<AppliedFile> parse_applied_file(std::string_view text, std::string_view file) {
  return parse_artefact<AppliedFile>(applied_head, text, file, describe_applied_file);
}

Result<AppliedFile> read_applied_file(const std::filesystem::path& path) {
  return read_artefact(path, parse_applied_file);
}

}  // namespace ayatori
