#include "ayatori/tables/table_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "ayatori/base/skipped_lines.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/base/tool_messages.hpp"

namespace ayatori {

namespace {

constexpr std::size_t lid_space = std::size_t{last_unicast_lid} + 1;

/// Reads the blocks of a file, one for each router:
///
///     OpenSM    Unicast lids [0-27] of switch Lid 8 guid 0x0000000000200000 ('S-1'):
///               0x0004 001 # Channel Adapter portguid 0x0000000000100001: 'H-1'
///               27 lids dumped
///     dump_lfts Unicast lids [0x0-0x1b] of switch DR path slid 0; dlid 0; 0,1 guid 0x0000000000200000 (S-1):
///               (two lines of headings)
///               0x0004 001 : (Channel Adapter portguid 0x0000000000100001: 'H-1')
///               0x0005 001 : (path #2 out of 4: portguid 0x0000000000100001)
///               20 valid lids dumped
class TableReader {
 public:
  TableReader(std::string_view text, std::string_view file, const Network& network)
      : lines_(text), file_(file), network_(network), rows_(network.router_count()), owner_(lid_space, no_id) {}

  Result<Routes> read();

 private:
  Result<> take_line(std::string_view line);
  bool skip_message(std::string_view line);
  [[nodiscard]] std::vector<std::string> warnings() const;
  Result<> begin_block(std::string_view line);
  Result<> end_block(std::string_view line);
  Result<> take_entry(std::string_view line);
  Result<> check_port(unsigned port) const;
  Result<> enter(Lid lid, TablePort port);
  Result<> note_owner(Lid lid, std::string_view comment);

  Result<> check_complete() const;
  void take_missing_owners_from_network();
  [[nodiscard]] Result<std::vector<LidRange>> ranges() const;
  [[nodiscard]] Result<LidRange> range_of(PortId port, Lid first, Lid last) const;
  [[nodiscard]] ForwardingTables tables(Lid last_lid) const;

  [[nodiscard]] Failure wrong(std::string what) const { return fail_at(file_, lines_.line(), std::move(what)); }

