#include "segment_layout.hpp"

namespace ayatori {

namespace {

constexpr std::size_t page = 4096;

constexpr std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

constexpr std::size_t info_begin = whole_pages(sizeof(SegmentHead));

}  // namespace

/// With many ranks, slots become smaller first, then fewer: the lanes of a rank have 256 to 320 KiB at most.
SegmentShape::SegmentShape(Rank node_ranks)
    : ranks(node_ranks),
      slots(node_ranks <= 64 || (node_ranks > 128 && node_ranks <= 256) ? 16
            : node_ranks <= 512                                         ? 8
                                                                        : 4),
      slot_bytes(node_ranks <= 128 ? 256 : cache_line) {}

std::size_t SegmentShape::block_bytes() const { return whole_pages(outbox_begin() + small_bytes + large_bytes); }

std::size_t SegmentShape::blocks_begin() const { return info_begin + whole_pages(ranks * sizeof(RankInfo)); }

RankInfo& SegmentView::info(Rank rank) const { return reinterpret_cast<RankInfo*>(memory_ + info_begin)[rank]; }

std::atomic<std::uint32_t>& SegmentView::ticket(Rank owner, std::uint32_t number) const {
  return reinterpret_cast<LonelyNumber*>(block(owner))[number].value;
}

std::atomic<std::uint32_t>& SegmentView::taken(Rank from, Rank to) const {
  return reinterpret_cast<LonelyNumber*>(lane(from, to))->value;
}

}  // namespace ayatori
