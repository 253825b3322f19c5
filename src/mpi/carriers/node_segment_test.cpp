#include "ayatori/carriers/node_segment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <vector>

#include "memory_fixtures.hpp"
#include "segment_layout.hpp"

namespace ayatori {
namespace {

TEST(NodeSegment, IsSharedByThoseWhoJoin) {
  const auto made = NodeSegment::create(2).value();
  const auto joined = NodeSegment::join(made->invitation());
  ASSERT_TRUE(joined) << joined.error().message;
  ASSERT_NE(made->memory(), (*joined)->memory());
  made->memory()[5000] = std::byte{7};
  EXPECT_EQ((*joined)->memory()[5000], std::byte{7});
}

TEST(NodeSegment, IsJoinedByAnotherProcess) {
  const auto made = NodeSegment::create(2).value();
  const NodeInvitation invitation = made->invitation();
  EXPECT_EQ(status_of(start_process([&] { return NodeSegment::join(invitation) ? 0 : 1; })), 0);
}

TEST(NodeSegment, RefusesNumbersOfRanksThatDoNotFit) {
  EXPECT_FALSE(NodeSegment::create(0));
  EXPECT_FALSE(NodeSegment::create(max_node_ranks + 1));
  EXPECT_TRUE(NodeSegment::create(max_node_ranks));
}

TEST(NodeSegment, RefusesInvitationsToOtherFiles) {
  EXPECT_FALSE(NodeSegment::join({})) << "there is none";
  const auto made = NodeSegment::create(2).value();
  NodeInvitation other = made->invitation();
  other.descriptor += 1000;
  EXPECT_FALSE(NodeSegment::join(other)) << "no such descriptor";
  other = made->invitation();
  other.file += 1;
  EXPECT_FALSE(NodeSegment::join(other)) << "another file took the descriptor";
  other = made->invitation();
  other.ranks = 3;
  EXPECT_FALSE(NodeSegment::join(other)) << "another size";
  other = made->invitation();
  other.descriptor = 0;
  EXPECT_FALSE(NodeSegment::join(other)) << "some other open file";
}

TEST(NodeSegment, CannotBeJoinedOnceItsCreatorHasClosedIt) {
  const NodeInvitation invitation = NodeSegment::create(2).value()->invitation();
  EXPECT_FALSE(NodeSegment::join(invitation));
}

/// The memory has no name anywhere, so nothing can stay behind.
TEST(NodeSegment, LeavesNothingWhenItsProcessesAreKilled) {
  const auto names = [] {
    std::set<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm")) found.insert(entry.path().string());
    return found;
  };
  const auto before = names();
  const pid_t child = start_process([] {
    const auto segment = NodeSegment::create(4).value();
    kill(getpid(), SIGKILL);
    return static_cast<int>(segment->ranks());
  });
  EXPECT_EQ(status_of(child), -1);
  for (const std::string& name : names()) EXPECT_TRUE(before.contains(name) || !name.contains("ayatori")) << name;
}

TEST(SegmentShape, ARankHasAtMostOneMebibyte) {
  constexpr std::size_t own_memory_per_peer = 192;  // what sender and receiver keep for a lane
  for (Rank ranks = 1; ranks <= max_node_ranks; ++ranks) {
    const SegmentShape shape(ranks);
    EXPECT_LE(shape.bytes() / ranks + ranks * own_memory_per_peer, (1U << 20) + shape.blocks_begin() / ranks) << ranks;
  }
}

TEST(SegmentView, NothingLiesOnAnythingElse) {
  for (const Rank ranks : {1U, 2U, 7U, 260U}) {
    const auto segment = NodeSegment::create(ranks).value();
    const SegmentView view(segment->memory(), ranks);
    std::vector<std::pair<std::byte*, std::size_t>> parts;
    const auto add = [&](auto& what, std::size_t bytes) {
      parts.emplace_back(reinterpret_cast<std::byte*>(&what), bytes);
    };
    add(view.head(), sizeof(SegmentHead));
    for (Rank rank = 0; rank < ranks; ++rank) {
      add(view.info(rank), sizeof(RankInfo));
      add(*view.outbox(rank), SegmentShape::small_bytes + SegmentShape::large_bytes);
      for (std::uint32_t i = 0; i < SegmentShape::tickets; ++i) add(view.ticket(rank, i), cache_line);
      for (Rank to = 0; to < ranks; ++to) {
        add(view.taken(rank, to), cache_line);
        for (std::uint32_t i = 0; i < view.shape().slots; ++i) add(view.slot(rank, to, i), view.shape().slot_bytes);
      }
    }
    std::ranges::sort(parts);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) ASSERT_LE(parts[i].first + parts[i].second, parts[i + 1].first);
    EXPECT_LE(parts.back().first + parts.back().second, segment->memory() + view.shape().bytes());
  }
}

}  // namespace
}  // namespace ayatori
