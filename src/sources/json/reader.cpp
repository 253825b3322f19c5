#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>

#include "ayatori/base/text.hpp"
#include "ayatori/json/json.hpp"
#include "ayatori/network/builder.hpp"

namespace ayatori {

namespace {

using Json = nlohmann::json;

constexpr std::uint64_t max_slots = std::uint64_t{1} << 26;  // of all nodes, as for formulas

struct NodeEntry {
  DeviceKind kind = DeviceKind::router;
  std::string name;
  PortNumber ports = 0;
  PlaneId plane = 0;
  Guid guid = 0;
  std::optional<std::string> machine;
  std::uint16_t rail = 0;
};

/// Reads the values of one object. What goes wrong first is kept, so that a reader runs through its keys and asks once.
class Fields {
 public:
  Fields(const Json& object, std::string place, std::initializer_list<std::string_view> keys)
      : object_(object), place_(std::move(place)) {
    if (!object.is_object()) {
      refuse("expected an object");
      return;
    }
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(keys, key) == keys.end()) refuse(fmt::format("unknown key '{}'", key));
    }
  }

  [[nodiscard]] bool has(const char* key) const { return object_.is_object() && object_.contains(key); }

  template <typename Integer>
  Integer number(const char* key, std::uint64_t most = std::numeric_limits<Integer>::max()) {
    const Json* value = find(key);
    if (value != nullptr && value->is_number_unsigned() && value->get<std::uint64_t>() <= most) {
      return static_cast<Integer>(value->get<std::uint64_t>());
    }
    refuse(fmt::format("expected a number up to {} behind '{}'", most, key));
    return {};
  }
  template <typename Integer>
  Integer number_if_any(const char* key) {
    return has(key) ? number<Integer>(key) : Integer{};
  }

  std::string text(const char* key) {
    const Json* value = find(key);
    if (value != nullptr && value->is_string()) return value->get<std::string>();
    refuse(fmt::format("expected a text behind '{}'", key));
    return {};
  }

  Guid guid_if_any(const char* key) {
    if (!has(key)) return 0;
    const auto guid = parse_guid(text(key));
    if (!guid) refuse(fmt::format("expected a GUID like \"0x0002c90300000001\" behind '{}'", key));
    return guid.value_or(0);
  }

  const Json& list(const char* key) {
    static const Json nothing = Json::array();
    const Json* value = find(key);
    if (value != nullptr && value->is_array()) return *value;
    refuse(fmt::format("expected a list behind '{}'", key));
    return nothing;
  }

  void refuse(std::string what) {
    if (problem_.empty()) problem_ = place_.empty() ? std::move(what) : place_ + ": " + what;
  }
  [[nodiscard]] Result<> check(std::string_view file) const {
    if (problem_.empty()) return {};
    return fail_at(file, 0, problem_);
  }

 private:
  [[nodiscard]] const Json* find(const char* key) const { return has(key) ? &object_[key] : nullptr; }

  const Json& object_;
  std::string place_;
  std::string problem_;
};

class JsonReader {
 public:
  JsonReader(const Json& document, std::string_view file) : document_(document), file_(file) {}

  Result<Network> read();

 private:
  Result<> read_planes(const Json& planes);
  Result<> read_nodes(const Json& nodes);
  Result<NodeEntry> read_node(const Json& json, std::size_t index);
  void add_nodes();
  NetworkBuilder::Handle add(const NodeEntry& entry);
  Result<> read_details(const Json& json, std::size_t index);
  Result<> read_cable(const Json& json, std::size_t index);

  /// One end of a cable: "[node, port]".
  std::pair<std::size_t, PortNumber> read_end(Fields& fields, const char* key) const;

  const Json& document_;
  std::string_view file_;
  NetworkBuilder builder_;
  std::vector<std::string> planes_;
  std::vector<NodeEntry> nodes_;
  std::vector<NetworkBuilder::Handle> handles_;  // by the node's place in the file
};

