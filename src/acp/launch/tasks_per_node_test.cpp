#include "tasks_per_node.hpp"

#include <gtest/gtest.h>

namespace ayatori::launch {
namespace {

using Groups = std::vector<AlikeNodes>;

TEST(ParseTasksPerNode, ReadsWhatSlurmWrites) {
  EXPECT_EQ(*parse_tasks_per_node("4"), (Groups{{1, 4}}));
  EXPECT_EQ(*parse_tasks_per_node("2(x3),1"), (Groups{{3, 2}, {1, 1}}));
  EXPECT_EQ(*parse_tasks_per_node("72(x2),16,1(x4)"), (Groups{{2, 72}, {1, 16}, {4, 1}}));
  EXPECT_EQ(*parse_tasks_per_node("4294967295(x4294967295)"), (Groups{{4294967295, 4294967295}}));
}

TEST(ParseTasksPerNode, RefusesEverythingElse) {
  for (const char* text : {"",
                           ",",
                           "2,",
                           ",2",
                           "2,,1",
                           "x",
                           "-2",
                           "+2",
                           " 2",
                           "2 ",
                           "2, 1",
                           "0",
                           "02",
                           "2(x0)",
                           "2(x03)",
                           "2(x)",
                           "2(3)",
                           "2()",
                           "2(",
                           "2(x",
                           "2(x3",
                           "2(x3)1",
                           "2(x3))",
                           "2(x-3)",
                           "2(x3)(x2)",
                           "(x3)",
                           "2x3",
                           "2(X3)",
                           "2.5",
                           "4294967296",
                           "1(x4294967296)",
                           "2(x3);1",
                           "2(x3)\n"}) {
    const auto parsed = parse_tasks_per_node(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_NE(parsed.error().message.find("is not a list of tasks per node"), std::string::npos);
  }
}

}  // namespace
}  // namespace ayatori::launch
