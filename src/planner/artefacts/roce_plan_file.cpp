#include "ayatori/artefacts/roce_plan_file.hpp"

#include <fmt/core.h>

#include <set>

#include "artefact_record.hpp"

namespace ayatori {

namespace {

constexpr ArtefactHead roce_head = {
    .format = "ayatori-roce-plan",
    .name = "a plan of source ports",
    .made_by = "`ayatori roce SOURCE --job HOSTFILE --out FILE` writes one",
};
constexpr std::uint64_t min_source_port = 0xC000;
constexpr std::uint64_t max_source_port = 0xFFFF;

constexpr TextFor address_text{parse_ip_address, text_of, "expected an IP address like \"10.0.0.1\" or \"fd00::1\""};

constexpr auto describe_port = [](auto& fields, auto& port) {
  fields.member("host", port.host, FilledText{});
  fields.member("address", port.address, address_text);
};

Result<> check_addresses(const JsonValue& document, const std::vector<RocePort>& ports) {
  std::set<IpAddress> met;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (met.insert(ports[i].address).second) continue;
    return document.at("ports")->item(i)->at("address")->wrong("the second port of this address");
  }
  return {};
}

/// A row for each source, with the port for each destination.
struct SourcePorts {
  std::size_t ports;

  [[nodiscard]] Result<> read(const JsonValue& value, std::vector<std::uint16_t>& into) const {
    std::vector<std::vector<JsonValue>> rows;
    if (auto read = List{Items{}, true}.read(value, rows); !read) return read;
    const auto has_all = [&](const auto& list) { return list.size() == ports; };
    if (!has_all(rows) || !std::ranges::all_of(rows, has_all)) {
      return value.wrong(fmt::format("expected {0} rows of {0} ports", ports));
    }
    for (std::size_t from = 0; from < ports; ++from) {
      for (std::size_t to = 0; to < ports; ++to) {
        const auto port = rows[from][to].count();
        const bool fits = port && (from == to ? *port == 0 : *port >= min_source_port && *port <= max_source_port);
        if (!fits) return rows[from][to].wrong("expected a port from 49152 to 65535, and 0 from a port to itself");
        into.push_back(static_cast<std::uint16_t>(*port));
      }
    }
    return {};
  }
  [[nodiscard]] Json write(const std::vector<std::uint16_t>& source_ports) const {
    Json rows = Json::array();
    for (std::size_t i = 0; i < source_ports.size(); ++i) {
      if (i % ports == 0) rows.push_back(Json::array());
      rows.back().push_back(source_ports[i]);
    }
    return rows;
  }

 private:
  struct Items {
    [[nodiscard]] Result<> read(const JsonValue& value, std::vector<JsonValue>& into) const {
      auto items = value.items();
      if (!items) return Failure(items.error());
      into = std::move(*items);
      return {};
    }
  };
};

constexpr auto describe_roce_plan = [](auto& fields, auto& file) {
  fields.member("hash", file.hash, FilledText{});
  fields.member("reason", file.reason, Text{});
  fields.member("ports", file.ports, List{Record{describe_port}, true});
  fields.check([&](const JsonValue& document) { return check_addresses(document, file.ports); });
  fields.member("source_ports", file.source_ports, SourcePorts{file.ports.size()});
};

}  // namespace

std::string roce_plan_file_text(const RocePlanFile& file) {
  return artefact_text(roce_head, file, describe_roce_plan, -1);
}

Result<> write_roce_plan_file(const RocePlanFile& file, const std::filesystem::path& path) {
  return write_file(path, roce_plan_file_text(file));
}

Result<RocePlanFile> parse_roce_plan_file(std::string_view text, std::string_view file) {
  return parse_artefact<RocePlanFile>(roce_head, text, file, describe_roce_plan);
}

Result<RocePlanFile> read_roce_plan_file(const std::filesystem::path& path) {
  return read_artefact(path, parse_roce_plan_file);
}

}  // namespace ayatori
