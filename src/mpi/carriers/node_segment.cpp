#include "ayatori/carriers/node_segment.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "segment_layout.hpp"

namespace ayatori {

namespace {

constexpr std::uint64_t magic = 0x6179'6e6f'6465'3031;  // "aynode01": changes with the layout

Result<std::byte*> mapped(int descriptor, std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED) return refused(fmt::format("{} bytes of shared memory can't be mapped", bytes), errno);
  return static_cast<std::byte*>(memory);
}

}  // namespace

Result<std::shared_ptr<NodeSegment>> NodeSegment::create(Rank ranks) {
  if (ranks == 0 || ranks > max_node_ranks) {
    return fail("memory for {} ranks of a node can't be shared: 1 to {}", ranks, max_node_ranks);
  }
  const std::size_t bytes = SegmentShape(ranks).bytes();
  Descriptor file(memfd_create("ayatori-node", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open()) return refused("no memory can be shared", errno);
  struct stat found{};
  // Nobody can make it smaller afterwards, which would be a SIGBUS for the others.
  if (ftruncate(file.number(), static_cast<off_t>(bytes)) != 0 ||
      fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0 || fstat(file.number(), &found) != 0) {
    return refused(fmt::format("no memory of {} bytes can be shared", bytes), errno);
  }
  const auto memory = mapped(file.number(), bytes);
  if (!memory) return Failure(memory.error());
  const NodeInvitation invitation{found.st_ino, getpid(), file.number(), ranks, 0};
  SegmentHead& head = SegmentView(*memory, ranks).head();
  head.magic = magic;
  head.file = invitation.file;
  head.ranks = ranks;
  head.creator = invitation.process;
  return std::shared_ptr<NodeSegment>(new NodeSegment(invitation, *memory, std::move(file)));
}

Result<std::shared_ptr<NodeSegment>> NodeSegment::join(const NodeInvitation& invitation) {
  if (invitation.ranks == 0 || invitation.ranks > max_node_ranks) return fail("no memory is shared on this node");
  const std::string path = fmt::format("/proc/{}/fd/{}", invitation.process, invitation.descriptor);
  const Descriptor file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.is_open()) return refused(fmt::format("{}: the node's memory can't be opened", path), errno);
  const std::size_t bytes = SegmentShape(invitation.ranks).bytes();
  struct stat found{};
  if (fstat(file.number(), &found) != 0) return refused(fmt::format("{} can't be examined", path), errno);
  if (found.st_ino != invitation.file || found.st_size != static_cast<off_t>(bytes)) {
    return fail("{} is not the node's memory", path);
  }
  const auto memory = mapped(file.number(), bytes);
  if (!memory) return Failure(memory.error());
  const SegmentHead& head = SegmentView(*memory, invitation.ranks).head();
  if (head.magic != magic || head.file != invitation.file || head.creator != invitation.process) {
    munmap(*memory, bytes);
    return fail("{} was made by another version of this library", path);
  }
  return std::shared_ptr<NodeSegment>(new NodeSegment(invitation, *memory, {}));
}

NodeSegment::~NodeSegment() { munmap(memory_, SegmentShape(ranks()).bytes()); }

}  // namespace ayatori
