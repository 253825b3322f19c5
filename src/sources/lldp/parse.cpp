#include <algorithm>
#include <functional>
#include <map>

#include "ayatori/base/text.hpp"
#include "ayatori/json_document/json_document.hpp"
#include "ayatori/lldp/lldp.hpp"
#include "media.hpp"

namespace ayatori {

namespace {

/// json0 wraps every value in an array: the first item of a member; nothing if there is none.
Result<std::optional<JsonValue>> first(const JsonValue& object, std::string_view key) {
  const auto member = object.find(key);
  if (!member) return Failure(member.error());
  if (!*member) return std::nullopt;
  auto items = (**member).items();
  if (!items) return Failure(items.error());
  if (items->empty()) return std::nullopt;
  return std::move(items->front());
}

/// An empty string if the member or its value is missing.
Result<std::string> first_value(const JsonValue& object, std::string_view key) {
  const auto item = first(object, key);
  if (!item) return Failure(item.error());
  if (!*item) return std::string();
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

Result<bool> says_that_it_forwards(const JsonValue& chassis) {
  const auto capabilities = chassis.find("capability");
  if (!capabilities) return Failure(capabilities.error());
  if (!*capabilities) return false;
  const auto items = (**capabilities).items();
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

Result<> read_chassis(const JsonValue& chassis, LldpNeighbour& neighbour) {
  auto name = first_value(chassis, "name");
  if (!name) return Failure(name.error());
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

Result<std::string> port_name(const JsonValue& port) {
  const auto id = required(port, "id");
  if (!id) return Failure(id.error());
  const auto type = id->text_at("type");
  if (!type) return Failure(type.error());
  const auto value = id->text_at("value");
  if (!value) return Failure(value.error());
  const auto description = first_value(port, "descr");
  if (!description) return Failure(description.error());
  if (*type == "mac" && !description->empty()) return *description;
  if (value->empty()) return id->wrong("an empty port id");
  return *value;
}

Result<> read_port(const JsonValue& port, LldpNeighbour& neighbour) {
  auto name = port_name(port);
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

Result<Heard> read_heard(const JsonValue& interface) {
  Heard heard;
  auto name = interface.text_at("name");
  if (!name) return Failure(name.error());
  heard.neighbour.interface = std::move(*name);
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

Result<std::vector<LldpNeighbour>> read_interfaces(const JsonValue& interfaces) {
  const auto items = interfaces.items();
  if (!items) return Failure(items.error());
  std::map<std::string, std::vector<Heard>> by_interface;
  for (const JsonValue& item : *items) {
    auto heard = read_heard(item);
    if (!heard) return Failure(heard.error());
    by_interface[heard->neighbour.interface].push_back(std::move(*heard));
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
  if (!top->is_array())
    return with_hint(top->wrong("expected an array"), "this source reads the output of lldpctl -f json0");
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

}  // namespace

Result<std::vector<LldpReport>> parse_lldp(std::string_view text, std::string_view file, std::string_view device,
                                           LldpRole role) {
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
