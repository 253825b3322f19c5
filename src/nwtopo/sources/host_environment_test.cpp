#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>

#include "ayatori/base/files.hpp"
#include "ayatori/sources/host_environment.hpp"
#include "ayatori/sources/topology.hpp"

namespace ayatori {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> environment;

/// A host of its own: folders for the kernel's and Slurm's files, and an environment.
class HostEnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    environment.clear();
    fs::create_directories(folder_);
    environment_.infiniband_folder = (folder_ / "infiniband").string();
    environment_.slurm_folder = (folder_ / "etc-slurm").string();
    environment_.variable = [](const char* name) -> const char* {
      const auto found = environment.find(name);
      return found == environment.end() ? nullptr : found->second.c_str();
    };
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string put(const std::string& path, std::string_view text) {
    const fs::path file = folder_ / path;
    fs::create_directories(file.parent_path());
    EXPECT_TRUE(write_file(file, text));
    return file.string();
  }

  void add_port(const std::string& device, int number, std::string_view state, std::string_view layer) {
    put(fmt::format("infiniband/{}/ports/{}/state", device, number), fmt::format("{}\n", state));
    put(fmt::format("infiniband/{}/ports/{}/link_layer", device, number), fmt::format("{}\n", layer));
  }

  std::vector<std::string> hosts() {
    const auto found = job_hosts(environment_);
    EXPECT_TRUE(found) << found.error().message;
    return found.value_or(std::vector<std::string>());
  }

  fs::path folder_ = fs::temp_directory_path() / fmt::format("ayatori-host-{}", getpid());
  HostEnvironment environment_;
};

TEST_F(HostEnvironmentTest, AutomaticSourceIsEmptyWithoutAnyNetwork) {
  EXPECT_EQ(automatic_source(environment_), "");
  environment_.variable = nullptr;
  EXPECT_EQ(automatic_source(environment_), "");
}

TEST_F(HostEnvironmentTest, AutomaticSourceIsLiveWithAnActiveInfiniBandPort) {
  add_port("mlx5_0", 1, "1: DOWN", "InfiniBand");
  add_port("mlx5_1", 1, "4: ACTIVE", "Ethernet");
  put("infiniband/mlx5_2/node_desc", "no ports");
  EXPECT_EQ(automatic_source(environment_), "");
  add_port("mlx5_3", 2, "4: ACTIVE", "InfiniBand");
  EXPECT_EQ(automatic_source(environment_), "ib:live");
}

TEST_F(HostEnvironmentTest, AutomaticSourceIsSlurmsTopologyFile) {
  const std::string conf = put("etc-slurm/topology.conf", "");
  EXPECT_EQ(automatic_source(environment_), "slurm:" + conf);
  const std::string yaml = put("etc-slurm/topology.yaml", "");
  EXPECT_EQ(automatic_source(environment_), "slurm:" + yaml);
  environment["SLURM_CONF"] = put("elsewhere/slurm.conf", "");
  EXPECT_EQ(automatic_source(environment_), "slurm:" + yaml);
  const std::string other = put("elsewhere/topology.conf", "");
  EXPECT_EQ(automatic_source(environment_), "slurm:" + other);
  add_port("mlx5_0", 1, "4: ACTIVE", "InfiniBand");
  EXPECT_EQ(automatic_source(environment_), "ib:live");
}

TEST_F(HostEnvironmentTest, AutomaticSourceIsTofuInAJobWithAShape) {
  add_port("mlx5_0", 1, "4: ACTIVE", "InfiniBand");
  environment = {{"PJM_NODE_X", "4"}, {"PJM_NODE_Y", "6"}, {"PJM_NODE_Z", "16"}};
  EXPECT_EQ(automatic_source(environment_), "tofu:job=4x6x16");
  const auto topology = open_topology(automatic_source(environment_));
  ASSERT_TRUE(topology) << topology.error().message;
  EXPECT_EQ((*topology)->machine_count(), 384U);
}

