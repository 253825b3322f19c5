// What the C functions leave as it was, refuse and tell. What programs can do wrong is in src/nwtopo/tests.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "nwtopo.h"

namespace ayatori::capi {

namespace {

/// A handle that is not loaded yet.
class Handle {
 public:
  explicit Handle(const char* source = nullptr) {
    EXPECT_EQ(nwtopo_topology_init(&handle_), 0);
    EXPECT_EQ(nwtopo_topology_set_source(handle_, source), 0);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { nwtopo_topology_destroy(handle_); }

  operator nwtopo_topology_t() const { return handle_; }  // NOLINT: stands for its handle

  void load() const { ASSERT_EQ(nwtopo_topology_load(handle_), 0) << nwtopo_error_message(); }

 private:
  nwtopo_topology_t handle_ = nullptr;
};

/// The words in quotation marks of a text.
std::vector<std::string> quoted(const std::string& text) {
  std::vector<std::string> found;
  for (std::size_t from = text.find('"'); from != std::string::npos; from = text.find('"', from)) {
    const std::size_t end = text.find('"', from + 1);
    if (end == std::string::npos) break;
    found.push_back(text.substr(from + 1, end - from - 1));
    from = end + 1;
  }
  return found;
}

/// Links of all routers, by state.
struct LinkCounts {
  int up = 0;
  int taken_out = 0;
};

LinkCounts count_links(nwtopo_topology_t topology) {
  LinkCounts counts;
  for (unsigned height = 1; height <= nwtopo_topology_get_max_height(topology); ++height) {
    for (unsigned long i = 0; i < nwtopo_topology_get_num_objects(topology, height); ++i) {
      nwtopo_obj_t const router = nwtopo_topology_get_object(topology, height, i);
      for (long j = 0; j < nwtopo_obj_get_num_links(topology, router); ++j) {
        nwtopo_link link{};
        EXPECT_EQ(nwtopo_obj_get_link(topology, router, static_cast<unsigned long>(j), &link), 0);
        ++(link.state == NWTOPO_LINK_UP ? counts.up : counts.taken_out);
      }
    }
  }
  return counts;
}

}  // namespace

TEST(NwtopoTopologyShrink, ThatFailsLeavesTheNewTopologyAsItWas) {
  const Handle base("torus:4x4");
  ASSERT_EQ(nwtopo_topology_set_this_machine(base, "N1-1"), 0);
  base.load();
  const Handle other("mesh:2x2");
  ASSERT_EQ(nwtopo_topology_set_this_machine(other, "N0-1"), 0);
  other.load();
  const Handle part;
  std::vector<nwtopo_obj_t> twice(2, nwtopo_topology_get_object(base, 0, 0));
  ASSERT_EQ(nwtopo_topology_shrink(part, base, 2, twice.data()), -1);
  EXPECT_EQ(errno, EINVAL);
  std::vector<nwtopo_obj_t> all;
  for (unsigned long i = 0; i < 4; ++i) all.push_back(nwtopo_topology_get_object(other, 0, i));
  ASSERT_EQ(nwtopo_topology_shrink(part, other, 4, all.data()), 0) << nwtopo_error_message();
  nwtopo_obj_t const here = nwtopo_topology_get_this_machine(part);
  ASSERT_NE(here, nullptr) << nwtopo_error_message();
  EXPECT_STREQ(here->attr->machine.hostname, "N0-1") << "not that of the base of the shrink that failed";
}

TEST(NwtopoTopologyShrink, RefusesForwardingTablesOfItsOwn) {
  const Handle base("fattree:K=2");
  base.load();
  nwtopo_obj_t machine = nwtopo_topology_get_object(base, 0, 0);
  const Handle part;
  ASSERT_EQ(nwtopo_topology_set_tables(part, "/nonexistent"), 0);
  EXPECT_EQ(nwtopo_topology_shrink(part, base, 1, &machine), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_NE(std::string(nwtopo_error_message()).find("forwarding tables of its base"), std::string::npos);
  ASSERT_EQ(nwtopo_topology_set_tables(part, nullptr), 0);
  EXPECT_EQ(nwtopo_topology_shrink(part, base, 1, &machine), 0) << nwtopo_error_message();
}

TEST(NwtopoTopologySetBuffer, OnlyABufferTakesBackTheSource) {
  const Handle topology("mesh:2x2");
  ASSERT_EQ(nwtopo_topology_set_buffer(topology, nullptr, 0), 0);
  EXPECT_STREQ(nwtopo_topology_get_source(topology), "mesh:2x2");
  EXPECT_EQ(nwtopo_topology_set_buffer(topology, nullptr, 1), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_STREQ(nwtopo_topology_get_source(topology), "mesh:2x2");
  ASSERT_EQ(nwtopo_topology_set_buffer(topology, "x", 1), 0);
  EXPECT_EQ(nwtopo_topology_get_source(topology), nullptr);
}

TEST(NwtopoTopologySetSource, OfAFileTheContentTellsTheKind) {
  const std::string file = AYATORI_SOURCE_DIR "/tests/golden/slurm/scontrol-tree.txt";
  const Handle topology(file.c_str());
  EXPECT_STREQ(nwtopo_topology_get_source(topology), file.c_str());
  topology.load();
  EXPECT_EQ(nwtopo_topology_get_source(topology), "slurm:" + file);

  const Handle unknown(AYATORI_SOURCE_DIR "/README.md");
  EXPECT_EQ(nwtopo_topology_load(unknown), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_TRUE(std::string(nwtopo_error_message()).contains("no known kind of network")) << nwtopo_error_message();
}

TEST(NwtopoTopologyExport, TellsTheFormatsOfItsHeader) {
  const Handle tree("fattree:K=2");
  tree.load();
  EXPECT_EQ(nwtopo_topology_export_file(tree, "nonsense", "/nowhere/at/all"), -1);
  EXPECT_EQ(errno, EINVAL);
  const std::string message = nwtopo_error_message();
  const std::size_t list = message.find("formats: ");
  ASSERT_NE(list, std::string::npos) << message;
  std::set<std::string> listed;
  std::stringstream words(message.substr(list + 9));
  for (std::string word; std::getline(words, word, ',');) listed.insert(word.substr(word.find_first_not_of(' ')));

  std::ifstream header(AYATORI_SOURCE_DIR "/src/nwtopo/include/nwtopo/export.h");
  std::stringstream all;
  all << header.rdbuf();
  const std::string text = all.str();
  const std::size_t from = text.find("format  \"");
  const std::size_t to = text.find("path    of the file");
  ASSERT_TRUE(from < to && to != std::string::npos);
  std::set<std::string> documented;
  for (const std::string& word : quoted(text.substr(from, to - from))) {
    if (word.find(':') == std::string::npos) documented.insert(word);  // sources are named there, too
  }
  EXPECT_EQ(listed, documented);
}

TEST(NwtopoTopologyExport, OnlyACacheKeepsLinksThatWereTakenOut) {
  const Handle tree("fattree:K=3");
  ASSERT_EQ(nwtopo_topology_set_faults(tree, "LS0:4"), 0);
  tree.load();
  const LinkCounts before = count_links(tree);
  EXPECT_EQ(before.taken_out, 2) << "a cable between two routers";
  const auto folder = std::filesystem::temp_directory_path() / ("nwtopo-export-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  for (const auto& [format, kind] : {std::pair("cache", "cache:"), std::pair("json", "json:"),
                                     std::pair("ibsim", "ib:"), std::pair("ibnetdiscover", "ib:")}) {
    const std::string path = folder / format;
    ASSERT_EQ(nwtopo_topology_export_file(tree, format, path.c_str()), 0) << nwtopo_error_message();
    const Handle again((kind + path).c_str());
    again.load();
    const LinkCounts after = count_links(again);
    EXPECT_EQ(after.up, before.up) << format;
    EXPECT_EQ(after.taken_out, std::string(format) == "cache" ? 2 : 0) << format;
  }
  std::filesystem::remove_all(folder);
}

TEST(NwtopoTopologyGetMemory, CountsAllThatWasSet) {
  constexpr std::size_t length = 10'000;
  const std::string text(length, 'x');
  const auto sets = {nwtopo_topology_set_source, nwtopo_topology_set_this_machine, nwtopo_topology_set_faults,
                     nwtopo_topology_set_tables, nwtopo_topology_set_host_pattern};
  const Handle topology;
  std::size_t before = 0;
  for (const auto set : sets) {
    ASSERT_EQ(set(topology, text.c_str()), 0);
    nwtopo_memory memory{};
    ASSERT_EQ(nwtopo_topology_get_memory(topology, &memory), 0);
    const std::size_t all = memory.fixed + memory.private_;
    EXPECT_GE(all, before + length);
    before = all;
  }
}

}  // namespace ayatori::capi
