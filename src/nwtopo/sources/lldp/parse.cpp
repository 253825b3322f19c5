#include <algorithm>
#include <functional>
#include <map>

#include "ayatori/base/text.hpp"
#include "ayatori/json_document/json_document.hpp"
#include "ayatori/lldp/lldp.hpp"
#include "media.hpp"

namespace ayatori {

namespace {

/// A member, of which `-f json0` always makes an array, and `-f json` only where there are several: the first item;
/// nothing if there is none.
Result<std::optional<JsonValue>> first(const JsonValue& object, std::string_view key) {
  auto member = object.find(key);
  if (!member) return Failure(member.error());
  if (!*member || !(**member).is_array()) return member;
  auto items = (**member).items();
  if (!items) return Failure(items.error());
  if (items->empty()) return std::nullopt;
  return std::move(items->front());
}

/// A text, as `-f json` has it, or an object with one as its 'value'. An empty string if there is none.
Result<std::string> first_value(const JsonValue& object, std::string_view key) {
  const auto item = first(object, key);
  if (!item) return Failure(item.error());
  if (!*item) return std::string();
  if (!(**item).is_object()) return (**item).text();
  const auto value = (**item).find("value");
  if (!value) return Failure(value.error());
  return *value ? (**value).text() : Result<std::string>(std::string());
}

Result<JsonValue> required(const JsonValue& object, std::string_view key) {
  auto item = first(object, key);
  if (!item) return Failure(item.error());
  if (!*item) return object.wrong(fmt::format("expected a '{}'", key));
  return std::move(**item);
}

/// All items of an array; of anything else that.
Result<std::vector<JsonValue>> one_or_many(const JsonValue& value) {
  if (value.is_array()) return value.items();
  return std::vector<JsonValue>{value};
}

Result<bool> says_that_it_forwards(const JsonValue& chassis) {
  const auto capabilities = chassis.find("capability");
  if (!capabilities) return Failure(capabilities.error());
  if (!*capabilities) return false;
  const auto items = one_or_many(**capabilities);
  if (!items) return Failure(items.error());
  for (const JsonValue& capability : *items) {
    const auto type = capability.text_at("type");
    if (!type) return Failure(type.error());
    const auto enabled = capability.truth_at("enabled");
    if (!enabled) return Failure(enabled.error());
    if (*enabled && (*type == "Bridge" || *type == "Router")) return true;
  }
  return false;
}

/// `-f json` makes the name of a chassis that has one the key of all else: {"leaf1": {"id": …, …}}.
Result<std::pair<std::string, JsonValue>> chassis_with_name(const JsonValue& chassis) {
  const auto members = chassis.members();
  if (!members) return Failure(members.error());
  if (members->size() == 1 && members->front().second.has("id")) return members->front();
  auto name = first_value(chassis, "name");
  if (!name) return Failure(name.error());
  return std::pair(std::move(*name), chassis);
}

Result<> read_chassis(const JsonValue& written, LldpNeighbour& neighbour) {
  const auto named = chassis_with_name(written);
  if (!named) return Failure(named.error());
  const JsonValue& chassis = named->second;
  Result<std::string> name = named->first;
  neighbour.named = !name->empty();
  if (!neighbour.named) {
    const auto id = required(chassis, "id");
    if (!id) return Failure(id.error());
    name = id->text_at("value");
    if (!name) return Failure(name.error());
    if (name->empty()) return chassis.wrong("expected a name or an id");
  }
  neighbour.name = *name;
  const auto forwards = says_that_it_forwards(chassis);
  if (!forwards) return Failure(forwards.error());
  neighbour.forwards = *forwards;
  return {};
}

Result<std::string> port_name(const JsonValue& port, const std::string& description) {
  const auto id = required(port, "id");
  if (!id) return Failure(id.error());
  const auto type = id->text_at("type");
  if (!type) return Failure(type.error());
  const auto value = id->text_at("value");
  if (!value) return Failure(value.error());
  if (*type == "mac" && !description.empty()) return description;
  if (value->empty()) return id->wrong("an empty port id");
  return *value;
}

Result<> read_port(const JsonValue& port, LldpNeighbour& neighbour) {
  auto description = first_value(port, "descr");
  if (!description) return Failure(description.error());
  neighbour.port_description = std::move(*description);
  auto name = port_name(port, neighbour.port_description);
  if (!name) return Failure(name.error());
  neighbour.port = std::move(*name);
  const auto negotiation = first(port, "auto-negotiation");
  if (!negotiation) return Failure(negotiation.error());
  if (!*negotiation) return {};
  const auto current = first_value(**negotiation, "current");
  if (!current) return Failure(current.error());
  neighbour.rate = rate_of_medium(*current);
  return {};
}

/// A neighbour, and the protocol that announced it.
struct Heard {
  LldpNeighbour neighbour;
  bool by_lldp = false;
};

Result<Heard> read_heard(std::string_view name, const JsonValue& interface) {
  Heard heard;
  heard.neighbour.interface = name;
  const auto via = interface.text_at("via");
  if (!via) return Failure(via.error());
  heard.by_lldp = *via == "LLDP";
  const auto chassis = required(interface, "chassis");
  if (!chassis) return Failure(chassis.error());
  if (auto read = read_chassis(*chassis, heard.neighbour); !read) return Failure(read.error());
  const auto port = required(interface, "port");
  if (!port) return Failure(port.error());
  if (auto read = read_port(*port, heard.neighbour); !read) return Failure(read.error());
  return heard;
}

/// Keeps those that the predicate holds for, if there are any.
template <typename Predicate>
void prefer(std::vector<Heard>& heard, Predicate predicate) {
  if (std::ranges::any_of(heard, predicate)) std::erase_if(heard, std::not_fn(predicate));
}

Result<LldpNeighbour> only_one(std::vector<Heard> heard, const JsonValue& interfaces) {
  prefer(heard, [](const Heard& each) { return each.by_lldp; });
  prefer(heard, [](const Heard& each) { return each.neighbour.named; });
  const LldpNeighbour& one = heard.front().neighbour;
  for (const Heard& other : heard) {
    if (other.neighbour.name == one.name && other.neighbour.port == one.port) continue;
    return with_hint(
        interfaces.wrong(fmt::format("'{}' has the neighbours '{}' port '{}' and '{}' port '{}'", one.interface,
                                     one.name, one.port, other.neighbour.name, other.neighbour.port)),
        "a cable has one other end: does a device in between forward LLDP?");
  }
  return one;
}

/// What was heard at interfaces, with their names. `-f json0` has an array of objects with a 'name'; `-f json` makes
/// the name the key, {"eth0": {…}}, and has an array of such objects where there are several.
Result<std::vector<std::pair<std::string, JsonValue>>> named_interfaces(const JsonValue& interfaces) {
  const auto items = one_or_many(interfaces);
  if (!items) return Failure(items.error());
  std::vector<std::pair<std::string, JsonValue>> named;
  for (const JsonValue& item : *items) {
    if (item.has("via")) {
      auto name = item.text_at("name");
      if (!name) return Failure(name.error());
      named.emplace_back(std::move(*name), item);
      continue;
    }
    auto members = item.members();
    if (!members) return Failure(members.error());
    for (auto& [name, heard] : *members) {
      if (name.empty()) return item.wrong("an interface without a name");
      named.emplace_back(std::move(name), std::move(heard));
    }
  }
  return named;
}

Result<std::vector<LldpNeighbour>> read_interfaces(const JsonValue& interfaces) {
  const auto named = named_interfaces(interfaces);
  if (!named) return Failure(named.error());
  std::map<std::string, std::vector<Heard>> by_interface;
  for (const auto& [name, item] : *named) {
    auto heard = read_heard(name, item);
    if (!heard) return Failure(heard.error());
    by_interface[name].push_back(std::move(*heard));
  }
  std::vector<LldpNeighbour> neighbours;
  for (auto& [name, heard] : by_interface) {
    auto neighbour = only_one(std::move(heard), interfaces);
    if (!neighbour) return Failure(neighbour.error());
    neighbours.push_back(std::move(*neighbour));
  }
  return neighbours;
}

Result<LldpReport> read_report(const JsonValue& output, std::string_view file, std::string_view device, LldpRole role) {
  LldpReport report{std::string(device), role, std::string(file), {}};
  const auto top = output.at("lldp");
  if (!top) return Failure(top.error());
  const auto part = first(output, "lldp");
  if (!part) return Failure(part.error());
  if (!*part) return report;
  const auto interfaces = (**part).find("interface");
  if (!interfaces) return Failure(interfaces.error());
  if (!*interfaces) return report;
  auto neighbours = read_interfaces(**interfaces);
  if (!neighbours) return Failure(neighbours.error());
  report.neighbours = std::move(*neighbours);
  return report;
}

/// The formats of lldpctl that are no JSON, by how they begin; empty for others.
std::string_view other_format(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with('<')) return "XML";
  if (text.starts_with("lldp.")) return "the output of lldpctl -f keyvalue";
  if (text.starts_with("---") || text.starts_with("LLDP neighbors")) return "the output of lldpctl for people";
  return "";
}

}  // namespace

Result<std::vector<LldpReport>> parse_lldp(std::string_view text, std::string_view file, std::string_view device,
                                           LldpRole role) {
  if (const std::string_view other = other_format(text); !other.empty()) {
    return with_hint(fail_at(file, 1, fmt::format("expected JSON instead of {}", other)),
                     "lldpctl -f json prints what this source reads");
  }
  const auto document = JsonValue::parse(text, file);
  if (!document) return Failure(document.error());
  const auto own = document->find("lldp");
  if (!own) return Failure(own.error());
  std::vector<LldpReport> reports;
  if (*own) {
    auto report = read_report(*document, file, device, role);
    if (!report) return Failure(report.error());
    reports.push_back(std::move(*report));
    return reports;
  }
  const auto members = document->members();
  if (!members) return Failure(members.error());
  for (const auto& [name, output] : *members) {
    if (name.empty()) return output.wrong("a device without a name");
    auto report = read_report(output, file, name, role);
    if (!report) return Failure(report.error());
    reports.push_back(std::move(*report));
  }
  return reports;
}

}  // namespace ayatori
