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
constexpr std::string_view queue_pair = "queue-pair";
constexpr std::string_view address_handle = "address-handle";
constexpr TextFor connection_kind{[](std::string_view word) {
                                    const bool datagram = word == address_handle;
                                    return datagram || word == queue_pair ? std::optional(datagram) : std::nullopt;
                                  },
                                  [](bool datagram) { return datagram ? address_handle : queue_pair; },
                                  "expected queue-pair or address-handle"};

constexpr auto describe_connections = [](auto& fields, auto& alike) {
  fields.member("kind", alike.path.datagram, connection_kind);
  fields.member("port_guid", alike.path.port_guid, guid_text);
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