Result<Network> JsonReader::read() {
  Fields fields(document_, "", {"format", "version", "direct", "planes", "nodes", "cables"});
  if (!fields.has("format") || fields.text("format") != "nwtopo-json")
    fields.refuse("expected the format 'nwtopo-json'");
  if (fields.number<std::uint32_t>("version") != 1) fields.refuse("expected version 1");
  if (fields.has("direct") && !document_["direct"].is_boolean())
    fields.refuse("expected true or false behind 'direct'");
  const Json& planes = fields.list("planes");
  const Json& nodes = fields.list("nodes");
  const Json& cables = fields.list("cables");
  if (auto checked = fields.check(file_); !checked) return Failure(checked.error());

  if (fields.has("direct") && document_["direct"].get<bool>()) builder_.set_direct();
  if (auto read = read_planes(planes); !read) return Failure(read.error());
  if (auto read = read_nodes(nodes); !read) return Failure(read.error());
  for (std::size_t i = 0; i < cables.size(); ++i) {
    if (auto read = read_cable(cables[i], i); !read) return Failure(read.error());
  }
  auto network = builder_.build();
  if (!network) return fail_at(file_, 0, network.error().message);
  return network;
}

Result<> JsonReader::read_planes(const Json& planes) {
  for (const Json& plane : planes) {
    if (!plane.is_string()) return fail_at(file_, 0, "expected names in 'planes'");
    planes_.push_back(plane.get<std::string>());
  }
  if (planes_.size() > std::numeric_limits<PlaneId>::max()) return fail_at(file_, 0, "more than 65535 planes");
  return {};
}

Result<> JsonReader::read_nodes(const Json& nodes) {
  std::uint64_t slots = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto entry = read_node(nodes[i], i);
    if (!entry) return Failure(entry.error());
    slots += entry->ports + 1U;
    nodes_.push_back(std::move(*entry));
  }
  if (slots > max_slots) return fail_at(file_, 0, fmt::format("more than {} ports", max_slots));
  add_nodes();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (auto read = read_details(nodes[i], i); !read) return read;
  }
  return {};
}

Result<NodeEntry> JsonReader::read_node(const Json& json, std::size_t index) {
  Fields fields(json, fmt::format("nodes[{}]", index),
                {"kind", "name", "ports", "plane", "machine", "rail", "guid", "system_guid", "details"});
  NodeEntry entry;
  const std::string kind = fields.text("kind");
  if (kind == "nic") entry.kind = DeviceKind::nic;
  if (kind == "aggregation") entry.kind = DeviceKind::aggregation;
  if (entry.kind == DeviceKind::router && kind != "router") {
    fields.refuse(fmt::format("expected the kind router, nic or aggregation instead of '{}'", kind));
  }
  entry.name = fields.text("name");
  entry.ports = fields.number<PortNumber>("ports");
  entry.plane = fields.number_if_any<PlaneId>("plane");
  if (entry.plane >= planes_.size()) fields.refuse(fmt::format("there is no plane {}", entry.plane));
  entry.guid = fields.guid_if_any("guid");
  if (fields.has("machine")) entry.machine = fields.text("machine");
  entry.rail = fields.number_if_any<std::uint16_t>("rail");
  if (entry.kind != DeviceKind::nic && (fields.has("machine") || fields.has("rail"))) {
    fields.refuse("only a nic has a machine and a rail");
  }
  if (fields.has("rail") && !fields.has("machine")) fields.refuse("a rail without a machine");
  if (auto checked = fields.check(file_); !checked) return Failure(checked.error());
  return entry;
}

/// Plane by plane, as the builder wants them. Within a plane the order is the file's, and so are the ids of what
/// write_json wrote: builders fix them in the same way.
void JsonReader::add_nodes() {
  handles_.resize(nodes_.size());
  std::vector<std::vector<std::size_t>> on_plane(planes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) on_plane[nodes_[i].plane].push_back(i);
  for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
    builder_.begin_plane(planes_[plane]);
    for (const std::size_t i : on_plane[plane]) handles_[i] = add(nodes_[i]);
  }
}

NetworkBuilder::Handle JsonReader::add(const NodeEntry& entry) {
  if (entry.kind == DeviceKind::router) return builder_.add_router(entry.name, entry.guid, entry.ports);
  if (entry.kind == DeviceKind::aggregation) return builder_.add_aggregation_node(entry.name, entry.guid, entry.ports);
  if (!entry.machine) return builder_.add_unnamed_nic(entry.name, entry.guid, entry.ports);
  return builder_.add_nic(entry.name, entry.guid, entry.ports, *entry.machine, entry.rail);
}

