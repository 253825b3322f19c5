#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <unordered_map>

#include "described.hpp"

namespace ayatori::slurm {

namespace {

/// Blocks a group of each size has: 120-node groups of 30-node blocks have 4. Slurm wants powers of two.
Result<std::vector<std::uint64_t>> blocks_per_group(const Blocks& blocks, std::string_view file) {
  std::vector<std::uint64_t> groups;
  for (const std::uint64_t size : blocks.sizes) {
    const std::uint64_t base = blocks.sizes.front();
    if (base == 0 || size % base != 0 || !std::has_single_bit(size / base)) {
      return fail_at(file, blocks.line,
                     fmt::format("the block size {} is not a power of two times the first, {}", size, base));
    }
    if (!groups.empty() && size / base <= groups.back()) {
      return fail_at(file, blocks.line, fmt::format("block sizes must rise; {} does not", size));
    }
    groups.push_back(size / base);
  }
  return groups;
}

Result<> check_block(const DescribedSwitch& block, const Blocks& blocks, std::string_view file) {
  if (block.nodes.empty()) return fail_at(file, block.line, fmt::format("the block '{}' has no nodes", block.name));
  if (blocks.sizes.empty() || block.nodes.size() >= blocks.sizes.front()) return {};
  return fail_at(file, block.line,
                 fmt::format("the block '{}' has {} nodes; the block size is {}", block.name, block.nodes.size(),
                             blocks.sizes.front()));
}

/// A switch above each `count` neighbouring ones of `below`. Slurm's names have no blanks: these clash with none.
std::vector<DescribedSwitch> group(const std::vector<std::string>& below, std::uint64_t count, std::string_view what,
                                   std::size_t line) {
  std::vector<DescribedSwitch> groups;
  for (std::size_t i = 0; i < below.size(); ++i) {
    if (i % count == 0) groups.push_back({fmt::format("{} {}", what, i / count), {}, {}, line});
    groups.back().children.push_back(below[i]);
  }
  return groups;
}

/// In nodes.
std::uint64_t size_of(const AggregatedBlock& group) { return group.size != 0 ? group.size : group.nodes.size(); }

/// Stacks groups on switches, the smallest groups first.
class Stack {
 public:
  Stack(std::vector<DescribedSwitch> blocks, std::string_view file) : file_(file), switches_(std::move(blocks)) {
    for (std::size_t i = 0; i < switches_.size(); ++i) {
      block_.try_emplace(switches_[i].name, i);
      top_of_block_.push_back(i);
    }
  }

  /// A switch above the topmost ones of its blocks. Error: an unknown block; a group that shares blocks with another.
  Result<> add(AggregatedBlock&& group) {
    std::vector<std::size_t> members;
    for (const std::string& name : group.blocks) {
      const auto found = block_.find(name);
      if (found == block_.end()) return wrong(group, fmt::format("has the block '{}', which is not listed", name));
      members.push_back(found->second);
    }
    std::set<std::size_t> tops;
    for (const std::size_t block : members) tops.insert(top_of_block_[block]);
    const auto covered = std::ranges::count_if(top_of_block_, [&](std::size_t top) { return tops.contains(top); });
    if (static_cast<std::size_t>(covered) != members.size()) {
      return wrong(group, "shares blocks with another group that is not a part of it");
    }
    const std::uint64_t size = size_of(group);
    DescribedSwitch above{
        fmt::format("{} nodes, {}", size, groups_of_[size]++), {}, {}, group.line, std::move(group.nodes)};
    for (const std::size_t top : tops) above.children.push_back(switches_[top].name);
    for (const std::size_t block : members) top_of_block_[block] = switches_.size();
    switches_.push_back(std::move(above));
    return {};
  }

  std::vector<DescribedSwitch> take() {
    const std::set<std::size_t> tops(top_of_block_.begin(), top_of_block_.end());
    if (tops.size() > 1) {
      DescribedSwitch all{"all blocks, 0", {}, {}, 0};
      for (const std::size_t top : tops) all.children.push_back(switches_[top].name);
      switches_.push_back(std::move(all));
    }
    return std::move(switches_);
  }

 private:
  [[nodiscard]] Failure wrong(const AggregatedBlock& group, std::string_view what) const {
    return fail_at(file_, group.line, fmt::format("the group '{}' {}", group.name, what));
  }

  std::string_view file_;
  std::vector<DescribedSwitch> switches_;
  std::unordered_map<std::string, std::size_t> block_;
  std::vector<std::size_t> top_of_block_;
  std::map<std::uint64_t, std::size_t> groups_of_;  // how many, by their size
};

Result<std::vector<DescribedSwitch>> switches_of_groups(Blocks blocks, std::string_view file) {
  std::ranges::stable_sort(blocks.aggregated, {}, size_of);
  Stack stack(std::move(blocks.blocks), file);
  for (AggregatedBlock& group : blocks.aggregated) {
    if (auto added = stack.add(std::move(group)); !added) return Failure(added.error());
  }
  return stack.take();
}

}  // namespace

Result<std::vector<DescribedSwitch>> switches_of_blocks(Blocks blocks, std::string_view file) {
  if (blocks.blocks.empty()) return fail_at(file, blocks.line, "no blocks");
  const auto per_group = blocks_per_group(blocks, file);
  if (!per_group) return Failure(per_group.error());
  for (const DescribedSwitch& block : blocks.blocks) {
    if (auto checked = check_block(block, blocks, file); !checked) return Failure(checked.error());
  }
  if (!blocks.aggregated.empty()) return switches_of_groups(std::move(blocks), file);

  std::vector<DescribedSwitch> switches = std::move(blocks.blocks);
  std::vector<std::string> top;
  for (const DescribedSwitch& block : switches) top.push_back(block.name);
  const auto stack = [&](std::uint64_t count, std::string_view what) {
    auto groups = group(top, count, what, blocks.line);
    top.clear();
    for (DescribedSwitch& made : groups) {
      top.push_back(made.name);
      switches.push_back(std::move(made));
    }
  };
  for (std::size_t level = 1; level < per_group->size() && top.size() > 1; ++level) {
    stack((*per_group)[level] / (*per_group)[level - 1], fmt::format("{} nodes,", blocks.sizes[level]));
  }
  if (top.size() > 1) stack(top.size(), "all blocks,");
  return switches;
}

}  // namespace ayatori::slurm
