#include <fmt/core.h>

#include <algorithm>
#include <bit>

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

Result<> check_block(const Switch& block, const Blocks& blocks, std::string_view file) {
  if (block.nodes.empty()) return fail_at(file, block.line, fmt::format("the block '{}' has no nodes", block.name));
  if (blocks.sizes.empty() || block.nodes.size() >= blocks.sizes.front()) return {};
  return fail_at(file, block.line,
                 fmt::format("the block '{}' has {} nodes; the block size is {}", block.name, block.nodes.size(),
                             blocks.sizes.front()));
}

/// A switch above each `count` neighbouring ones of `below`. Slurm's names have no blanks: these clash with none.
std::vector<Switch> group(const std::vector<std::string>& below, std::uint64_t count, std::string_view what,
                          std::size_t line) {
  std::vector<Switch> groups;
  for (std::size_t i = 0; i < below.size(); ++i) {
    if (i % count == 0) groups.push_back({fmt::format("{} {}", what, i / count), {}, {}, line});
    groups.back().children.push_back(below[i]);
  }
  return groups;
}

}  // namespace

Result<std::vector<Switch>> switches_of_blocks(Blocks blocks, std::string_view file) {
  if (blocks.blocks.empty()) return fail_at(file, blocks.line, "no blocks");
  const auto per_group = blocks_per_group(blocks, file);
  if (!per_group) return Failure(per_group.error());
  for (const Switch& block : blocks.blocks) {
    if (auto checked = check_block(block, blocks, file); !checked) return Failure(checked.error());
  }

  std::vector<Switch> switches = std::move(blocks.blocks);
  std::vector<std::string> top;
  for (const Switch& block : switches) top.push_back(block.name);
  const auto stack = [&](std::uint64_t count, std::string_view what) {
    auto groups = group(top, count, what, blocks.line);
    top.clear();
    for (Switch& made : groups) {
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