  LineReader lines_;
  std::string_view file_;
  const Network& network_;
  std::vector<std::vector<TablePort>> rows_;  // by router; empty: no block yet
  std::vector<PortId> owner_;                 // by LID
  DeviceId router_ = no_id;                   // whose block is being read
  std::size_t entries_ = 0;                   // in this block
  std::size_t open_since_ = 0;                // line of a block's beginning whose end has not come
  bool blocks_have_ends_ = false;
  SkippedLines skipped_{"an entry of forwarding tables"};
  bool has_failures_ = false;
};

bool is_filler(std::string_view line) {
  return line.empty() || line.starts_with('#') || (line.starts_with("Lid ") && line.ends_with("Destination")) ||
         (line.starts_with("Port ") && line.ends_with("Info")) ||
         line == "*** WARNING ***: this command has been replaced by dump_fts";  // dump_lfts, of itself
}

/// The hexadecimal number after `key`; nothing if the line has no key, or no number follows it.
std::optional<std::uint64_t> number_after(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const auto digits = line.substr(at + key.size());
  return parse_unsigned<std::uint64_t>(digits.substr(0, digits.find_first_not_of("0123456789abcdefABCDEF")), 16);
}

/// Removes and returns the text before the next blank.
std::string_view take_word(std::string_view& line) {
  const auto end = std::min(line.find_first_of(" \t"), line.size());
  const auto word = line.substr(0, end);
  line.remove_prefix(end);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return word;
}

Result<Routes> TableReader::read() {
  while (const auto line = lines_.next()) {
    if (auto taken = take_line(trimmed(*line)); !taken) return Failure(taken.error());
  }
  if (auto complete = check_complete(); !complete) return Failure(complete.error());
  take_missing_owners_from_network();
  auto found = ranges();
  if (!found) return Failure(found.error());
  auto lids = LidMap::from_ranges(network_, std::move(*found));
  if (!lids) return fail_at(file_, 0, lids.error().message);
  Routes routes;
  routes.tables = tables(lids->last());
  routes.lids = std::move(*lids);
  routes.warnings = warnings();
  return routes;
}

Result<> TableReader::take_line(std::string_view line) {
  if (line.starts_with("0x")) return take_entry(line);
  if (line.starts_with("Unicast lids")) return begin_block(line);
  if (line.ends_with("lids dumped")) return end_block(line);
  if (is_filler(line) || skip_message(line)) return {};
  if (line.starts_with("Multicast mlids")) return wrong("these are multicast tables; expected 'Unicast lids …'");
  return wrong(fmt::format("expected 'Unicast lids …', an entry ('0x0004 001 …') or '… lids dumped', not '{}'",
                           line.substr(0, 40)));
}

/// Messages that dump_lfts and ibroute print where a router did not answer, and shell prompts around them.
bool TableReader::skip_message(std::string_view line) {
  const ToolMessage message = classify_tool_message(line);
  if (message == ToolMessage::none) return false;
  has_failures_ |= message == ToolMessage::failure;
  skipped_.add(lines_.line(), line);
  return true;
}

std::vector<std::string> TableReader::warnings() const {
  auto found = skipped_.warnings(file_);
  if (has_failures_) {
    found.push_back(
        fmt::format("{}: routers did not answer when these tables were read: entries may be missing", file_));
  }
  return found;
}

Result<> TableReader::begin_block(std::string_view line) {
  const auto guid = number_after(line, " guid 0x");
  if (!guid) return wrong("expected 'guid 0x…' of a router after 'Unicast lids …'");
  const auto port = network_.find_guid(*guid);
  if (!port || !network_.is_router(network_.port(*port).device)) {
    return wrong(fmt::format("the network has no router with GUID {:#018x}", *guid));
  }
  router_ = network_.port(*port).device;
  if (rows_[router_].empty()) rows_[router_].assign(1, ForwardingTables::no_port);
  entries_ = 0;
  if (open_since_ != 0 && blocks_have_ends_) {
    return fail_at(file_, open_since_, "this block has no end ('… lids dumped'): the file is damaged");
  }
  open_since_ = lines_.line();
  return {};
}

Result<> TableReader::end_block(std::string_view line) {
  const auto count = parse_unsigned<std::size_t>(take_word(line));
  if (router_ == no_id || !count) return wrong("expected 'Unicast lids …' before '… lids dumped'");
  // Only dump_lfts counts its entries; OpenSM gives the last LID.
  if (line.starts_with("valid") && *count != entries_) {
    return wrong(fmt::format("the block has {} entries, but says {}: the file is damaged", entries_, *count));
  }
  router_ = no_id;
  open_since_ = 0;
  blocks_have_ends_ = true;
  return {};
}

Result<> TableReader::take_entry(std::string_view line) {
  if (router_ == no_id) return wrong("an entry before any 'Unicast lids … of switch …'");
  const auto lid = parse_unsigned<std::uint32_t>(take_word(line).substr(2), 16);
  const auto port = parse_unsigned<unsigned>(take_word(line));
  if (!lid || !port) return wrong("expected a LID and a port: '0x0004 001'");
  if (*lid > last_unicast_lid) {
    return wrong(fmt::format("LID {:#06x} is after the last unicast LID, {:#06x}", *lid, last_unicast_lid));
  }
  ++entries_;
  // LID 0 belongs to no port, and dump_lfts -a lists dropped LIDs too.
  if (*lid == 0 || *port == ForwardingTables::no_port) return {};
  if (auto checked = check_port(*port); !checked) return checked;
  if (auto entered = enter(static_cast<Lid>(*lid), static_cast<TablePort>(*port)); !entered) return entered;
  return note_owner(static_cast<Lid>(*lid), line);
}

Result<> TableReader::check_port(unsigned port) const {
  const PortNumber count = network_.device(router_).port_count;
  if (port > count) {
    return wrong(fmt::format("'{}' has no port {}: its ports are 1 to {}", network_.name(router_), port, count));
  }
  if (port != 0 && !network_.port(network_.port_id(router_, static_cast<PortNumber>(port))).connected()) {
    return wrong(fmt::format("'{}' port {} has no cable", network_.name(router_), port));
  }
  return {};
}

Result<> TableReader::enter(Lid lid, TablePort port) {
  auto& row = rows_[router_];
  if (lid >= row.size()) row.resize(std::max<std::size_t>(lid + 1U, row.size() * 2), ForwardingTables::no_port);
  if (row[lid] != ForwardingTables::no_port && row[lid] != port) {
    return wrong(
        fmt::format("'{}' sends LID {:#06x} to port {} and to port {}", network_.name(router_), lid, row[lid], port));
  }
  row[lid] = port;
  return {};
}

Result<> TableReader::note_owner(Lid lid, std::string_view comment) {
  const auto guid = number_after(comment, "portguid 0x");
  if (!guid) return {};
  PortId& owner = owner_[lid];
  if (owner != no_id && network_.port(owner).guid == *guid) return {};
  const auto port = network_.find_guid(*guid);
  if (!port) return wrong(fmt::format("the network has no port with GUID {:#018x}", *guid));
  if (owner != no_id && owner != *port) {
    return wrong(fmt::format("LID {:#06x} has two owners: '{}' port {} and '{}' port {}", lid,
                             network_.name(network_.port(owner).device), network_.port(owner).number,
                             network_.name(network_.port(*port).device), network_.port(*port).number));
  }
  owner = *port;
  return {};
}

Result<> TableReader::check_complete() const {
  const auto has_block = [](const auto& row) { return !row.empty(); };
  if (std::none_of(rows_.begin(), rows_.end(), has_block)) {
    return fail_at(file_, 0, "no forwarding table in it; expected 'Unicast lids …', as OpenSM and dump_lfts write");
  }
  if (open_since_ != 0 && blocks_have_ends_) {
    return fail_at(file_, open_since_, "this block has no end ('… lids dumped'): the file is cut off");
  }
  const auto missing = std::find_if_not(rows_.begin(), rows_.end(), has_block);
  if (missing == rows_.end()) return {};
  const auto router = static_cast<DeviceId>(missing - rows_.begin());
  return fail_at(
      file_, 0,
      fmt::format("there is no table of '{}', guid {:#018x}", network_.name(router), network_.device(router).guid));
}

void TableReader::take_missing_owners_from_network() {
  std::vector<bool> used(lid_space, false);
  for (const auto& row : rows_) {
    for (std::size_t lid = 0; lid < std::min(row.size(), lid_space); ++lid) {
      if (row[lid] != ForwardingTables::no_port) used[lid] = true;
    }
  }
  for (PortId id = 0; id < network_.port_count(); ++id) {
    const Port& port = network_.port(id);
    if (port.lid == 0) continue;
    for (std::uint32_t lid = port.lid; lid < port.lid + (1U << port.lmc); ++lid) {
      if (used[lid] && owner_[lid] == no_id) owner_[lid] = id;
    }
  }
}

Result<std::vector<LidRange>> TableReader::ranges() const {
  std::map<PortId, std::pair<Lid, Lid>> first_and_last;
  for (std::uint32_t lid = first_unicast_lid; lid <= last_unicast_lid; ++lid) {
    if (owner_[lid] == no_id) continue;
    const auto [entry, is_new] = first_and_last.try_emplace(owner_[lid], lid, lid);
    entry->second.second = static_cast<Lid>(lid);
  }
  if (first_and_last.empty()) {
    return with_hint(fail_at(file_, 0, "nothing tells whose LIDs these are"),
                     "use a dump with destinations ('# … portguid 0x…'), or a network file with LIDs");
  }
  std::vector<LidRange> found;
  for (const auto& [port, lids] : first_and_last) {
    auto range = range_of(port, lids.first, lids.second);
    if (!range) return Failure(range.error());
    found.push_back(*range);
  }
  return found;
}

/// Tables may leave out some LIDs of a port. The network knows the range, or else it is the smallest that an
/// LMC can make: base LIDs are aligned to it.
Result<LidRange> TableReader::range_of(PortId id, Lid first, Lid last) const {
  const Port& port = network_.port(id);
  if (port.lid != 0 && first >= port.lid && last < port.lid + (1U << port.lmc)) return LidRange{id, port.lid, port.lmc};
  std::uint8_t lmc = 0;
  while (first >> lmc != last >> lmc) ++lmc;
  const Lid base = static_cast<Lid>(first >> lmc << lmc);
  if (lmc > max_lmc || base == 0) {
    return fail_at(file_, 0,
                   fmt::format("'{}' port {} has the LIDs {:#06x} and {:#06x}, which no LMC makes one range",
                               network_.name(port.device), port.number, first, last));
  }
  return LidRange{id, base, lmc};
}

ForwardingTables TableReader::tables(Lid last_lid) const {
  for (const auto& row : rows_) {
    std::size_t used = std::min(row.size(), lid_space);
    while (used > 0 && row[used - 1] == ForwardingTables::no_port) --used;
    if (used > 0) last_lid = std::max(last_lid, static_cast<Lid>(used - 1));
  }
  ForwardingTables tables(network_.router_count(), last_lid);
  for (DeviceId router = 0; router < rows_.size(); ++router) {
    const std::size_t known = std::min(rows_[router].size(), tables.row(router).size());
    std::copy_n(rows_[router].begin(), known, tables.row(router).begin());
  }
  return tables;
}

/// The comment after the entries of a LID. OpenSM reads the GUID, and moves the entry if the port has other LIDs.
std::vector<std::string> comments_on(const Network& network, const LidMap& lids) {
  std::vector<std::string> comments(std::size_t{lids.last()} + 1);
  for (const LidRange& range : lids.ranges()) {
    const Port& port = network.port(range.port);
    const auto text =
        fmt::format(" # {} portguid 0x{:016x}: '{}'\n", network.is_router(port.device) ? "Switch" : "Channel Adapter",
                    port.guid, network.name(port.device));
    for (std::uint32_t j = 0; j < range.count(); ++j) comments[range.base + j] = text;
  }
  for (std::string& comment : comments) {
    if (comment.empty()) comment = " # unknown node and type\n";
  }
  return comments;
}

}  // namespace

Result<Routes> parse_tables(std::string_view text, std::string_view file, const Network& network) {
  if (auto fits = check_table_ports(network); !fits) return Failure(fits.error());
  return TableReader(text, file, network).read();
}

namespace {

/// The text of entries, made from pieces that are formatted once.
class EntryText {
 public:
  EntryText(const Network& network, const Routes& routes, bool all_comments)
      : comments_(comments_on(network, routes.lids)),
        all_comments_(all_comments),
        is_commented_(routes.tables.last_lid() + std::size_t{1}) {
    for (std::uint32_t lid = 0; lid <= routes.tables.last_lid(); ++lid) lids_.push_back(fmt::format("0x{:04x} ", lid));
    for (std::uint32_t port = 0; port <= last_table_port; ++port) ports_.push_back(fmt::format("{:03}", port));
  }

