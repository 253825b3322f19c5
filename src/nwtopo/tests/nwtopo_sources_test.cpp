// Where a topology comes from: buffers, batch jobs, host patterns, and what is not a source at all.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "opened.hpp"

namespace {

/// All links of all objects, as text.
std::string links_of(nwtopo_topology_t topology) {
  std::string text;
  for (unsigned height = 0; height <= nwtopo_topology_get_max_height(topology); ++height) {
    for (unsigned long i = 0; i < nwtopo_topology_get_num_objects(topology, height); ++i) {
      nwtopo_obj_t const object = nwtopo_topology_get_object(topology, height, i);
      text += std::to_string(object->id) + ":";
      for (long j = 0; j < nwtopo_obj_get_num_links(topology, object); ++j) {
        nwtopo_link link{};
        EXPECT_EQ(nwtopo_obj_get_link(topology, object, static_cast<unsigned long>(j), &link), 0);
        text += " " + std::to_string(link.from_port) + "-" + std::to_string(link.to->id);
      }
    }
  }
  return text;
}

class Buffer {
 public:
  explicit Buffer(nwtopo_topology_t topology) {
    EXPECT_EQ(nwtopo_topology_export_buffer(topology, &bytes_, &size_), 0) << nwtopo_error_message();
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { nwtopo_buffer_free(bytes_); }

  [[nodiscard]] void* bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void* bytes_ = nullptr;
  std::size_t size_ = 0;
};

TEST(NwtopoTopologySetBuffer, LoadsWhatExportBufferGave) {
  for (const char* source : {"fattree:K=3,levels=3,nodes=20", "torus:3x4", "full:4,hosts=2", "torus:100x100x10"}) {
    const Opened first(source);
    const Buffer buffer(first);
    // At an odd address, and gone after the load, as in a message that was received.
    std::vector<char> received(buffer.size() + 1);
    std::memcpy(received.data() + 1, buffer.bytes(), buffer.size());
    nwtopo_topology_t second = nullptr;
    ASSERT_EQ(nwtopo_topology_init(&second), 0);
    ASSERT_EQ(nwtopo_topology_set_buffer(second, received.data() + 1, buffer.size()), 0);
    ASSERT_EQ(nwtopo_topology_load(second), 0) << nwtopo_error_message();
    std::fill(received.begin(), received.end(), '\0');
    EXPECT_STREQ(nwtopo_topology_get_source(second), "buffer");
    EXPECT_EQ(nwtopo_topology_get_num_objects(second, 0), nwtopo_topology_get_num_objects(first, 0));
    if (nwtopo_topology_get_num_objects(first, 0) < 1000) {
      EXPECT_EQ(links_of(second), links_of(first));
    }
    nwtopo_topology_destroy(second);
  }
}

TEST(NwtopoTopologySetBuffer, RefusesWhatIsNotACache) {
  const Opened tree("fattree:K=2");
  const Buffer buffer(tree);
  std::vector<char> bytes(buffer.size());
  std::memcpy(bytes.data(), buffer.bytes(), bytes.size());
  const auto load = [&](std::size_t size) {
    nwtopo_topology_t topology = nullptr;
    EXPECT_EQ(nwtopo_topology_init(&topology), 0);
    EXPECT_EQ(nwtopo_topology_set_buffer(topology, bytes.data(), size), 0);
    const int result = nwtopo_topology_load(topology);
    nwtopo_topology_destroy(topology);
    return result;
  };
  EXPECT_EQ(load(bytes.size()), 0);
  EXPECT_EQ(load(bytes.size() - 1), -1);
  EXPECT_EQ(errno, EINVAL);
  bytes[bytes.size() / 2] ^= 1;
  EXPECT_EQ(load(bytes.size()), -1);
  bytes[0] = 'N';
  EXPECT_EQ(load(bytes.size()), -1);
  EXPECT_EQ(load(0), -1);
}

TEST(NwtopoTopologyGetThisMachine, IsFoundByTheRankInATofuJob) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "nwtopo_nodeinf";
  std::ofstream(path) << "10.3.0.1\n10.3.0.2\n";
  for (const auto& [name, value] :
       {std::pair("PJM_NODE_X", "2"), std::pair("PJM_NODE_Y", "3"), std::pair("PJM_NODE_Z", "2")}) {
    ::setenv(name, value, 1);
  }
  ::setenv("PJM_O_NODEINF", path.c_str(), 1);  // addresses, which no torus has as names
  ::setenv("PMIX_RANK", "9", 1);               // 9 = 1 + 2 * (1 + 3 * 1)
  nwtopo_topology_t topology = nullptr;
  ASSERT_EQ(nwtopo_topology_init(&topology), 0);
  ASSERT_EQ(nwtopo_topology_load(topology), 0) << nwtopo_error_message();
  const nwtopo_obj_t here = nwtopo_topology_get_this_machine(topology);
  ASSERT_NE(here, nullptr) << nwtopo_error_message();
  EXPECT_STREQ(here->attr->machine.hostname, "N1-1-1");
  ::setenv("PMIX_RANK", "12", 1);
  EXPECT_EQ(nwtopo_topology_get_this_machine(topology), nullptr);
  EXPECT_STREQ(nwtopo_error_message(), "PMIX_RANK=12: the job has 12 nodes with 1 processes each");
  for (const char* name : {"PJM_NODE_X", "PJM_NODE_Y", "PJM_NODE_Z", "PJM_O_NODEINF", "PMIX_RANK"}) ::unsetenv(name);
  EXPECT_EQ(nwtopo_topology_get_this_machine(topology), nullptr) << "outside of the job";
  nwtopo_topology_destroy(topology);
}

TEST(NwtopoTopologySetFlags, ThisJobCutsANamedSourceToTheJob) {
  ::setenv("SLURM_JOB_NODELIST", "N[1-3]", 1);
  const Opened all("fattree:K=2");
  const Opened job("fattree:K=2", NWTOPO_TOPOLOGY_FLAG_THIS_JOB);
  ::unsetenv("SLURM_JOB_NODELIST");
  const Opened outside("fattree:K=2", NWTOPO_TOPOLOGY_FLAG_THIS_JOB);
  EXPECT_EQ(nwtopo_topology_get_num_objects(all, 0), 8U);
  EXPECT_EQ(nwtopo_topology_get_num_objects(job, 0), 3U);
  EXPECT_EQ(nwtopo_topology_get_num_objects(outside, 0), 8U);
  nwtopo_topology_t topology = nullptr;
  ASSERT_EQ(nwtopo_topology_init(&topology), 0);
  EXPECT_EQ(nwtopo_topology_set_flags(topology, NWTOPO_TOPOLOGY_FLAG_THIS_JOB | NWTOPO_TOPOLOGY_FLAG_WHOLE_SYSTEM), -1);
  EXPECT_EQ(errno, EINVAL);
  nwtopo_topology_destroy(topology);
}

TEST(NwtopoTopologySetAliases, FindsMachinesAndTheJobByOtherNames) {
  const std::string path = testing::TempDir() + "nwtopo-aliases-" + std::to_string(::getpid());
  std::ofstream(path) << "N1 ip-10-0-0-1\nip-10-0-0-2 N2\n";
  const auto load = [&](const char* aliases, unsigned long flags) {
    nwtopo_topology_t topology = nullptr;
    EXPECT_EQ(nwtopo_topology_init(&topology), 0);
    EXPECT_EQ(nwtopo_topology_set_flags(topology, flags), 0);
    EXPECT_EQ(nwtopo_topology_set_source(topology, "fattree:K=2"), 0);
    EXPECT_EQ(nwtopo_topology_set_aliases(topology, aliases), 0);
    EXPECT_EQ(nwtopo_topology_set_this_machine(topology, "ip-10-0-0-2.site"), 0);
    EXPECT_EQ(nwtopo_topology_load(topology), 0) << nwtopo_error_message();
    return topology;
  };
  ::setenv("SLURM_JOB_NODELIST", "ip-10-0-0-[1-2]", 1);
  nwtopo_topology_t const job = load(path.c_str(), NWTOPO_TOPOLOGY_FLAG_THIS_JOB);
  ::unsetenv("SLURM_JOB_NODELIST");
  EXPECT_EQ(nwtopo_topology_get_num_objects(job, 0), 2U);
  EXPECT_EQ(nwtopo_topology_get_this_machine(job), nwtopo_topology_get_object_by_name(job, "N2"));
  nwtopo_topology_destroy(job);

  ::setenv("AYATORI_ALIASES", path.c_str(), 1);
  nwtopo_topology_t const by_environment = load(nullptr, 0);
  ::unsetenv("AYATORI_ALIASES");
  EXPECT_NE(nwtopo_topology_get_object_by_name(by_environment, "ip-10-0-0-1"), nullptr);
  nwtopo_topology_destroy(by_environment);
  nwtopo_topology_t const without = load(nullptr, 0);
  EXPECT_EQ(nwtopo_topology_get_object_by_name(without, "ip-10-0-0-1"), nullptr);
  nwtopo_topology_destroy(without);
}

TEST(NwtopoTopologySetAliases, RefusesAFileThatIsNotThereOrContradictsItself) {
  const std::string path = testing::TempDir() + "nwtopo-bad-aliases-" + std::to_string(::getpid());
  std::ofstream(path) << "N1 a\nN2 a\n";
  nwtopo_topology_t topology = nullptr;
  ASSERT_EQ(nwtopo_topology_init(&topology), 0);
  ASSERT_EQ(nwtopo_topology_set_source(topology, "torus:4"), 0);
  ASSERT_EQ(nwtopo_topology_set_aliases(topology, path.c_str()), 0);
  EXPECT_EQ(nwtopo_topology_load(topology), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_NE(std::string(nwtopo_error_message()).find(":2: 'a' stands for two hosts"), std::string::npos);
  ASSERT_EQ(nwtopo_topology_set_aliases(topology, "/nowhere/to/be found"), 0);
  EXPECT_EQ(nwtopo_topology_load(topology), -1);
  EXPECT_EQ(errno, ENOENT);
  nwtopo_topology_destroy(topology);
}

/// errno of loading a source that must be refused at once, in one line.
int error_of(const std::string& source) {
  nwtopo_topology_t topology = nullptr;
  EXPECT_EQ(nwtopo_topology_init(&topology), 0);
  EXPECT_EQ(nwtopo_topology_set_source(topology, source.c_str()), 0);
  EXPECT_EQ(nwtopo_topology_load(topology), -1) << source;
  const int error = errno;
  EXPECT_EQ(std::string(nwtopo_error_message()).find('\n'), std::string::npos);
  nwtopo_topology_destroy(topology);
  return error;
}

TEST(NwtopoTopologyLoad, RefusesDevicesAndPipesInsteadOfReadingForEver) {
  const auto pipe = std::filesystem::temp_directory_path() / ("nwtopo-pipe-" + std::to_string(::getpid()));
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const char* kind : {"json", "ib", "slurm", "cache"}) {
    EXPECT_NE(error_of(std::string(kind) + ":/dev/zero"), 0) << kind;
  }
  EXPECT_NE(error_of("cache:" + pipe.string()), 0);
  EXPECT_NE(error_of("json:" + pipe.string()), 0);
  std::filesystem::remove(pipe);
}

TEST(NwtopoTopologySetHostPattern, RefusesADefectiveExpression) {
  nwtopo_topology_t topology = nullptr;
  ASSERT_EQ(nwtopo_topology_init(&topology), 0);
  ASSERT_EQ(nwtopo_topology_set_host_pattern(topology, "(unclosed"), 0);
  ASSERT_EQ(nwtopo_topology_set_source(topology, "ib:/dev/null/none"), 0);
  EXPECT_EQ(nwtopo_topology_load(topology), -1);
  nwtopo_topology_destroy(topology);
}

/// Paper 2, figure 5 after a shrink that reuses objects: the grid is the box, whoever's object stands for it.
TEST(NwtopoTopologyShrink, ReusedMachinesHaveAParentInTheSubset) {
  const Opened base("torus:4x6x16");
  std::vector<nwtopo_obj_t> box;
  for (unsigned long id = 0; id < 4 * 6 * 16; ++id) {
    if (id % 16 < 8) box.push_back(nwtopo_topology_get_object_by_id(base, id));
  }
  const Opened subset(base, box, NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS);
  nwtopo_obj_t const me = box[37];
  nwtopo_obj_t const grid = nwtopo_obj_get_parent(subset, me, 0);
  ASSERT_NE(grid, nullptr) << nwtopo_error_message();
  EXPECT_EQ(grid->attr->grid.dimensions[2], 8U);
  EXPECT_FALSE(grid->attr->grid.periodicities[2]);
  EXPECT_EQ(nwtopo_obj_get_parent(base, me, 0), me->parents[0]);
  EXPECT_EQ(nwtopo_obj_get_parent(subset, me, 1), nullptr);
  EXPECT_EQ(errno, ENOENT);
  for (nwtopo_obj_t const either : {grid, me->parents[0]}) {
    int lengths[3] = {};
    ASSERT_EQ(nwtopo_grid_get_dimensions(subset, either, lengths), 0) << nwtopo_error_message();
    EXPECT_EQ(lengths[0], 4);
    EXPECT_EQ(lengths[1], 6);
    EXPECT_EQ(lengths[2], 8);
  }
}

TEST(NwtopoTopologyShrink, OfATorusToTwoMachinesKeepsTheirDistance) {
  const Opened ring("torus:8");
  nwtopo_obj_t const a = nwtopo_topology_get_object_by_id(ring, 0);
  nwtopo_obj_t const b = nwtopo_topology_get_object_by_id(ring, 2);
  const Opened two(ring, {a, b}, NWTOPO_TOPOLOGY_FLAG_REUSE_OBJECTS);
  EXPECT_EQ(nwtopo_get_hops(two, a, b), 2);
  nwtopo_link links[2];
  ASSERT_EQ(nwtopo_get_route(two, a, b, 0, 2, links), 2);
  EXPECT_EQ(links[0].from, a);
  EXPECT_EQ(links[0].to, nullptr) << "a built-in router outside of the subset";
  EXPECT_EQ(links[1].from, nullptr);
  EXPECT_EQ(links[1].to, b);
}

}  // namespace
