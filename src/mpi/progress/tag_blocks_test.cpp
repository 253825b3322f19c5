#include "ayatori/progress/tag_blocks.hpp"

#include <gtest/gtest.h>

namespace ayatori {
namespace {

TEST(TagBlocks, ABlockBelongsToOneGroupUntilItIsGivenBack) {
  TagBlocks blocks(1 << 30);
  EXPECT_EQ(TagBlocks::lowest(blocks.free_blocks()), 0U);
  EXPECT_TRUE(blocks.take(0));
  EXPECT_FALSE(blocks.take(0));
  EXPECT_EQ(TagBlocks::lowest(blocks.free_blocks()), 1U);
  EXPECT_TRUE(blocks.take(70));
  blocks.give_back(0);
  EXPECT_EQ(TagBlocks::lowest(blocks.free_blocks()), 0U);
  EXPECT_FALSE(blocks.take(70));
}

TEST(TagBlocks, EachHasTagsOfItsOwnWithinTheMpis) {
  for (const int last : {32'767, 1'048'575, 268'435'455, 2'147'483'647}) {
    TagBlocks blocks(last);
    std::uint32_t count = 0;
    while (const auto block = TagBlocks::lowest(blocks.free_blocks())) {
      EXPECT_EQ(*block, count++);
      EXPECT_TRUE(blocks.take(*block));
      EXPECT_LE(std::int64_t{blocks.first_tag(*block)} + blocks.tags_per_block() - 1, last);
    }
    EXPECT_GE(blocks.tags_per_block(), 1024);
    EXPECT_EQ(count, last < 2'097'151 ? static_cast<std::uint32_t>((last + 1) / 1024) : TagBlocks::max_count);
  }
}

TEST(TagBlocks, WithNoneLeftThereIsNone) { EXPECT_FALSE(TagBlocks::lowest({}).has_value()); }

}  // namespace
}  // namespace ayatori