  /// Calls add(piece) for the pieces of an entry.
  template <typename Add>
  void add_entry(std::uint32_t lid, TablePort port, Add add) {
    add(std::string_view(lids_[lid]));
    add(std::string_view(ports_[port]));
    add(all_comments_ || !is_commented_[lid] ? comment(lid) : std::string_view("\n"));
    is_commented_[lid] = true;
  }

 private:
  [[nodiscard]] std::string_view comment(std::uint32_t lid) const {
    return lid < comments_.size() ? std::string_view(comments_[lid]) : " # unknown node and type\n";
  }

  std::vector<std::string> comments_;
  std::vector<std::string> lids_;
  std::vector<std::string> ports_;
  bool all_comments_;
  std::vector<bool> is_commented_;  // by LID
};

std::string heading_of(const Network& network, const Routes& routes, DeviceId router) {
  return fmt::format("Unicast lids [0-{}] of switch Lid {} guid 0x{:016x} ('{}'):\n", routes.tables.last_lid(),
                     routes.lids.of(network.port_id(router, 0)).base, network.device(router).guid,
                     network.name(router));
}

std::string end_of(const Routes& routes) { return fmt::format("{} lids dumped\n", routes.tables.last_lid()); }

/// Whether the file has a block of this router.
bool is_written(const Routes& routes, DeviceId router, const Routes* changed_from) {
  if (changed_from == nullptr) return true;
  const auto now = routes.tables.row(router);
  const auto before = changed_from->tables.row(router);
  for (std::size_t lid = 0; lid < std::max(now.size(), before.size()); ++lid) {
    const TablePort one = lid < now.size() ? now[lid] : ForwardingTables::no_port;
    const TablePort other = lid < before.size() ? before[lid] : ForwardingTables::no_port;
    if (one != other) return true;
  }
  return false;
}

}  // namespace

void write_tables(const Network& network, const Routes& routes, const Sink& sink, TableFileOptions options) {
  EntryText entries(network, routes, options.comments);
  std::string block;
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    if (!is_written(routes, router, options.changed_from)) continue;
    block = heading_of(network, routes, router);
    const auto row = routes.tables.row(router);
    for (std::uint32_t lid = 0; lid < row.size(); ++lid) {
      if (row[lid] == ForwardingTables::no_port) continue;
      entries.add_entry(lid, row[lid], [&](std::string_view piece) { block += piece; });
    }
    block += end_of(routes);
    sink(block);
  }
}

std::uint64_t table_file_bytes(const Network& network, const Routes& routes, TableFileOptions options) {
  EntryText entries(network, routes, options.comments);
  std::uint64_t bytes = 0;
  for (DeviceId router = 0; router < network.router_count(); ++router) {
    if (!is_written(routes, router, options.changed_from)) continue;
    bytes += heading_of(network, routes, router).size() + end_of(routes).size();
    const auto row = routes.tables.row(router);
    for (std::uint32_t lid = 0; lid < row.size(); ++lid) {
      if (row[lid] == ForwardingTables::no_port) continue;
      entries.add_entry(lid, row[lid], [&](std::string_view piece) { bytes += piece.size(); });
    }
  }
  return bytes;
}

void write_guid_to_lid(const Network& network, const LidMap& lids, const Sink& sink) {
  for (const LidRange& range : lids.ranges()) {
    sink(fmt::format("0x{:016x} 0x{:04x} 0x{:04x}\n\n", network.port(range.port).guid, range.base,
                     range.base + range.count() - 1));
  }
}

}  // namespace ayatori
