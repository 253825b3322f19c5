#include "ayatori/routing/service_levels.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "ayatori/base/text.hpp"

namespace ayatori {

void PathServiceLevels::set(PortId source, Lid destination, ServiceLevel sl) {
  std::vector<ServiceLevel>& row = by_source_[source];
  if (row.size() <= destination) row.resize(destination + std::size_t{1}, none);
  if (row[destination] == none) ++count_;
  row[destination] = sl;
}

std::optional<ServiceLevel> PathServiceLevels::of(PortId source, Lid destination) const {
  const auto row = by_source_.find(source);
  if (row == by_source_.end() || destination >= row->second.size()) return std::nullopt;
  const ServiceLevel sl = row->second[destination];
  return sl == none ? std::nullopt : std::optional(sl);
}

void SlToVl::set(const Network& network, DeviceId router, PortNumber in, PortNumber out, const Lanes& lanes) {
  OfRouter& own = lanes_[router];
  if (own.lanes.empty()) {
    own.width = network.device(router).port_count + std::size_t{1};
    own.lanes.assign(own.width * own.width * service_levels, none);
  }
  std::copy(lanes.begin(), lanes.end(),
            own.lanes.begin() + static_cast<std::ptrdiff_t>((in * own.width + out) * service_levels));
}

std::optional<VirtualLane> SlToVl::of(DeviceId router, PortNumber in, PortNumber out, ServiceLevel sl) const {
  const OfRouter& own = lanes_[router];
  if (own.lanes.empty()) return std::nullopt;
  const VirtualLane lane = own.lanes[(in * own.width + out) * service_levels + sl];
  return lane == none ? std::nullopt : std::optional(lane);
}

namespace {

/// The words of a line; blanks, tabs and colons separate them.
std::vector<std::string_view> words_of_entry(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t:"), line.size()));
    if (line.empty()) return words;
    const auto end = std::min(line.find_first_of(" \t:"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <typename Number>
std::optional<Number> hexadecimal(std::string_view word) {
  if (!word.starts_with("0x")) return std::nullopt;
  return parse_unsigned<Number>(word.substr(2), 16);
}

/// The GUID of a heading: "Switch 0x0002c90000000201, base LID 2, …".
std::optional<Guid> guid_of_heading(std::string_view line, std::string_view kind) {
  line.remove_prefix(kind.size());
  return hexadecimal<Guid>(trimmed(line.substr(0, line.find(','))));
}

class PathReader {
 public:
  PathReader(std::string_view text, std::string_view file, const Network& network, const LidMap& lids)
      : lines_(text), file_(file), network_(network), lids_(lids) {}

  Result<PathServiceLevels> read() {
    while (const auto line = lines_.next()) {
      if (auto taken = take_line(trimmed(*line)); !taken) return Failure(taken.error());
    }
    if (!any_)
      return fail_at(file_, 0, "no service level of a path in it; expected '0x… LID SL', or what saquery PR prints");
    return std::move(levels_);
  }

 private:
  Result<> take_line(std::string_view line) {
    if (line.empty() || line.starts_with('#') || line.starts_with("PathRecord dump")) return {};
    for (const std::string_view kind : {"Channel Adapter ", "Switch "}) {
      if (line.starts_with(kind)) return begin_source(guid_of_heading(line, kind));
    }
    if (line.starts_with("0x")) return take_entry(line);
    const auto dots = line.find("..");
    if (dots != std::string_view::npos && dots > 0) return take_field(line.substr(0, dots), line);
    return wrong(
        fmt::format("expected '0x… LID SL', a heading or a field of a path record, not '{}'", line.substr(0, 40)));
  }

  Result<> begin_source(std::optional<Guid> guid) {
    if (!guid) return wrong("expected a GUID ('0x…,') in this heading");
    return find_sources(*guid);
  }

  /// The node GUID of an adapter stands for all of its ports, as ibdmchk has it.
  Result<> find_sources(Guid guid) {
    const auto found = network_.find_guid(guid);
    if (!found) return wrong(fmt::format("the network has no port or node with GUID {:#018x}", guid));
    sources_.clear();
    has_heading_ = true;
    const DeviceId device = network_.port(*found).device;
    if (network_.is_router(device)) return {};
    if (network_.device(device).guid != guid) {
      sources_.push_back(*found);
      return {};
    }
    for (PortNumber number = 1; number <= network_.device(device).port_count; ++number) {
      const PortId port = network_.port_id(device, number);
      if (network_.port(port).connected()) sources_.push_back(port);
    }
    return {};
  }

  Result<> take_entry(std::string_view line) {
    const auto words = words_of_entry(line);
    if (line.find(':') != std::string_view::npos) {
      if (!has_heading_) return wrong("an entry before any 'Channel Adapter 0x…'");
      if (words.size() < 2) return wrong("expected 'LID : SL'");
      return note(hexadecimal<std::uint32_t>(words[0]), parse_unsigned<unsigned>(words[1]));
    }
    if (words.size() != 3) return wrong("expected '0x… LID SL'");
    const auto guid = hexadecimal<Guid>(words[0]);
    if (!guid) return wrong("expected the GUID of the source first");
    if (auto found = find_sources(*guid); !found) return found;
    return note(parse_unsigned<std::uint32_t>(words[1]), parse_unsigned<unsigned>(words[2]));
  }

  /// saquery prints dlid and slid before sl.
  Result<> take_field(std::string_view key, std::string_view line) {
    if (key != "dlid" && key != "slid" && key != "sl") return {};
    const std::string_view text = line.substr(std::min(line.find_first_not_of('.', key.size()), line.size()));
    const auto value = text.starts_with("0x") ? hexadecimal<std::uint32_t>(text) : parse_unsigned<std::uint32_t>(text);
    if (!value) return wrong(fmt::format("expected a number after '{}…'", key));
    if (key == "dlid") {
      destination_ = value;
    } else if (key == "slid") {
      const PortId owner = *value <= last_unicast_lid ? lids_.owner(static_cast<Lid>(*value)) : no_id;
      if (owner == no_id) return wrong(fmt::format("no port has the source LID {}", *value));
      sources_.clear();
      has_heading_ = true;
      if (!network_.is_router(network_.port(owner).device)) sources_.push_back(owner);
    } else {
      if (!has_heading_ || !destination_) return wrong("an SL before its slid and dlid");
      return note(std::exchange(destination_, std::nullopt), *value);
    }
    return {};
  }

  Result<> note(std::optional<std::uint32_t> lid, std::optional<unsigned> sl) {
    if (!lid || !sl) return wrong("expected a LID and an SL");
    if (*lid > last_unicast_lid) return wrong(fmt::format("LID {} is after the last unicast LID", *lid));
    if (*sl >= service_levels) return wrong(fmt::format("SL {} does not exist: they are 0 to 15", *sl));
    for (const PortId source : sources_) {
      levels_.set(source, static_cast<Lid>(*lid), static_cast<ServiceLevel>(*sl));
    }
    any_ = true;
    return {};
  }

  [[nodiscard]] Failure wrong(std::string what) const { return fail_at(file_, lines_.line(), std::move(what)); }

  LineReader lines_;
  std::string_view file_;
  const Network& network_;
  const LidMap& lids_;
  std::vector<PortId> sources_;  // whose paths follow; empty for those of a router
  bool has_heading_ = false;
  bool any_ = false;
  std::optional<std::uint32_t> destination_;
  PathServiceLevels levels_;
};

class LaneReader {
 public:
  LaneReader(std::string_view text, std::string_view file, const Network& network)
      : lines_(text), file_(file), network_(network), lanes_(network) {}

  Result<SlToVl> read() {
    while (const auto line = lines_.next()) {
      if (auto taken = take_line(trimmed(*line)); !taken) return Failure(taken.error());
    }
    for (DeviceId router = 0; router < network_.router_count(); ++router) {
      if (lanes_.has(router)) continue;
      return fail_at(file_, 0,
                     fmt::format("there is no SL-to-VL mapping of '{}', guid {:#018x}", network_.name(router),
                                 network_.device(router).guid));
    }
    return std::move(lanes_);
  }

 private:
  Result<> take_line(std::string_view line) {
    if (line.empty() || line.starts_with('#')) return {};
    if (line.starts_with("Channel Adapter ")) {
      router_ = no_id;
      is_adapter_ = true;
      return {};
    }
    if (line.starts_with("Switch ")) return begin_router(guid_of_heading(line, "Switch "));
    const auto words = words_of_entry(line);
    if (line.starts_with("0x")) return take_packed(words);
    if (words.size() != 2 + service_levels || line.find(':') == std::string_view::npos) {
      return wrong(
          fmt::format("expected 'Switch 0x…', 'IN OUT : VL…' or '0x… IN OUT 0x…', not '{}'", line.substr(0, 40)));
    }
    if (is_adapter_) return {};
    if (router_ == no_id) return wrong("an entry before any 'Switch 0x…'");
    SlToVl::Lanes lanes{};
    for (std::size_t sl = 0; sl < service_levels; ++sl) {
      const auto lane = parse_unsigned<unsigned>(words[2 + sl]);
      if (!lane || *lane > 15) return wrong(fmt::format("'{}' is no VL: they are 0 to 15", words[2 + sl]));
      lanes[sl] = static_cast<VirtualLane>(*lane);
    }
    return enter(words[0], words[1], lanes);
  }

  Result<> begin_router(std::optional<Guid> guid) {
    if (!guid) return wrong("expected the GUID of a router ('0x…')");
    const auto port = network_.find_guid(*guid);
    if (!port || !network_.is_router(network_.port(*port).device)) {
      return wrong(fmt::format("the network has no router with GUID {:#018x}", *guid));
    }
    router_ = network_.port(*port).device;
    is_adapter_ = false;
    return {};
  }

  Result<> take_packed(const std::vector<std::string_view>& words) {
    if (words.size() != 3 + service_levels / 2) return wrong("expected '0x… IN OUT' and eight bytes of VLs");
    if (auto begun = begin_router(hexadecimal<Guid>(words[0])); !begun) return begun;
    SlToVl::Lanes lanes{};
    for (std::size_t pair = 0; pair < service_levels / 2; ++pair) {
      const auto both = hexadecimal<unsigned>(words[3 + pair]);
      if (!both || *both > 0xFF) return wrong(fmt::format("'{}' are not two VLs", words[3 + pair]));
      lanes[2 * pair] = static_cast<VirtualLane>(*both >> 4);
      lanes[2 * pair + 1] = static_cast<VirtualLane>(*both & 15);
    }
    return enter(words[1], words[2], lanes);
  }

  Result<> enter(std::string_view in_word, std::string_view out_word, const SlToVl::Lanes& lanes) {
    const auto in = parse_unsigned<unsigned>(in_word);
    const auto out = parse_unsigned<unsigned>(out_word);
    if (!in || !out) return wrong("expected the numbers of two ports");
    const PortNumber count = network_.device(router_).port_count;
    if (std::max(*in, *out) > count) {
      return wrong(fmt::format("'{}' has no port {}: its ports are 1 to {}", network_.name(router_),
                               std::max(*in, *out), count));
    }
    lanes_.set(network_, router_, static_cast<PortNumber>(*in), static_cast<PortNumber>(*out), lanes);
    return {};
  }

  [[nodiscard]] Failure wrong(std::string what) const { return fail_at(file_, lines_.line(), std::move(what)); }

  LineReader lines_;
  std::string_view file_;
  const Network& network_;
  DeviceId router_ = no_id;  // whose entries follow
  bool is_adapter_ = false;
  SlToVl lanes_;
};

}  // namespace

Result<PathServiceLevels> parse_path_service_levels(std::string_view text, std::string_view file,
                                                    const Network& network, const LidMap& lids) {
  return PathReader(text, file, network, lids).read();
}

Result<SlToVl> parse_sl_to_vl(std::string_view text, std::string_view file, const Network& network) {
  return LaneReader(text, file, network).read();
}

}  // namespace ayatori
