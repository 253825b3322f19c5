#pragma once
/// \file
/// The content of Slurm's two formats, before a network is built from it.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ayatori/base/error.hpp"
#include "ayatori/network/network.hpp"

namespace ayatori::slurm {

/// A switch of topology/tree, or a block of topology/block.
struct DescribedSwitch {
  std::string name;
  std::vector<std::string> children;  ///< switches
  std::vector<std::string> nodes;
  std::size_t line = 0;
  std::vector<std::string> below = {};  ///< nodes of which the source says that they are below it, on any level
};

/// A group of blocks as scontrol prints it.
struct AggregatedBlock {
  std::string name;  ///< a host list of its blocks
  std::vector<std::string> blocks;
  std::vector<std::string> nodes;
  std::uint64_t size = 0;  ///< in nodes
  std::size_t line = 0;
};

struct Blocks {
  std::vector<DescribedSwitch> blocks;           ///< without children
  std::vector<std::uint64_t> sizes;              ///< nodes: of a base block, and of the groups above; may be empty
  std::size_t line = 0;                          ///< of the sizes
  std::vector<AggregatedBlock> aggregated = {};  ///< the groups, where they are listed
};

/// Expands host lists and limits the sum of their lengths, since a few bytes can describe any number of hosts.
class HostLists {
 public:
  explicit HostLists(std::string_view file) : file_(file) {}
  [[nodiscard]] Result<std::vector<std::string>> expand(std::string_view list, std::size_t line);

 private:
  std::string_view file_;
  std::size_t count_ = 0;
};

/// Checks the switches and builds their network, with these warnings.
[[nodiscard]] Result<Network> network_of_switches(const std::vector<DescribedSwitch>& switches, std::string_view file,
                                                  std::vector<std::string> warnings = {});

/// Blocks as leaf switches, under a switch for each group that is listed, or for each group of neighbouring blocks that
/// makes up one of the sizes.
[[nodiscard]] Result<std::vector<DescribedSwitch>> switches_of_blocks(Blocks blocks, std::string_view file);

/// The routers of a network as switches, children first. `same` lists the routers that a switch stands for besides the
/// one that it is named after. Error: the network is not a tree of levels.
struct WrittenSwitch {
  DescribedSwitch written;
  std::vector<std::string> same;
};
[[nodiscard]] Result<std::vector<WrittenSwitch>> switches_of_network(const Network& network);

/// "n[1-2,03],login": the shortest host list that expands to these names, in this order.
[[nodiscard]] std::string compress_hostlist(const std::vector<std::string>& names);

}  // namespace ayatori::slurm
