#include "cluster_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "fields.hpp"

namespace ayatori::cluster {

namespace {

constexpr std::size_t max_names = std::size_t{1} << 18;
constexpr std::size_t max_links = std::size_t{1} << 20;
constexpr std::size_t max_planes = 64;

/// The switches or hosts that one table of the file gives, and the links that each of them has.
struct Described {
  bool hosts = false;
  std::vector<std::uint32_t> members = {};  ///< indices in Cluster::hosts or Cluster::switches
  std::vector<std::uint32_t> places = {};   ///< by member: where it takes its switch in a list of switches
  std::size_t place_count = 0;
  const toml::node* links = nullptr;
  const toml::table* others = nullptr;  ///< the table that may have interfaces without a cable
};

class ClusterReader {
 public:
  explicit ClusterReader(std::string_view file) : file_(file), fields_(file) {}

  Result<Cluster> read(const toml::table& document);

 private:
  Result<> read_planes(const toml::table& document);
  Result<> read_plane(const toml::key& name, const toml::node& node);
  Result<> read_switches(const toml::table& table);
  Result<> read_hosts(const toml::table& table);
  Result<> read_chassis(const toml::table& table);
  Result<std::uint32_t> read_bus(const toml::table& chassis, std::string_view name);
  Result<> read_blades(const toml::table& blades, const std::vector<std::string>& chassis);
  Result<> read_links(const Described& described);
  Result<> read_link(const Described& described, const toml::table& link);
  Result<> read_others(const Described& described);
  Result<> read_background(const toml::table& table);
  Result<std::vector<std::uint32_t>> hosts_on(const toml::table& table, std::string_view key,
                                              std::uint32_t plane) const;

  Result<> add_switches(const toml::table& table, const std::vector<std::string>& names, std::uint32_t plane);
  Result<std::uint32_t> add_host(std::string name, const toml::node& at);
  Result<> check_hosts_and_planes() const;

  Result<std::uint32_t> plane(const toml::table& table) const;

