#include "ayatori/aries/aries.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ayatori/base/files.hpp"
#include "ayatori/base/skipped_lines.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/network/builder.hpp"
#include "tile_line.hpp"

namespace ayatori {

namespace {

using namespace aries;

/// What is listed for a tile.
struct ListedTile {
  std::size_t line = 0;  ///< 0: not listed
  TileLine::Leads leads = TileLine::Leads::nowhere;
  std::uint32_t other = no_id;  ///< index of the router at the other end
  PortNumber other_port = 0;
};

struct Router {
  std::string_view name;
  std::string_view blade;
  std::array<ListedTile, tile_count + 1> tiles;  ///< by port number
};

class AriesReader {
 public:
  AriesReader(std::string_view text, std::string_view file) : lines_(text), file_(file) {}

  Result<Network> read();

 private:
  Result<> read_line(std::string_view line);
  std::uint32_t router_of(const Tile& tile);
  [[nodiscard]] Result<> check_other_ends() const;
  [[nodiscard]] Result<> add_hosts(NetworkBuilder& builder, std::uint32_t router) const;
  [[nodiscard]] Result<> connect_routers(NetworkBuilder& builder, std::uint32_t router) const;

  LineReader lines_;
  std::string_view file_;
  std::vector<Router> routers_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  SkippedLines skipped_{"a tile"};
  bool lists_processors_ = false;
  bool lists_other_tiles_ = false;  ///< tiles without a cable to another router
};

std::uint32_t AriesReader::router_of(const Tile& tile) {
  const auto [entry, is_new] = by_name_.try_emplace(tile.router, static_cast<std::uint32_t>(routers_.size()));
  if (is_new) routers_.push_back({tile.router, tile.blade, {}});
  return entry->second;
}

Result<> AriesReader::read_line(std::string_view text) {
  const auto line = read_tile_line(text);
  if (!line) return fail_at(file_, lines_.line(), line.error().message);
  const std::uint32_t router = router_of(line->tile);
  const std::uint32_t other = line->leads == TileLine::Leads::to_tile ? router_of(line->other) : no_id;
  ListedTile& tile = routers_[router].tiles[line->tile.port];
  if (tile.line != 0) {
    return fail_at(file_, lines_.line(), fmt::format("the tile is listed a second time, first in line {}", tile.line));
  }
  tile = {lines_.line(), line->leads, other, line->other.port};
  lists_processors_ |= line->leads == TileLine::Leads::to_processor;
  lists_other_tiles_ |= line->leads != TileLine::Leads::to_tile;
  return {};
}

/// `rtr --interconnect` lists all tiles, so that a cable is listed from both ends unless the list is cut off. A list of
/// cables alone may have each of them once.
Result<> AriesReader::check_other_ends() const {
  std::optional<std::size_t> one_sided;
  bool lists_all_tiles = lists_other_tiles_;
  for (std::uint32_t i = 0; i < routers_.size(); ++i) {
    for (PortNumber port = 1; port <= tile_count; ++port) {
      const ListedTile& tile = routers_[i].tiles[port];
      if (tile.other == no_id) continue;
      const ListedTile& there = routers_[tile.other].tiles[tile.other_port];
      if (there.line == 0) {
        one_sided = std::min(one_sided.value_or(tile.line), tile.line);
      } else if (there.other == i && there.other_port == port) {
        lists_all_tiles = true;
      } else {
        return fail_at(file_, tile.line,
                       fmt::format("a cable to '{}' port {}, for which line {} lists another end",
                                   routers_[tile.other].name, tile.other_port, there.line));
      }
    }
  }
  if (!lists_all_tiles || !one_sided) return {};
  return with_hint(fail_at(file_, *one_sided, "a cable whose other end is not listed"),
                   "the list covers only a part of the system: save all that rtr --interconnect prints");
}

/// Two neighbouring processor tiles belong to one NIC.
Result<> AriesReader::add_hosts(NetworkBuilder& builder, std::uint32_t router) const {
  const Router& aries = routers_[router];
  // The nodes of a blade with one Aries are named after the blade.
  const std::string_view prefix = aries.name.ends_with("a0") ? aries.blade : aries.name;
  for (PortNumber nic = 0; nic < nics_per_router; ++nic) {
    const auto first = static_cast<PortNumber>(first_processor_port + 2 * nic);
    const auto leads_to_nic = [&](PortNumber port) {
      return aries.tiles[port].leads == TileLine::Leads::to_processor || (!lists_processors_ && port == first);
    };
    const auto second = static_cast<PortNumber>(first + 1);
    if (!leads_to_nic(first) && !leads_to_nic(second)) continue;
    const std::string host = fmt::format("{}n{}", prefix, nic);
    const auto handle = builder.add_nic(host, 0, 1, host, 0);
    const auto connected = builder.connect(handle, 1, router, leads_to_nic(first) ? first : second, {});
    if (!connected) return fail("{}: {}", file_, connected.error().message);
  }
  return {};
}

Result<> AriesReader::connect_routers(NetworkBuilder& builder, std::uint32_t router) const {
  for (PortNumber port = 1; port <= tile_count; ++port) {
    const ListedTile& tile = routers_[router].tiles[port];
    if (tile.other == no_id) continue;
    const auto connected = builder.connect(router, port, tile.other, tile.other_port, {});
    if (!connected) return fail_at(file_, tile.line, connected.error().message);
  }
  return {};
}

Result<Network> AriesReader::read() {
  while (const auto line = lines_.next()) {
    const std::string_view content = trimmed(*line);
    if (content.empty() || content.starts_with('#')) continue;
    if (!begins_with_tile(content)) {
      skipped_.add(lines_.line(), content);
    } else if (auto read = read_line(content); !read) {
      return Failure(read.error());
    }
  }
  if (routers_.empty()) return fail("{}: expected tiles like 'c0-0c0s0a0l00 green -> c0-0c0s6a0l10'", file_);
  if (auto checked = check_other_ends(); !checked) return Failure(checked.error());
  NetworkBuilder builder;
  builder.begin_plane("aries");
  for (const Router& router : routers_) builder.add_router(router.name, 0, tile_count);
  for (std::uint32_t i = 0; i < routers_.size(); ++i) {
    if (auto connected = connect_routers(builder, i); !connected) return Failure(connected.error());
  }
  for (std::uint32_t i = 0; i < routers_.size(); ++i) {
    if (auto added = add_hosts(builder, i); !added) return Failure(added.error());
  }
  for (std::string& warning : skipped_.warnings(file_)) builder.add_warning(std::move(warning));
  auto network = builder.build();
  if (!network) return fail("{}: {}", file_, network.error().message);
  if (network->machines().empty()) return fail("{}: no processor tile is listed, so there are no hosts", file_);
  return network;
}

}  // namespace

Result<Network> parse_aries(std::string_view text, std::string_view file) { return AriesReader(text, file).read(); }

Result<Network> open_aries(std::string_view file) {
  if (file.empty()) return with_hint(fail("aries: no file is given"), "aries:FILE (output of rtr --interconnect)");
  const auto text = read_file(file);
  return text ? parse_aries(*text, file) : Failure(text.error());
}

}  // namespace ayatori
