// Grammar of `ibnetdiscover -p`: one port a line, the highest of each node first.
//
//   SW    73 65 0x2c5eab0300b87b40 4x NDR - CA   193  1 0x2c5eab0300b87b50 ( 'leaf-1' - 'host-1 mlx5_0' )
//   SW    73 64 0x2c5eab0300b87b40 4x SDR                                    'leaf-1'
//
// Fields: kind, LID, port number, GUID of the port (of a switch's port 0), width, speed; the neighbour's; descriptions.

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ayatori/base/text.hpp"
#include "ayatori/infiniband/infiniband.hpp"
#include "cursor.hpp"
#include "report_text.hpp"
#include "saved_report.hpp"
#include "subnet.hpp"

namespace ayatori {

namespace {

struct ReportedPort {
  ReportedKind kind = ReportedKind::router;
  PortNumber number = 0;
  Lid lid = 0;
  Guid guid = 0;
  std::string_view guid_text;
};

struct Line {
  std::size_t number = 0;
  ReportedPort port;
  std::optional<ReportedPort> peer;
  LinkRate rate;
  std::string_view description;
};

std::optional<ReportedKind> read_kind(Cursor& at) {
  if (at.accept("SW ")) return ReportedKind::router;
  if (at.accept("CA ")) return ReportedKind::adapter;
  if (at.accept("RT ")) return ReportedKind::subnet_router;
  return std::nullopt;
}

/// Reads "4x NDR". "4x ???" is a rate that is not known, not an error.
std::optional<LinkRate> read_rate(std::string_view width, std::string_view speed) {
  if (width.contains('?') || speed.contains('?')) return LinkRate{};
  return parse_link_rate(fmt::format("{}{}", width, speed));
}

/// The ports of one adapter are listed in descending order, and their GUIDs are consecutive.
bool same_adapter(const Line& higher, const Line& line) {
  return higher.port.kind == line.port.kind && higher.description == line.description &&
         higher.port.number > line.port.number &&
         higher.port.guid - line.port.guid == Guid{higher.port.number} - line.port.number;
}

class ReportParser {
 public:
  ReportParser(std::string_view text, std::string_view file)
      : foreign_(text, may_be_of_ports_report), text_(text), reader_(text_) {
    subnet_.source = file;
  }

  Result<Subnet> parse() {
    if (auto checked = check_is_text(text_, subnet_.source); !checked) return Failure(checked.error());
    while (const auto line = reader_.next()) {
      if (trimmed(*line).empty() || line->starts_with('#')) continue;
      Cursor at(*line);
      const bool is_port = read_kind(at.skip_spaces()).has_value();
      if (!is_port && foreign_.skip(reader_.line(), *line)) continue;
      if (auto read = read_line(*line); !read) return Failure(read.error());
    }
    subnet_.warnings = foreign_.warnings(subnet_.source);
    if (lines_.empty()) {
      return with_hint(fail_at(subnet_.source, 0, "expected the output of ibnetdiscover -p, found no port"),
                       std::string(how_to_save));
    }
    subnet_.unended_line = unended_line(text_, reader_.line());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (auto added = add_port(i); !added) return Failure(added.error());
    }
    if (auto checked = check_nodes_are_whole(); !checked) return Failure(checked.error());
    if (auto cabled = add_cables(); !cabled) return Failure(cabled.error());
    return std::move(subnet_);
  }

 private:
  Result<> read_line(std::string_view text) {
    Cursor at(text);
    Line line;
    line.number = reader_.line();
    if (auto read = read_port(at, line.port); !read) return read;
    const std::string_view rate_text = at.skip_spaces().rest();
    const std::string_view width = at.word();
    const auto rate = read_rate(width, at.skip_spaces().word());
    if (!rate) return expected_here("a width and a speed such as 4x NDR", rate_text);
    line.rate = *rate;
    if (at.skip_spaces().accept("- ")) {
      if (auto read = read_port(at, line.peer.emplace()); !read) return read;
    }
    if (auto read = read_description(at.skip_spaces(), line); !read) return read;
    lines_.push_back(line);
    return {};
  }

  Result<> read_port(Cursor& at, ReportedPort& port) const {
    const auto kind = read_kind(at.skip_spaces());
    if (!kind) return expected_here("SW, CA or RT", at.rest());
    port.kind = *kind;
    const auto lid = at.skip_spaces().number<Lid>();
    if (!lid) return expected_here("a LID", at.rest());
    port.lid = *lid;
    const auto number = at.skip_spaces().number<PortNumber>();
    if (!number) return expected_here("a port number", at.rest());
    port.number = *number;
    port.guid_text = Cursor(at.skip_spaces()).word();
    const auto guid = at.guid();
    if (!guid || *guid == 0 || !port.guid_text.starts_with("0x")) return expected_here("a GUID", port.guid_text);
    port.guid = *guid;
    return {};
  }