TEST_F(HostEnvironmentTest, ResolveSourceFillsInTheJobsShape) {
  EXPECT_EQ(resolve_source("torus:4x4", environment_).value(), "torus:4x4");
  EXPECT_EQ(resolve_source("tofu:job=2x2", environment_).value(), "tofu:job=2x2");
  const auto outside = resolve_source("tofu:job", environment_);
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().message, "'tofu:job' needs a job with a node shape: PJM_NODE_X is not set");
  environment = {{"PJM_NODE_X", "12"}};
  EXPECT_EQ(resolve_source("tofu:job", environment_).value(), "tofu:job=12");
  EXPECT_EQ(resolve_source("tofu:job,x=mesh", environment_).value(), "tofu:job=12,x=mesh");
}

TEST_F(HostEnvironmentTest, TofuJobPointFollowsFromTheRank) {
  const std::vector<std::uint32_t> shape = {4, 6, 16};
  const auto point = [&] { return tofu_job_point(shape, environment_); };
  const auto message = [&] { return point() ? "" : point().error().message; };
  EXPECT_EQ(point().value(), std::nullopt) << "outside of a job";
  environment = {{"PJM_NODE_X", "4"}, {"PJM_NODE_Y", "6"}, {"PJM_NODE_Z", "16"}};
  EXPECT_EQ(point().value(), std::nullopt) << "without a rank: in the job script";
  environment["OMPI_COMM_WORLD_RANK"] = "0";
  EXPECT_EQ(point().value(), 0U);
  environment["OMPI_COMM_WORLD_RANK"] = "31";  // 31 = 3 + 4 * (1 + 6 * 1)
  EXPECT_EQ(point().value(), (3U * 6 + 1) * 16 + 1);
  environment["PJM_PROC_BY_NODE"] = "4";  // node 7 = 3 + 4 * 1
  EXPECT_EQ(point().value(), (3U * 6 + 1) * 16);
  EXPECT_EQ(tofu_job_point(std::vector<std::uint32_t>{4, 6}, environment_).value(), std::nullopt) << "another torus";
  environment["PMIX_RANK"] = "1536";
  EXPECT_EQ(message(), "PMIX_RANK=1536: the job has 384 nodes with 4 processes each");
  environment["PMIX_RANK"] = "-1";
  EXPECT_EQ(message(), "PMIX_RANK=-1 is not a rank");
  environment["PJM_PROC_BY_NODE"] = "0";
  EXPECT_EQ(message(), "PJM_PROC_BY_NODE=0 is no number of processes");
}

TEST_F(HostEnvironmentTest, JobHostsReadsEachBatchSystemsVariable) {
  EXPECT_TRUE(hosts().empty());
  environment = {{"PJM_O_NODEINF", put("nodeinf", "10.3.0.1\n10.3.0.2\n")}};
  EXPECT_EQ(hosts(), (std::vector<std::string>{"10.3.0.1", "10.3.0.2"}));
  environment = {{"PBS_NODEFILE", put("nodes", "n2\nn2\nn1\nn2\n")}};
  EXPECT_EQ(hosts(), (std::vector<std::string>{"n2", "n1"}));
  environment["SLURM_JOB_NODELIST"] = "gpu[08-10],login";
  EXPECT_EQ(hosts(), (std::vector<std::string>{"gpu08", "gpu09", "gpu10", "login"}));
}

TEST_F(HostEnvironmentTest, JobHostsNamesTheVariableOfAnUnreadableList) {
  environment = {{"SLURM_JOB_NODELIST", "n[1-"}};
  EXPECT_EQ(job_hosts(environment_).error().message, "SLURM_JOB_NODELIST: ']' is missing in '[1-'");
  environment = {{"PBS_NODEFILE", "/no/such/file"}};
  const auto missing = job_hosts(environment_);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("/no/such/file"), std::string::npos);
  EXPECT_EQ(missing.error().cause, "the variable PBS_NODEFILE names this file");
}

}  // namespace
}  // namespace ayatori
