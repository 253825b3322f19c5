/// Topologies that many threads read: ThreadSanitizer would report a write in a const function.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "ayatori/topology/subset.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace {

/// What each of four threads makes of it at the same time is this.
void expect_by_all_threads(const std::string& expected, const std::function<std::string()>& read) {
  std::vector<std::string> seen(4);
  std::vector<std::jthread> readers;
  for (std::string& text : seen) readers.emplace_back([&] { text = read(); });
  readers.clear();
  for (const std::string& text : seen) EXPECT_EQ(text, expected);
}

TEST(OpenCache, MayBeReadByManyThreads) {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("nwtopo-threads-test-{}", ::getpid());
  const TopologyPtr written = image_of("xgft:h=3;m=2,2,3;w=1,2,2;p=1,2,1");
  ASSERT_TRUE(write_cache(*written, file));
  const TopologyPtr cache = got(open_cache(file));
  std::filesystem::remove(file);
  expect_by_all_threads(as_text(*written), [&] { return as_text(*cache); });
}

TEST(MakeSubset, MayBeReadByManyThreads) {
  const TopologyPtr tree = image_of("fattree:K=3,levels=3,nodes=40");
  const TopologyPtr subset = got(make_subset(tree, std::vector<ObjectId>{1, 5, 17, 30, 31}));
  const auto both = [&](const TopologyPtr& of) {
    return as_text(*subset) + as_text(*got(make_subset(of, std::vector<ObjectId>{5, 30})));
  };
  expect_by_all_threads(both(tree), [&] { return both(subset); });
}

}  // namespace
}  // namespace ayatori
