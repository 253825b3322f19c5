#pragma once
/// \file
/// What the generator computes once for all destinations: whether the network is a tree, the order, the paths.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/router_graph.hpp"
#include "tree_paths.hpp"

namespace ayatori {

/// The paths to each router that LIDs may choose from. In a tree they are TreePaths; elsewhere as many as the
/// router has cables to others, and each router on the way decides itself what a path means.
class FabricPaths {
 public:
  explicit FabricPaths(const Network& network);
  FabricPaths(const FabricPaths&) = delete;  // tree_ refers to its siblings
  FabricPaths& operator=(const FabricPaths&) = delete;

  [[nodiscard]] const RouterGraph& graph() const { return graph_; }
  [[nodiscard]] const Levels* levels() const { return levels_ ? &*levels_ : nullptr; }
  [[nodiscard]] const TreePaths* tree() const { return tree_.get(); }
  [[nodiscard]] const std::string& why_no_tree() const { return levels_.error().reason; }

  [[nodiscard]] std::vector<PathNumber> to(DeviceId router) const;

  /// Routers with machines, and how many paths lead to each; by id.
  struct Leaf {
    DeviceId router = no_id;
    std::uint32_t paths = 1;
  };
  [[nodiscard]] const std::vector<Leaf>& leaves() const { return leaves_; }
  [[nodiscard]] std::uint32_t max_paths() const;

 private:
  RouterGraph graph_;
  std::expected<Levels, NotATree> levels_;
  std::unique_ptr<TreePaths> tree_;
  std::vector<Leaf> leaves_;
};

}  // namespace ayatori