  /// ( 'own' - 'neighbour' ), or 'own' alone
  Result<> read_description(Cursor at, Line& line) const {
    std::string_view text = trimmed(at.rest());
    if (line.peer) {
      const auto middle = text.find("' - '");
      const bool is_pair = text.starts_with("( '") && text.ends_with("' )") && middle != std::string_view::npos;
      if (!is_pair) return expected_here("both descriptions, ( 'one' - 'other' )", text);
      line.description = middle < 3 ? std::string_view{} : text.substr(3, middle - 3);
    } else {
      if (text.size() < 2 || !text.starts_with('\'') || !text.ends_with('\'')) {
        return expected_here("a description in quotes", text);
      }
      line.description = text.substr(1, text.size() - 2);
    }
    return {};
  }

  Result<> add_port(std::size_t i) {
    const Line& line = lines_[i];
    const bool continues = i > 0 && line.port.kind != ReportedKind::router && same_adapter(lines_[i - 1], line);
    const auto fresh = static_cast<std::uint32_t>(subnet_.nodes.size());
    const auto [owner, is_new] = owner_.try_emplace(line.port.guid, continues ? fresh - 1 : fresh);
    if (!is_new && line.port.kind != ReportedKind::router) {
      return fail_at(subnet_.source, line.number,
                     fmt::format("duplicate port GUID {}: '{}' and {}", line.port.guid_text, line.description,
                                 describe(subnet_.nodes[owner->second])));
    }
    if (owner->second == fresh) subnet_.nodes.push_back(node_of(line));
    ReportedNode& node = subnet_.nodes[owner->second];
    if (node.kind != line.port.kind || (node.kind == ReportedKind::router && node.lid != line.port.lid)) {
      return fail_at(subnet_.source, line.number,
                     fmt::format("expected another port of {} as line {} has it", describe(node), node.line));
    }
    node.port_count = std::max(node.port_count, line.port.number);
    node.guid = line.port.guid;
    reported_ports_.resize(subnet_.nodes.size());
    if (line.port.number != 0) ++reported_ports_[owner->second];
    return {};
  }

  static ReportedNode node_of(const Line& line) {
    ReportedNode node;
    node.id = line.port.guid_text;
    node.description = line.description;
    node.line = line.number;
    node.kind = line.port.kind;
    if (node.kind == ReportedKind::router) node.lid = line.port.lid;
    return node;
  }

  /// Every port of a router has a line, cabled or not; an adapter has at least one. Fewer lines mean a truncated
  /// report.
  Result<> check_nodes_are_whole() const {
    for (std::size_t i = 0; i < subnet_.nodes.size(); ++i) {
      const ReportedNode& node = subnet_.nodes[i];
      const bool is_whole = node.kind != ReportedKind::router || reported_ports_[i] == node.port_count;
      if (is_whole && node.port_count != 0) continue;
      return with_hint(fail_at(subnet_.source, node.line,
                               fmt::format("expected {} ports of {}, found {}", node.port_count, describe(node),
                                           reported_ports_[i])),
                       std::string(how_to_save_all));
    }
    return {};
  }

  Result<> add_cables() {
    for (const Line& line : lines_) {
      if (!line.peer) continue;
      const auto peer = owner_.find(line.peer->guid);
      if (peer == owner_.end()) {
        return with_hint(fail_at(subnet_.source, line.number,
                                 fmt::format("a cable to an unknown node: expected lines of {}", line.peer->guid_text)),
                         std::string(how_to_save_all));
      }
      ReportedEnd end;
      end.line = line.number;
      end.node = owner_.at(line.port.guid);
      end.port = line.port.number;
      end.guid = line.port.guid;
      end.lid = line.port.lid;
      end.peer = peer->second;
      end.peer_port = line.peer->number;
      end.peer_lid = line.peer->lid;
      end.rate = line.rate;
      subnet_.ends.push_back(end);
    }
    return {};
  }

  [[nodiscard]] Failure expected_here(std::string_view what, std::string_view found) const {
    return expected(subnet_.source, reader_.line(), what, found);
  }

  ForeignLines foreign_;
  std::string_view text_;
  LineReader reader_;
  Subnet subnet_;
  std::vector<Line> lines_;
  std::vector<unsigned> reported_ports_;           // by node
  std::unordered_map<Guid, std::uint32_t> owner_;  // node of a port's GUID
};

}  // namespace

Result<Network> parse_ports_report(std::string_view text, std::string_view file, std::string_view host_pattern) {
  std::string storage;  // the subnet has views of it
  const auto subnet = ReportParser(as_printed(text, storage), file).parse();
  if (!subnet) return Failure(subnet.error());
  return to_network(*subnet, host_pattern);
}

}  // namespace ayatori
