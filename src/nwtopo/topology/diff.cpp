#include "ayatori/topology/diff.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "ayatori/base/text.hpp"

namespace ayatori {

namespace {

struct NaturalLess {
  bool operator()(const std::string& a, const std::string& b) const { return natural_less(a, b); }
};

/// How often something is there, and what is to be said of each.
using Said = std::multimap<std::string, std::string, NaturalLess>;

/// A virtual object has no name of its own; its word does for one.
std::string key_of(const Topology& topology, ObjectId id) {
  std::string name = topology.name(id);
  if (name.empty()) name = fmt::format("{} without a name", to_word(topology.kind(id)));
  return name;
}

std::string lengths_of(const GridShape& shape) {
  std::string text;
  for (std::size_t i = 0; i < shape.dimensions.size(); ++i) {
    text += fmt::format("{}{}{}", i == 0 ? "" : "x", shape.dimensions[i], shape.periodic[i] ? "" : " (mesh)");
  }
  return text;
}

std::string describe(const Topology& topology, ObjectId id) {
  const ObjectKind kind = topology.kind(id);
  if (kind == ObjectKind::machine) {
    const std::uint32_t nics = topology.nic_count(id);
    return fmt::format("{} {}", nics, nics == 1 ? "NIC" : "NICs");
  }
  if (const GridShape* shape = topology.grid(id)) return lengths_of(*shape);
  return fmt::format("height {}", topology.height(id));
}

std::string describe(const Topology& topology, const TopologyLink& link) {
  std::string text = to_string(link.rate);
  if (link.latency != 0) text += fmt::format(", {} ns", link.latency);
  if (topology.planes().size() > 1) text += fmt::format(", plane {}", topology.planes()[link.plane].name);
  if (link.state == LinkState::taken_out) text += ", taken out";
  return text;
}

std::string name_of(const Topology& topology, ObjectId from, const TopologyLink& link) {
  std::string here = fmt::format("{} port {}", key_of(topology, from), link.from_port);
  std::string there = fmt::format("{} port {}", key_of(topology, link.to), link.to_port);
  if (natural_less(there, here)) std::swap(here, there);
  return fmt::format("{} - {}", here, there);
}

class Inventory {
 public:
  explicit Inventory(const Topology& topology) {
    for (std::uint32_t height = 0; height <= topology.max_height(); ++height) {
      const std::uint64_t count = topology.count_at(height);
      for (std::uint64_t i = 0; i < count; ++i) add(topology, topology.object_at(height, i));
    }
  }

  Said objects;  ///< by kind and name
  Said links;    ///< by name

 private:
  void add(const Topology& topology, ObjectId id) {
    // The kind comes after the name, so that names decide the order.
    objects.emplace(fmt::format("{}\n{}", key_of(topology, id), to_word(topology.kind(id))), describe(topology, id));
    const std::uint32_t count = topology.link_count(id);
    for (std::uint32_t i = 0; i < count; ++i) {
      const TopologyLink link = topology.link(id, i);
      if (link.to < id || (link.to == id && link.to_port < link.from_port)) continue;
      links.emplace(name_of(topology, id, link), describe(topology, link));
    }
  }
};

std::vector<std::string> texts(const Said& said, const std::string& key) {
  std::vector<std::string> found;
  const auto [begin, end] = said.equal_range(key);
  for (auto i = begin; i != end; ++i) found.push_back(i->second);
  std::ranges::sort(found);
  return found;
}

/// Takes out what both have.
void cancel(std::vector<std::string>& a, std::vector<std::string>& b) {
  std::vector<std::string> only_a;
  std::vector<std::string> only_b;
  std::ranges::set_difference(a, b, std::back_inserter(only_a));
  std::ranges::set_difference(b, a, std::back_inserter(only_b));
  a = std::move(only_a);
  b = std::move(only_b);
}

void compare(const Said& before, const Said& after, bool link, std::vector<Difference>& found) {
  std::set<std::string, NaturalLess> keys;
  for (const auto& [key, text] : before) keys.insert(key);
  for (const auto& [key, text] : after) keys.insert(key);
  for (const std::string& key : keys) {
    const std::string name = key.substr(0, key.find('\n'));
    auto old_texts = texts(before, key);
    auto new_texts = texts(after, key);
    cancel(old_texts, new_texts);
    const std::size_t changed = std::min(old_texts.size(), new_texts.size());
    for (std::size_t i = 0; i < changed; ++i) {
      found.push_back({Difference::Type::changed, link, name, fmt::format("{} -> {}", old_texts[i], new_texts[i])});
    }
    for (std::size_t i = changed; i < old_texts.size(); ++i) {
      found.push_back({Difference::Type::removed, link, name, {}});
    }
    for (std::size_t i = changed; i < new_texts.size(); ++i) {
      found.push_back({Difference::Type::added, link, name, {}});
    }
  }
}

}  // namespace

std::vector<Difference> difference(const Topology& before, const Topology& after) {
  const Inventory was(before);
  const Inventory is(after);
  std::vector<Difference> found;
  compare(was.objects, is.objects, false, found);
  compare(was.links, is.links, true, found);
  return found;
}

}  // namespace ayatori
