#include "ayatori/switch_paths/switch_paths.hpp"

#include <fmt/core.h>

#include <limits>
#include <map>
#include <set>

#include "ayatori/base/text.hpp"
#include "ayatori/network/builder.hpp"

namespace ayatori {

namespace {

using Handle = NetworkBuilder::Handle;

struct NaturalOrder {
  bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};

using Names = std::set<std::string, NaturalOrder>;

struct PathSwitch {
  Names hosts;
  Names below;
  Names above;
};

class PathsBuilder {
 public:
  explicit PathsBuilder(std::string_view file) : file_(file) {}

  [[nodiscard]] Result<> add(const HostPath& path);
  [[nodiscard]] Result<Network> build(std::string_view plane);

 private:
  [[nodiscard]] Result<> add_routers();
  [[nodiscard]] Result<> plug_hosts();
  [[nodiscard]] Result<> plug_switches();

  std::string_view file_;
  Names hosts_;
  std::map<std::string, PathSwitch, NaturalOrder> switches_;
  NetworkBuilder builder_;
  std::map<std::string, Handle, NaturalOrder> routers_;
  std::map<Handle, PortNumber> last_port_;
};

Result<> PathsBuilder::add(const HostPath& path) {
  if (!hosts_.insert(path.host).second) return fail("{}: '{}' is listed twice", file_, path.host);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < path.switches.size(); ++i) {
    const std::string& here = path.switches[i];
    if (!seen.insert(here).second) return fail("{}: '{}' is above '{}' twice", file_, here, path.host);
    if (i == 0) {
      switches_[here].hosts.insert(path.host);
    } else if (!switches_[here].above.contains(path.switches[i - 1])) {  // up one path and down another: one cable
      switches_[here].below.insert(path.switches[i - 1]);
      switches_[path.switches[i - 1]].above.insert(here);
    }
  }
  return {};
}

Result<> PathsBuilder::add_routers() {
  for (const auto& [name, each] : switches_) {
    const std::size_t ports = each.hosts.size() + each.below.size() + each.above.size();
    constexpr std::size_t most = std::numeric_limits<PortNumber>::max();
    if (ports > most) return fail("{}: '{}' needs {} ports; the maximum is {}", file_, name, ports, most);
    routers_[name] = builder_.add_router(name, 0, static_cast<PortNumber>(ports));
  }
  return {};
}

Result<> PathsBuilder::plug_hosts() {
  std::map<std::string_view, Handle> nics;
  for (const std::string& host : hosts_) nics[host] = builder_.add_nic(host, 0, 1, host, 0);
  for (const auto& [name, each] : switches_) {
    const Handle router = routers_.at(name);
    for (const std::string& host : each.hosts) {
      if (auto ok = builder_.connect(nics.at(host), 1, router, ++last_port_[router], {}); !ok) return ok;
    }
  }
  return {};
}

/// All ports downwards before any upwards.
Result<> PathsBuilder::plug_switches() {
  std::map<std::pair<Handle, Handle>, PortNumber> port_towards;
  const auto number = [&](const std::string& from, const std::string& to) {
    port_towards[{routers_.at(from), routers_.at(to)}] = ++last_port_[routers_.at(from)];
  };
  for (const auto& [name, each] : switches_) {
    for (const std::string& below : each.below) number(name, below);
    for (const std::string& above : each.above) number(name, above);
  }
  for (const auto& [ends, port] : port_towards) {
    const PortNumber other = port_towards.at({ends.second, ends.first});
    if (auto ok = builder_.connect(ends.first, port, ends.second, other, {}); !ok) return ok;
  }
  return {};
}

Result<Network> PathsBuilder::build(std::string_view plane) {
  if (hosts_.empty()) return fail("{}: no hosts", file_);
  builder_.begin_plane(std::string(plane));
  if (auto added = add_routers(); !added) return Failure(added.error());
  if (auto plugged = plug_hosts(); !plugged) return Failure(plugged.error());
  if (auto plugged = plug_switches(); !plugged) return Failure(plugged.error());
  return builder_.build();
}

Result<HostPath> path_of(const JsonValue& instance, const InstanceKeys& keys) {
  HostPath path;
  auto host = instance.text_at(keys.host);
  if (!host) return Failure(host.error());
  if (host->empty()) return instance.wrong(fmt::format("an empty {}", keys.host));
  path.host = std::move(*host);
  const auto listed = instance.find(keys.switches);
  if (!listed) return Failure(listed.error());
  if (!*listed) return path;
  const auto items = (**listed).items();
  if (!items) return Failure(items.error());
  for (const JsonValue& item : *items) {
    auto name = item.text();
    if (!name) return Failure(name.error());
    if (name->empty()) return item.wrong("an empty name");
    path.switches.push_back(std::move(*name));
  }
  if (!keys.nearest_first) std::ranges::reverse(path.switches);
  return path;
}

}  // namespace

Result<Network> network_of_paths(const std::vector<HostPath>& paths, std::string_view plane, std::string_view file) {
  PathsBuilder builder(file);
  for (const HostPath& path : paths) {
    if (auto added = builder.add(path); !added) return Failure(added.error());
  }
  return builder.build(plane);
}

Result<Network> network_of_instances(const JsonValue& list, const InstanceKeys& keys, std::string_view plane,
                                     std::string_view file) {
  const auto instances = list.items();
  if (!instances) return Failure(instances.error());
  std::vector<HostPath> paths;
  for (const JsonValue& instance : *instances) {
    auto path = path_of(instance, keys);
    if (!path) return Failure(path.error());
    paths.push_back(std::move(*path));
  }
  return network_of_paths(paths, plane, file);
}

}  // namespace ayatori
