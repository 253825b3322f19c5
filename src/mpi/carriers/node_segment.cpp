#include "ayatori/carriers/node_segment.hpp"

#include <unistd.h>

#include <utility>

#include "segment_layout.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t magic = 0x6179'6e6f'6465'3031;  // "aynode01": changes with the layout

}  // namespace

Result<std::shared_ptr<NodeSegment>> NodeSegment::create(Rank ranks) {
  if (ranks == 0 || ranks > max_node_ranks) {
    return fail("memory for {} ranks of a node can't be shared: 1 to {}", ranks, max_node_ranks);
  }
  auto memory = make_shared_memory(SegmentShape(ranks).bytes(), Pages::when_used);
  if (!memory) return Failure(memory.error());
  const NodeInvitation invitation{memory->inode, getpid(), memory->file.number(), ranks, 0};
  SegmentHead& head = SegmentView(memory->memory.get(), ranks).head();
  head.magic = magic;
  head.file = invitation.file;
  head.ranks = ranks;
  head.creator = invitation.process;
  return std::shared_ptr<NodeSegment>(new NodeSegment(invitation, std::move(*memory)));
}

Result<std::shared_ptr<NodeSegment>> NodeSegment::join(const NodeInvitation& invitation) {
  if (invitation.ranks == 0 || invitation.ranks > max_node_ranks) return fail("no memory is shared on this node");
  const std::string path = path_of(invitation.process, invitation.descriptor);
  auto memory = open_shared_memory(path);
  if (!memory) return Failure(memory.error());
  const std::span<std::byte> bytes = memory->bytes();
  if (memory->inode != invitation.file || bytes.size() != SegmentShape(invitation.ranks).bytes()) {
    return fail("{} is not the node's memory", path);
  }
  const SegmentHead& head = SegmentView(bytes.data(), invitation.ranks).head();
  if (head.magic != magic || head.file != invitation.file || head.creator != invitation.process) {
    return fail("{} was made by another version of this library", path);
  }
  return std::shared_ptr<NodeSegment>(new NodeSegment(invitation, std::move(*memory)));
}

}  // namespace ayatori
