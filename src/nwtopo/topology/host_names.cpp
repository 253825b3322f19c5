#include "ayatori/topology/host_names.hpp"

#include "ayatori/base/text.hpp"
#include "ayatori/network/host_aliases.hpp"
#include "ayatori/network/host_name.hpp"
#include "ayatori/topology/queries.hpp"

namespace ayatori {

namespace {

/// Explicit networks have fewer machines. Names of larger ones, which are formulas, must be written exactly.
constexpr std::uint64_t max_indexed = std::uint64_t{1} << 24;

void add_name(std::unordered_map<std::string, ObjectId>& names, std::string name, ObjectId machine) {
  const auto [there, is_new] = names.try_emplace(std::move(name), machine);
  if (!is_new && there->second != machine) there->second = no_object;
}

class HostsOfTopology final : public KnownHosts {
 public:
  explicit HostsOfTopology(const Topology& topology) : topology_(topology) {
    const std::uint64_t count = topology.machine_count();
    if (count > max_indexed) return;
    for (std::uint64_t i = 0; i < count; ++i) {
      const ObjectId machine = topology.machine(i);
      const std::string name = topology.name(machine);
      add_name(by_folded_name_, folded_host_name(name), machine);
      add_name(by_short_name_, short_host_name(name), machine);
    }
  }

  std::optional<std::uint64_t> find(std::string_view name) override {
    auto found = name.starts_with("0x") || name.starts_with("0X") ? find_guid(name) : topology_.find(name);
    for (const auto& [names, wanted] :
         {std::pair(&by_folded_name_, folded_host_name(name)), std::pair(&by_short_name_, short_host_name(name))}) {
      if (const auto known = names->find(wanted); !found && known != names->end()) found = known->second;
    }
    return found && topology_.machine_index(*found) != no_object ? found : std::nullopt;
  }

  std::string name(std::uint64_t host) const override { return topology_.name(host); }

 private:
  [[nodiscard]] std::optional<ObjectId> find_guid(std::string_view name) const {
    const auto guid = parse_guid(name);
    return guid && *guid != 0 ? find_by_guid(topology_, *guid) : std::nullopt;
  }

  const Topology& topology_;
  std::unordered_map<std::string, ObjectId> by_folded_name_;
  std::unordered_map<std::string, ObjectId> by_short_name_;
};

}  // namespace

Result<HostNames> HostNames::parse(const Topology& topology, std::string_view text, std::string_view file) {
  HostsOfTopology hosts(topology);
  const auto names = read_other_names(hosts, text, file);
  if (!names) return Failure(names.error());
  HostNames found;
  for (const auto& [name, machine] : *names) {
    add_name(found.by_name_, folded_host_name(name), machine);
    add_name(found.by_short_name_, short_host_name(name), machine);
  }
  return found;
}

std::optional<ObjectId> HostNames::find(std::string_view name) const {
  for (const auto& [names, wanted] :
       {std::pair(&by_name_, folded_host_name(name)), std::pair(&by_short_name_, short_host_name(name))}) {
    const auto found = names->find(wanted);
    if (found != names->end() && found->second != no_object) return found->second;
  }
  return std::nullopt;
}

std::size_t HostNames::bytes() const {
  constexpr std::size_t of_name = sizeof(std::pair<std::string, ObjectId>) + 2 * sizeof(void*);
  const auto of = [](const auto& names) { return names.bucket_count() * sizeof(void*) + names.size() * of_name; };
  return sizeof *this + of(by_name_) + of(by_short_name_);
}

}  // namespace ayatori