  std::string_view file_;
  Fields fields_;
  Cluster cluster_;
  std::vector<std::size_t> plane_lines_;
  std::unordered_map<std::string, std::uint32_t> switch_by_name_;
  std::unordered_map<std::string, std::uint32_t> host_by_name_;
  std::vector<std::size_t> host_lines_;
  std::vector<Described> described_;
};

Result<std::uint32_t> ClusterReader::plane(const toml::table& table) const {
  const auto name = fields_.needed_text(table, "plane");
  if (!name) return Failure(name.error());
  const auto found = std::ranges::find(cluster_.planes, *name, &Plane::name);
  if (found != cluster_.planes.end()) return static_cast<std::uint32_t>(found - cluster_.planes.begin());
  std::vector<std::string_view> known;
  for (const Plane& plane : cluster_.planes) known.emplace_back(plane.name);
  return with_hint(fields_.wrong(*table.get("plane"), fmt::format("plane: there is no plane '{}'", *name)),
                   fmt::format("known are {}", fmt::join(known, ", ")));
}

// ---- What there is

Result<> ClusterReader::read_plane(const toml::key& name, const toml::node& node) {
  const toml::table* table = node.as_table();
  if (!table) return fields_.wrong(node, fmt::format("planes: expected a table under [planes.{}]", name.str()));
  if (auto good = fields_.check_keys(*table, {"rate", "latency", "for"}); !good) return good;
  const bool fibre_channel = fields_.has_fibre_channel_rate(*table);
  const auto plane_rate = fields_.rate(*table, {}, fibre_channel);
  if (!plane_rate) return Failure(plane_rate.error());
  const auto use = fields_.use(*table, fibre_channel);
  if (!use) return Failure(use.error());
  const auto plane_latency = fields_.latency(*table, 0);
  if (!plane_latency) return Failure(plane_latency.error());
  cluster_.planes.push_back({std::string(name.str()), *plane_rate, *plane_latency, *use});
  plane_lines_.push_back(line_of(name.source()));
  return {};
}

Result<> ClusterReader::read_planes(const toml::table& document) {
  const toml::node* node = document.get("planes");
  const toml::table* planes = node ? node->as_table() : nullptr;
  if (!planes || planes->empty()) {
    return fail_at(file_, node ? line_of(*node) : 0, "expected planes, each under [planes.NAME]");
  }
  if (planes->size() > max_planes) return fields_.wrong(*node, fmt::format("planes: more than {}", max_planes));
  // toml++ keeps keys in the order of the alphabet.
  std::vector<std::pair<const toml::key*, const toml::node*>> in_order;
  for (const auto& [key, value] : *planes) in_order.emplace_back(&key, &value);
  std::ranges::stable_sort(in_order, {}, [](const auto& entry) {
    return std::pair(entry.first->source().begin.line, entry.first->source().begin.column);
  });
  for (const auto& [key, value] : in_order) {
    if (auto good = read_plane(*key, *value); !good) return good;
  }
  for (const auto& [purpose, word] :
       {std::pair(Purpose::collectives, "collectives"), {Purpose::neighbours, "neighbours"}}) {
    if (std::ranges::any_of(cluster_.planes, [&](const Plane& plane) { return plane.use.carries(purpose); })) continue;
    return with_hint(fail_at(file_, plane_lines_.back(), fmt::format("for: no plane is for MPI's {}", word)),
                     "Fibre Channel carries storage alone; a plane without 'for' carries everything");
  }
  return {};
}

Result<> ClusterReader::add_switches(const toml::table& table, const std::vector<std::string>& names,
                                     std::uint32_t plane) {
  Described described{.links = table.get("links")};
  for (const std::string& name : names) {
    if (cluster_.switches.size() == max_names)
      return fields_.wrong(table, fmt::format("more than {} switches", max_names));
    const auto index = static_cast<std::uint32_t>(cluster_.switches.size());
    if (!switch_by_name_.emplace(name, index).second)
      return fields_.wrong(table, fmt::format("'{}' is given twice", name));
    described.places.push_back(static_cast<std::uint32_t>(described.members.size()));
    described.members.push_back(index);
    cluster_.switches.push_back({name, plane});
  }
  described.place_count = names.size();
  described_.push_back(std::move(described));
  return {};
}

Result<> ClusterReader::read_switches(const toml::table& table) {
  if (auto good = fields_.check_keys(table, {"name", "plane", "links"}); !good) return good;
  const auto names = fields_.names(table, "name");
  if (!names) return Failure(names.error());
  const auto plane = this->plane(table);
  if (!plane) return Failure(plane.error());
  return add_switches(table, *names, *plane);
}

Result<std::uint32_t> ClusterReader::add_host(std::string name, const toml::node& at) {
  if (cluster_.hosts.size() == max_names) return fields_.wrong(at, fmt::format("more than {} hosts", max_names));
  const auto index = static_cast<std::uint32_t>(cluster_.hosts.size());
  if (!host_by_name_.emplace(name, index).second) return fields_.wrong(at, fmt::format("'{}' is given twice", name));
  cluster_.hosts.push_back(std::move(name));
  host_lines_.push_back(line_of(at));
  return index;
}

Result<> ClusterReader::read_hosts(const toml::table& table) {
  if (auto good = fields_.check_keys(table, {"name", "links", "others"}); !good) return good;
  auto names = fields_.names(table, "name");
  if (!names) return Failure(names.error());
  Described described{.hosts = true, .place_count = names->size(), .links = table.get("links"), .others = &table};
  for (std::string& name : *names) {
    const auto host = add_host(std::move(name), table);
    if (!host) return Failure(host.error());
    described.places.push_back(static_cast<std::uint32_t>(described.members.size()));
    described.members.push_back(*host);
  }
  described_.push_back(std::move(described));
  return {};
}

/// A chassis is a switch with a cable to each of its blades, and its blades' other links.
Result<> ClusterReader::read_chassis(const toml::table& table) {
  if (auto good = fields_.check_keys(table, {"name", "bus", "links", "blades"}); !good) return good;
  const auto names = fields_.names(table, "name");
  if (!names) return Failure(names.error());
  const toml::node* node = table.get("bus");
  const toml::table* bus = node ? node->as_table() : nullptr;
  if (!bus) return fields_.wrong(node ? *node : table, "bus: expected { plane = …, rate = … }");
  if (auto good = fields_.check_keys(*bus, {"plane", "rate", "latency"}); !good) return good;
  const auto plane = this->plane(*bus);
  if (!plane) return Failure(plane.error());
  const auto bus_rate = fields_.rate(*bus, cluster_.planes[*plane].rate, cluster_.planes[*plane].use.fibre_channel());
  if (!bus_rate) return Failure(bus_rate.error());
  const auto bus_latency = fields_.latency(*bus, cluster_.planes[*plane].latency);
  if (!bus_latency) return Failure(bus_latency.error());
  const auto first_bus = static_cast<std::uint32_t>(cluster_.switches.size());
  if (auto added = add_switches(table, *names, *plane); !added) return added;
  return fields_.each_table(table, "blades", [&](const toml::table& blades) -> Result<> {
    const std::size_t first = cluster_.hosts.size();
    if (auto good = read_blades(blades, *names); !good) return good;
    const std::size_t each = (cluster_.hosts.size() - first) / names->size();
    for (std::size_t host = first; host < cluster_.hosts.size(); ++host) {
      const auto chassis = static_cast<std::uint32_t>((host - first) / each);
      cluster_.links.push_back(
          {true, static_cast<std::uint32_t>(host), first_bus + chassis, *bus_rate, *bus_latency, {}, line_of(blades)});
    }
    return {};
  });
}

/// In every chassis, named CHASSIS-BLADE.
Result<> ClusterReader::read_blades(const toml::table& blades, const std::vector<std::string>& chassis) {
  if (auto good = fields_.check_keys(blades, {"name", "links", "others"}); !good) return good;
  const auto names = fields_.names(blades, "name");
  if (!names) return Failure(names.error());
  Described described{.hosts = true, .place_count = chassis.size(), .links = blades.get("links"), .others = &blades};
  for (std::uint32_t place = 0; place < chassis.size(); ++place) {
    for (const std::string& name : *names) {
      const auto host = add_host(fmt::format("{}-{}", chassis[place], name), blades);
      if (!host) return Failure(host.error());
      described.places.push_back(place);
      described.members.push_back(*host);
    }
  }
  described_.push_back(std::move(described));
  return {};
}

// ---- What it is plugged into

Result<> ClusterReader::read_link(const Described& described, const toml::table& link) {
  if (auto good = fields_.check_keys(link, {"to", "rate", "latency", "cables", "addresses"}); !good) return good;
  const auto names = fields_.names(link, "to");
  if (!names) return Failure(names.error());
  if (names->size() != 1 && names->size() != described.place_count) {
    return fields_.wrong(link, fmt::format("to: expected one switch, or one for each of {}, instead of {}",
                                           described.place_count, names->size()));
  }
  const auto cables = fields_.cables(link);
  if (!cables) return Failure(cables.error());
  const auto addresses = fields_.addresses(link);
  if (!addresses) return Failure(addresses.error());
  if (!addresses->empty() && (!described.hosts || described.members.size() != 1 || *cables != 1)) {
    return fields_.wrong(*link.get("addresses"), "addresses: expected in a table with one host, and of one cable");
  }
  for (std::size_t i = 0; i < described.members.size(); ++i) {
    const std::string& name = (*names)[names->size() == 1 ? 0 : described.places[i]];
    const auto found = switch_by_name_.find(name);
    if (found == switch_by_name_.end()) return fields_.wrong(link, fmt::format("to: there is no switch '{}'", name));
    const ClusterSwitch& to = cluster_.switches[found->second];
    const std::uint32_t from = described.members[i];
    if (!described.hosts && cluster_.switches[from].plane != to.plane) {
      return fields_.wrong(link,
                           fmt::format("to: '{}' is on the plane '{}', not '{}'", name, cluster_.planes[to.plane].name,
                                       cluster_.planes[cluster_.switches[from].plane].name));
    }
    if (!described.hosts && from == found->second) return fields_.wrong(link, fmt::format("to: '{}' itself", name));
    const auto link_rate =
        fields_.rate(link, cluster_.planes[to.plane].rate, cluster_.planes[to.plane].use.fibre_channel());
    if (!link_rate) return Failure(link_rate.error());
    const auto link_latency = fields_.latency(link, cluster_.planes[to.plane].latency);
    if (!link_latency) return Failure(link_latency.error());
    if (cluster_.links.size() + *cables > max_links)
      return fields_.wrong(link, fmt::format("more than {} links", max_links));
    for (std::uint32_t cable = 0; cable < *cables; ++cable) {
      cluster_.links.push_back(
          {described.hosts, from, found->second, *link_rate, *link_latency, *addresses, line_of(link)});
    }
  }
  return {};
}

Result<> ClusterReader::read_links(const Described& described) {
  if (!described.links) return {};
  const toml::array* links = described.links->as_array();
  if (!links) return fields_.wrong(*described.links, "links: expected a list of { to = … }");
  for (const toml::node& node : *links) {
    const toml::table* link = node.as_table();
    if (!link) return fields_.wrong(node, "links: expected { to = … }");
    if (auto good = read_link(described, *link); !good) return good;
  }
  return {};
}

Result<> ClusterReader::read_others(const Described& described) {
  if (!described.others) return {};
  return fields_.each_table(*described.others, "others", [&](const toml::table& other) -> Result<> {
    if (auto good = fields_.check_keys(other, {"name", "addresses"}); !good) return good;
    const auto name = fields_.needed_text(other, "name");
    if (!name) return Failure(name.error());
    const auto addresses = fields_.addresses(other);
    if (!addresses) return Failure(addresses.error());
    if (addresses->empty()) return fields_.wrong(other, "'addresses = [\"…\"]' is missing");
    for (const std::uint32_t host : described.members) cluster_.others.push_back({host, *name, *addresses});
    return {};
  });
}

/// The hosts of a list, each of which has a link on the plane.
Result<std::vector<std::uint32_t>> ClusterReader::hosts_on(const toml::table& table, std::string_view key,
                                                           std::uint32_t plane) const {
  const auto names = fields_.names(table, key);
  if (!names) return Failure(names.error());
  std::vector<std::uint32_t> hosts;
  for (const std::string& name : *names) {
    const auto found = host_by_name_.find(name);
    if (found == host_by_name_.end()) {
      return fields_.wrong(*table.get(key), fmt::format("{}: there is no host '{}'", key, name));
    }
    const bool is_on = std::ranges::any_of(cluster_.links, [&](const Link& link) {
      return link.from_host && link.from == found->second && cluster_.switches[link.to].plane == plane;
    });
    if (!is_on) {
      return fields_.wrong(*table.get(key),
                           fmt::format("{}: '{}' is not on the plane '{}'", key, name, cluster_.planes[plane].name));
    }
    hosts.push_back(found->second);
  }
  return hosts;
}

/// As many flows as the longer list has hosts; those of the other are used cyclically.
Result<> ClusterReader::read_background(const toml::table& table) {
  if (auto good = fields_.check_keys(table, {"from", "to", "plane", "rate"}); !good) return good;
  const auto plane = this->plane(table);
  if (!plane) return Failure(plane.error());
  const auto from = hosts_on(table, "from", *plane);
  if (!from) return Failure(from.error());
  const auto to = hosts_on(table, "to", *plane);
  if (!to) return Failure(to.error());
  const auto rate = fields_.rate(table, {}, false);
  if (!rate) return Failure(rate.error());
  if (!rate->known()) return fields_.wrong(table, "'rate = …' is missing");
  for (std::size_t i = 0; i < std::max(from->size(), to->size()); ++i) {
    const Background flow{(*from)[i % from->size()], (*to)[i % to->size()], *plane, *rate};
    if (flow.from == flow.to) {
      return fields_.wrong(*table.get("to"), fmt::format("to: '{}' itself", cluster_.hosts[flow.to]));
    }
    if (cluster_.background.size() == max_links)
      return fields_.wrong(table, fmt::format("more than {} flows", max_links));
    cluster_.background.push_back(flow);
  }
  return {};
}

Result<> ClusterReader::check_hosts_and_planes() const {
  std::vector<bool> linked(cluster_.hosts.size());
  std::vector<bool> used(cluster_.planes.size());
  for (const Link& link : cluster_.links) {
    if (!link.from_host) continue;
    linked[link.from] = true;
    used[cluster_.switches[link.to].plane] = true;
  }
  for (std::size_t host = 0; host < linked.size(); ++host) {
    if (!linked[host]) return fail_at(file_, host_lines_[host], fmt::format("'{}' has no link", cluster_.hosts[host]));
  }
  for (std::size_t plane = 0; plane < used.size(); ++plane) {
    if (used[plane]) continue;
    return fail_at(file_, plane_lines_[plane],
                   fmt::format("no host is on the plane '{}'", cluster_.planes[plane].name));
  }
  return {};
}

Result<Cluster> ClusterReader::read(const toml::table& document) {
  const auto by = [this](Result<> (ClusterReader::*member)(const toml::table&)) {
    return [this, member](const toml::table& table) { return (this->*member)(table); };
  };
  if (auto good = fields_.check_keys(document, {"planes", "switches", "chassis", "hosts", "background"}); !good)
    return Failure(good.error());
  if (auto good = read_planes(document); !good) return Failure(good.error());
  if (auto good = fields_.each_table(document, "switches", by(&ClusterReader::read_switches)); !good) {
    return Failure(good.error());
  }
  if (auto good = fields_.each_table(document, "chassis", by(&ClusterReader::read_chassis)); !good) {
    return Failure(good.error());
  }
  if (auto good = fields_.each_table(document, "hosts", by(&ClusterReader::read_hosts)); !good)
    return Failure(good.error());
  for (const Described& described : described_) {
    if (auto good = read_links(described); !good) return Failure(good.error());
    if (auto good = read_others(described); !good) return Failure(good.error());
  }
  if (auto good = check_hosts_and_planes(); !good) return Failure(good.error());
  if (auto good = fields_.each_table(document, "background", by(&ClusterReader::read_background)); !good) {
    return Failure(good.error());
  }
  return std::move(cluster_);
}

}  // namespace

Result<Cluster> read_cluster(std::string_view text, std::string_view file) {
  const auto document = parse_toml(text, file);
  if (!document) return Failure(document.error());
  return ClusterReader(file).read(*document);
}

}  // namespace ayatori::cluster