Result<> JsonReader::read_details(const Json& json, std::size_t index) {
  const std::string place = fmt::format("nodes[{}]", index);
  Fields node(json, place, {"kind", "name", "ports", "plane", "machine", "rail", "guid", "system_guid", "details"});
  builder_.set_system_guid(handles_[index], node.guid_if_any("system_guid"));
  if (node.has("details")) {
    const Json& details = node.list("details");
    for (std::size_t i = 0; i < details.size(); ++i) {
      Fields fields(details[i], fmt::format("{}.details[{}]", place, i), {"port", "guid", "lid", "lmc"});
      const auto port = fields.number<PortNumber>("port", nodes_[index].ports);
      const Guid guid = fields.guid_if_any("guid");
      const auto lid = fields.number_if_any<Lid>("lid");
      const auto lmc = fields.number_if_any<std::uint8_t>("lmc");
      if (auto checked = fields.check(file_); !checked) return checked;
      builder_.set_port(handles_[index], port, guid, lid, lmc);
    }
  }
  return node.check(file_);
}

std::pair<std::size_t, PortNumber> JsonReader::read_end(Fields& fields, const char* key) const {
  const Json& end = fields.list(key);
  const auto below = [&](std::size_t i, std::uint64_t bound) {
    return end[i].is_number_unsigned() && end[i].get<std::uint64_t>() < bound;
  };
  if (end.size() != 2 || !below(0, handles_.size()) || !below(1, std::numeric_limits<PortNumber>::max() + 1UL)) {
    fields.refuse(fmt::format("expected [node, port] behind '{}', with a node from 0 to {}", key, handles_.size() - 1));
    return {0, 0};
  }
  return {end[0].get<std::size_t>(), end[1].get<PortNumber>()};
}

Result<> JsonReader::read_cable(const Json& json, std::size_t index) {
  const std::string place = fmt::format("cables[{}]", index);
  Fields fields(json, place, {"from", "to", "rate", "latency"});
  if (handles_.empty()) fields.refuse("a cable without nodes");
  const auto [from, from_port] = read_end(fields, "from");
  const auto [to, to_port] = read_end(fields, "to");
  LinkRate rate;
  if (fields.has("rate")) {
    const auto read = parse_link_rate(fields.text("rate"));
    if (!read) fields.refuse("expected a rate like \"4xHDR\" or \"25Gbit/s\" behind 'rate'");
    rate = read.value_or(LinkRate{});
  }
  const auto latency = fields.number_if_any<std::uint32_t>("latency");
  if (auto checked = fields.check(file_); !checked) return checked;
  auto connected = builder_.connect(handles_[from], from_port, handles_[to], to_port, rate, latency);
  if (!connected) return fail_at(file_, 0, fmt::format("{}: {}", place, connected.error().message));
  return {};
}

/// A key that comes twice in one object: JSON's readers differ on what it means.
class RepeatedKeys {
 public:
  bool operator()(int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event != Json::parse_event_t::key) return true;
    auto& keys = keys_.back();
    const auto key = parsed.get<std::string>();
    if (std::ranges::find(keys, key) != keys.end() && found_.empty()) found_ = key;
    keys.push_back(key);
    return true;
  }
  [[nodiscard]] const std::string& found() const { return found_; }

 private:
  std::vector<std::vector<std::string>> keys_;
  std::string found_;
};

}  // namespace

Result<Network> parse_json(std::string_view text, std::string_view file) {
  // nlohmann-json throws; no exception leaves this function.
  try {
    RepeatedKeys repeated;
    const Json document = Json::parse(text, std::ref(repeated));
    if (!repeated.found().empty())
      return fail_at(file, 0, fmt::format("the key '{}' twice in one object", repeated.found()));
    return JsonReader(document, file).read();
  } catch (const Json::parse_error& error) {
    const auto before = text.substr(0, std::min(error.byte, text.size()));
    const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
    return with_cause(fail_at(file, line, "no JSON"), error.what());
  } catch (const Json::out_of_range& error) {  // a number too large for a double
    return with_cause(fail_at(file, 0, "no JSON"), error.what());
  }
}

Result<Network> open_json(std::string_view rest) {
  if (rest.empty()) return with_hint(fail("json: names no file"), "json:FILE");
  const auto text = read_file(rest);
  if (!text) return Failure(text.error());
  return parse_json(*text, rest);
}

}  // namespace ayatori
