// Grammar: infiniband-diags' ibnetdiscover, in every age since 2008, and ibsim's net files, which are a superset.
//
//   sysimgguid=0x2c5eab0300b87b40                      ids of the record that follows
//   switchguid=0x2c5eab0300b87b40(2c5eab0300b87b40)    … with the GUID of its port 0
//   Switch  65 "S-2c5eab0300b87b40"  # "leaf-1" enhanced port 0 lid 73 lmc 0
//   [1]     "H-e09d7303007a4bd8"[1](e09d7303007a4bd8)  # "host-1 mlx5_0" lid 647 4xNDR s=4 w=2 v=4
//
//   Ca      1 "H-e09d7303007a4bd8"   # "host-1 mlx5_0"
//   [1](e09d7303007a4bd8)  "S-2c5eab0300b87b40"[1]     # lid 647 lmc 0 "leaf-1" lid 73 4xNDR

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <unordered_map>

#include "ayatori/base/text.hpp"
#include "ayatori/infiniband/infiniband.hpp"
#include "cursor.hpp"
#include "port_line.hpp"
#include "report_text.hpp"
#include "saved_report.hpp"
#include "subnet.hpp"

namespace ayatori {

namespace {

std::string_view keyword_of(std::string_view line) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return {line.begin(), std::ranges::find_if_not(line, is_letter)};
}

/// 255 means "no port" in a forwarding table (specification 1.2, section 14.2.5.10).
constexpr PortNumber max_ports = 254;

constexpr std::string_view id_letters = "SHR";  // in the order of ReportedKind

/// "S-0002c90300a1b2c3", "H-…", "R-…": ids of real devices hold their GUID.
std::optional<Guid> guid_in_id(std::string_view id) {
  if (id.size() != 18 || id[1] != '-' || !id_letters.contains(id[0])) return std::nullopt;
  return parse_unsigned<Guid>(id.substr(2), 16);
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : foreign_(text, may_be_of_report), text_(text), lines_(text_) {
    subnet_.source = file;
  }

  Result<Subnet> parse() {
    if (auto checked = check_is_text(text_, subnet_.source); !checked) return Failure(checked.error());
    reserve();
    while (const auto line = lines_.next()) {
      if (auto read = read_line(*line); !read) return Failure(read.error());
    }
    if (auto checked = check_whole(); !checked) return Failure(checked.error());
    subnet_.warnings = foreign_.warnings(subnet_.source);
    return std::move(subnet_);
  }

 private:
  /// GUIDs from the lines before a record.
  struct Ids {
    std::optional<Guid> guid;
    Guid port_guid = 0;
  };

  /// Reserves what a text of this size usually needs, so that large ones are not reallocated again and again.
  void reserve() {
    constexpr std::size_t bytes_per_end = 100;
    constexpr std::size_t bytes_per_node = 500;
    subnet_.ends.reserve(text_.size() / bytes_per_end);
    subnet_.nodes.reserve(text_.size() / bytes_per_node);
    by_guid_[static_cast<std::size_t>(ReportedKind::adapter)].reserve(text_.size() / bytes_per_node);
  }

  /// Whoever shows a report on a page indents it.
  Result<> read_line(std::string_view indented) {
    const std::string_view line = trimmed(indented).empty() ? "" : indented.substr(indented.find_first_not_of(" \t"));
    const bool is_port = line.size() > 1 && line[0] == '[' && line[1] >= '0' && line[1] <= '9';
    if (is_port) return read_port(line);
    if (line.starts_with('#')) return read_remark(line);
    if (foreign_.skip(lines_.line(), indented)) return {};
    if (line.starts_with('[')) return read_port(line);  // which says what is wrong with it
    current_ = no_id;                                   // a line of any other kind ends the record
    if (line.empty()) return {};
    const std::string_view keyword = keyword_of(line);
    Cursor at(line.substr(keyword.size()));
    if (keyword == "Switch") return read_record(ReportedKind::router, at);
    if (keyword == "Ca" || keyword == "Hca") return read_record(ReportedKind::adapter, at);
    if (keyword == "Rt") return read_record(ReportedKind::subnet_router, at);
    if (keyword == "switchguid") return read_guid(ReportedKind::router, at);
    if (keyword == "caguid" || keyword == "hcaguid" || keyword == "hcaguids") {
      return read_guid(ReportedKind::adapter, at);
    }
    if (keyword == "rtguid") return read_guid(ReportedKind::subnet_router, at);
    if (keyword == "sysimgguid") return read_system_guid(at);
    if (keyword == "vendid") return read_model_id(at, vendor_id_);
    if (keyword == "devid") return read_model_id(at, model_id_);
    if (is_group_heading(keyword)) return {};
    return refuse_line(keyword, line);
  }

  /// Grouped output (-g) has headings between its records.
  static bool is_group_heading(std::string_view keyword) {
    return keyword == "Chassis" || keyword == "Non" || keyword == "Hostname";
  }

  Failure refuse_line(std::string_view keyword, std::string_view line) const {
    constexpr std::array<std::string_view, 7> commands = {"module",   "include", "do",   "pdebug",
                                                          "extspeed", "width",   "speed"};
    if (line.starts_with('@') || std::ranges::find(commands, keyword) != commands.end()) {
      return with_hint(
          fail_at(subnet_.source, lines_.line(),
                  fmt::format("expected records only, found ibsim's command \"{}\", which is not supported",
                              excerpt(line))),
          "start ibsim with this file and save what ibnetdiscover prints there");
    }
    return with_hint(expected_here("a Switch, Ca or Rt record, its ids or its ports", line), foreign_.hint());
  }

  /// ibnetdiscover names the node where it started: a file without that node has been cut off.
  Result<> read_remark(std::string_view line) {
    Cursor at(line.substr(1));
    if (!at.skip_spaces().accept("Initiated from node ")) return {};
    start_ = at.guid();
    start_line_ = lines_.line();
    if (!start_) return expected_here("the GUID of the first node", at.rest());
    return {};
  }

  Result<> read_guid(ReportedKind kind, Cursor at) {
    Ids& ids = ids_[static_cast<std::size_t>(kind)];
    if (!at.accept('=')) return expected_here("'=' and a GUID", at.rest());
    ids.guid = at.guid();
    if (!ids.guid) return expected_here("a GUID", at.rest());
    ids_line_ = lines_.line();
    if (!at.accept('(')) return {};
    const auto port_guid = at.guid();
    if (!port_guid || !at.accept(')')) return expected_here("a port's GUID and ')'", at.rest());
    ids.port_guid = *port_guid;
    return {};
  }

  Result<> read_system_guid(Cursor at) {
    const auto guid = at.accept('=') ? at.guid() : std::nullopt;
    if (!guid) return expected_here("'=' and a GUID", at.rest());
    system_guid_ = *guid;
    ids_line_ = lines_.line();
    return {};
  }

  Result<> read_model_id(Cursor at, std::uint32_t& id) {
    const auto number = at.accept('=') ? at.guid() : std::nullopt;
    if (!number || *number > std::numeric_limits<std::uint32_t>::max()) {
      return expected_here("'=' and a number of 32 bits", at.rest());
    }
    id = static_cast<std::uint32_t>(*number);
    ids_line_ = lines_.line();
    return {};
  }

  Result<> read_record(ReportedKind kind, Cursor at) {
    const std::string_view found = at.skip_spaces().rest();
    const auto port_count = at.number<PortNumber>();
    if (!port_count || *port_count == 0 || *port_count > max_ports) {
      return refuse_record("a number of ports from 1 to 254", found);
    }
    const auto id = at.skip_spaces().quoted();
    if (!id || id->empty()) return refuse_record("the node's id in quotes", at.rest());

    current_ = node_called(*id);
    ReportedNode& node = subnet_.nodes[current_];
    if (node.port_count != 0) {
      return fail_at(subnet_.source, lines_.line(),
                     fmt::format("a second record of {}, first in line {}", describe(node), node.line));
    }
    node.line = lines_.line();
    node.kind = kind;
    node.port_count = *port_count;
    if (auto described = read_description(node, at); !described) return described;
    return take_ids(node);
  }

  Failure refuse_record(std::string_view what, std::string_view found) const {
    Failure failure = expected_here(what, found);
    if (!Cursor(found).skip_spaces().accept(':')) return failure;
    return with_hint(std::move(failure), "this is a list of nodes without cables: run ibnetdiscover without -l");
  }

  /// # "leaf-1" enhanced port 0 lid 73 lmc 0      (or, long ago, without quotes)
  Result<> read_description(ReportedNode& node, Cursor at) {
    if (!at.skip_spaces().accept('#')) return {};
    at.skip_spaces();
    if (at.at('"')) {
      const auto description = at.quoted_to_last();
      if (!description) return expected_here("a node description in quotes", at.rest());
      node.description = *description;
    } else {
      const std::string_view bare = at.rest();
      std::size_t end = bare.size();
      for (const std::string_view mark : {" enhanced port ", " base port ", " port 0", " lid ", " lmc "}) {
        end = std::min(end, bare.find(mark));
      }
      node.description = trimmed(bare.substr(0, end));
      at = Cursor(bare.substr(end));
    }
    return read_switch_lid(node, at.rest());
  }

  Result<> read_switch_lid(ReportedNode& node, std::string_view tail) const {
    if (const auto lid = tail.find("lid "); lid != std::string_view::npos) {
      Cursor at(tail.substr(lid + 4));
      const auto number = at.number<Lid>();
      if (!number) return expected_here("a LID", at.rest());
      node.lid = *number;
    }
    if (const auto lmc = tail.find("lmc "); lmc != std::string_view::npos) {
      Cursor at(tail.substr(lmc + 4));
      const auto number = at.number<std::uint8_t>();
      if (!number) return expected_here("an LMC", at.rest());
      node.lmc = *number;
    }
    return {};
  }

  /// The GUID comes from the lines before the record, else from its id, else it is the next one that ibsim would give.
  Result<> take_ids(ReportedNode& node) {
    Ids& ids = ids_[static_cast<std::size_t>(node.kind)];
    const auto in_id = guid_in_id(node.id);
    if (ids.guid && in_id && ids.port_guid == *in_id && *ids.guid != *in_id) take_system_guid_from(ids);
    if (ids.guid && in_id && *ids.guid != *in_id) {
      return fail_at(subnet_.source, lines_.line(),
                     fmt::format("expected the GUID {:#018x} of the lines before, found the id \"{}\"", *ids.guid,
                                 excerpt(node.id)));
    }
    Guid& next = next_guid_[static_cast<std::size_t>(node.kind)];
    node.guid = ids.guid ? *ids.guid : in_id ? *in_id : next;
    if (node.guid == 0) return expected_here("a GUID other than 0", node.id);
    node.port_guid = ids.port_guid;
    node.system_guid = std::exchange(system_guid_, 0);
    node.vendor_id = std::exchange(vendor_id_, 0);
    node.model_id = std::exchange(model_id_, 0);
    next = node.guid + (node.kind == ReportedKind::router ? 1 : node.port_count + 1U);
    ids = {};
    ids_line_ = 0;
    return {};
  }

  /// ibdiagnet writes "switchguid=0x<system>(<node>)" for the chips of a director.
  void take_system_guid_from(Ids& ids) {
    if (system_guid_ == 0) system_guid_ = *ids.guid;
    ids.guid = std::exchange(ids.port_guid, 0);
  }

  Result<> read_port(std::string_view line) {
    if (current_ == no_id) return expected_here("a Switch, Ca or Rt record before its ports", line);
    const bool is_router = subnet_.nodes[current_].kind == ReportedKind::router;
    const auto read = read_port_line(line, is_router);
    if (!read) return expected_here(read.error().what, read.error().found);
    ReportedEnd end = read->end;
    end.line = lines_.line();
    end.node = current_;
    end.peer = node_called(read->peer);
    subnet_.ends.push_back(end);
    return {};
  }

  /// The index of the node with this id, whose record may be still to come.
  std::uint32_t node_called(std::string_view id) {
    const auto fresh = static_cast<std::uint32_t>(subnet_.nodes.size());
    const auto in_id = guid_in_id(id);
    const std::uint32_t index = in_id ? by_guid_[id_letters.find(id[0])].try_emplace(*in_id, fresh).first->second
                                      : by_text_.try_emplace(id, fresh).first->second;
    if (index == fresh) {
      ReportedNode& node = subnet_.nodes.emplace_back();
      node.id = id;
      node.line = lines_.line();  // of its first mention, until its record is read
    }
    return index;
  }

  Result<> check_whole() {
    if (ids_line_ != 0) return cut_off(ids_line_, "expected a Switch, Ca or Rt record after these ids");
    if (subnet_.nodes.empty()) {
      return with_hint(fail_at(subnet_.source, 0, "expected ibnetdiscover's output, found no Switch, Ca or Rt record"),
                       std::string(how_to_save));
    }
    for (const ReportedNode& node : subnet_.nodes) {
      if (node.port_count != 0) continue;
      return cut_off(node.line,
                     fmt::format("a cable to an unknown node: expected a record of \"{}\"", excerpt(node.id)));
    }
    if (!start_ && subnet_.ends.empty()) return fail_at(subnet_.source, 0, "expected cables, found none");
    if (start_ && std::ranges::find(subnet_.nodes, *start_, &ReportedNode::guid) == subnet_.nodes.end()) {
      return cut_off(start_line_, fmt::format("expected a record of {:#018x}, where discovery started", *start_));
    }
    subnet_.unended_line = unended_line(text_, lines_.line());
    if (current_ != no_id && subnet_.nodes[current_].line == subnet_.unended_line) {
      return cut_off(subnet_.unended_line, "expected the rest of this line");
    }
    order_by_record();
    return {};
  }

  Failure cut_off(std::size_t line, std::string what) const {
    return with_hint(fail_at(subnet_.source, line, std::move(what)), std::string(how_to_save_all));
  }

  /// Puts nodes in the order of their records, not of their first mention as a neighbour.
  void order_by_record() {
    std::vector<std::uint32_t> by_line(subnet_.nodes.size());
    for (std::uint32_t i = 0; i < by_line.size(); ++i) by_line[i] = i;
    std::ranges::sort(by_line, {}, [&](std::uint32_t i) { return subnet_.nodes[i].line; });
    std::vector<ReportedNode> ordered(by_line.size());
    std::vector<std::uint32_t> place(by_line.size());
    for (std::uint32_t i = 0; i < by_line.size(); ++i) {
      ordered[i] = subnet_.nodes[by_line[i]];
      place[by_line[i]] = i;
    }
    subnet_.nodes = std::move(ordered);
    for (ReportedEnd& end : subnet_.ends) {
      end.node = place[end.node];
      end.peer = place[end.peer];
    }
  }

  [[nodiscard]] Failure expected_here(std::string_view what, std::string_view found) const {
    return expected(subnet_.source, lines_.line(), what, found);
  }

  ForeignLines foreign_;
  std::string_view text_;
  LineReader lines_;
  Subnet subnet_;
  std::array<std::unordered_map<Guid, std::uint32_t>, 3> by_guid_;  // nodes by id: by its letter and GUID,
  std::unordered_map<std::string_view, std::uint32_t> by_text_;     // and other ids
  std::uint32_t current_ = no_id;                                   // the node whose record we are in

  std::array<Ids, 3> ids_;  // by ReportedKind
  Guid system_guid_ = 0;
  std::uint32_t vendor_id_ = 0;
  std::uint32_t model_id_ = 0;
  std::size_t ids_line_ = 0;                                        // 0: no ids are waiting for their record
  std::array<Guid, 3> next_guid_ = {0x200000, 0x100000, 0x300000};  // by ReportedKind; the first two are ibsim's

  std::optional<Guid> start_;
  std::size_t start_line_ = 0;
};

}  // namespace

Result<Network> parse_ibnetdiscover(std::string_view text, std::string_view file, std::string_view host_pattern) {
  std::string storage;  // the subnet has views of it
  const auto subnet = Parser(as_printed(text, storage), file).parse();
  if (!subnet) return Failure(subnet.error());
  return to_network(*subnet, host_pattern);
}

}  // namespace ayatori
