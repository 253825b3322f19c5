// Placements from the variables of each launcher, and the PMI-1 protocol with a launcher that the test plays.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <map>
#include <string>
#include <thread>

#include "ayatori/launch/placement.hpp"

namespace ayatori::launch {
namespace {

using Variables = std::map<std::string, std::string>;

Result<Placement> placed(const Variables& variables) {
  return find_placement(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      [] { return std::uint64_t{0xabc}; });
}

TEST(FindPlacement, ProcessWithoutALauncherIsAJobOfOne) {
  const auto found = placed({});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->procs, 1U);
  EXPECT_EQ(found->job_key, 0xabcU);
}

TEST(FindPlacement, ReadsTheVariablesOfAyatoriRun) {
  const auto found = placed({{"ACP_RANK", "3"}, {"ACP_PROCS", "8"}, {"ACP_JOB_KEY", "77"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, 3U);
  EXPECT_EQ(found->procs, 8U);
  EXPECT_EQ(found->ranks_per_host, 8U);
  EXPECT_EQ(found->job_key, 77U);
}

TEST(FindPlacement, RefusesRanksThatDoNotFillHostAfterHost) {
  EXPECT_EQ(placed({{"ACP_RANK", "3"}, {"ACP_JOB_KEY", "77"}}).error().message, "ACP_PROCS is not set");
  EXPECT_EQ(placed({{"ACP_RANK", "x"}, {"ACP_PROCS", "8"}, {"ACP_JOB_KEY", "77"}}).error().message,
            "ACP_RANK is 'x', not a number");
  EXPECT_FALSE(placed({{"ACP_RANK", "8"}, {"ACP_PROCS", "8"}, {"ACP_JOB_KEY", "77"}}));
  EXPECT_FALSE(placed({{"ACP_RANK", "0"}, {"ACP_PROCS", "0"}, {"ACP_JOB_KEY", "77"}}));
  // Round robin over hosts: no rule says where a rank is.
  EXPECT_FALSE(placed({{"ACP_RANK", "1"},
                       {"ACP_PROCS", "4"},
                       {"ACP_PROCS_PER_HOST", "2"},
                       {"ACP_LOCAL_RANK", "0"},
                       {"ACP_JOB_KEY", "77"}}));
}

Variables slurm(const char* rank, const char* local, const char* tasks, const char* variable) {
  return {{"SLURM_PROCID", rank},
          {"SLURM_NTASKS", "4"},
          {"SLURM_LOCALID", local},
          {"SLURM_STEP_ID", "0"},
          {variable, tasks}};
}

TEST(FindPlacement, ReadsTheTasksOfEachNodeThatSrunLists) {
  for (const char* variable : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
    const auto found = placed(slurm("2", "0", "2(x2)", variable));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->rank, 2U);
    EXPECT_EQ(found->procs, 4U);
    EXPECT_EQ(found->ranks_per_host, 2U);
    EXPECT_TRUE(placed(slurm("3", "3", "4", variable)));
    EXPECT_TRUE(placed(slurm("3", "1", "2,2", variable)));
    EXPECT_FALSE(placed(slurm("1", "0", "2(x2)", variable)));  // cyclic
  }
  EXPECT_EQ(placed(slurm("2", "0", "2", "SLURM_NTASKS_PER_NODE"))->ranks_per_host, 2U);
  // That of the allocation, which has more tasks than the step, does not count.
  Variables step = slurm("2", "0", "2(x2)", "SLURM_STEP_TASKS_PER_NODE");
  step["SLURM_TASKS_PER_NODE"] = "8(x4)";
  EXPECT_EQ(placed(step)->ranks_per_host, 2U);
}

TEST(FindPlacement, RefusesListsOfTasksThatDoNotFit) {
  const auto message = [](const char* tasks) {
    return placed(slurm("0", "0", tasks, "SLURM_STEP_TASKS_PER_NODE")).error().message;
  };
  EXPECT_EQ(message("3,1"), "SLURM_STEP_TASKS_PER_NODE is '3,1': all hosts must have the same number of ranks");
  EXPECT_EQ(message("2(x3)"),
            "SLURM_STEP_TASKS_PER_NODE is '2(x3)', but SLURM_NTASKS is 4: they are not of the same step");
  EXPECT_EQ(message("2(x2"), "SLURM_STEP_TASKS_PER_NODE: '2(x2' is not a list of tasks per node, such as 2(x3),1");
}

TEST(FindPlacement, RefusesHostsWithDifferentNumbersOfRanks) {
  const Variables open_mpi = {{"OMPI_COMM_WORLD_RANK", "3"},
                              {"OMPI_COMM_WORLD_SIZE", "6"},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                              {"OMPI_COMM_WORLD_LOCAL_RANK", "3"}};
  EXPECT_EQ(placed(open_mpi).error().message,
            "the job has 6 ranks, and the host of rank 3 has 4: all hosts must have the same number");
  EXPECT_FALSE(placed({{"ACP_RANK", "0"}, {"ACP_PROCS", "5"}, {"ACP_PROCS_PER_HOST", "2"}, {"ACP_JOB_KEY", "77"}}));
  // A host that could have more than there are is one host.
  EXPECT_TRUE(placed({{"ACP_RANK", "0"}, {"ACP_PROCS", "5"}, {"ACP_PROCS_PER_HOST", "8"}, {"ACP_JOB_KEY", "77"}}));
}

/// The launcher's side: answers each line until the process sends `finalize`.
std::string serve(int descriptor) {
  std::string value = "none";
  std::string line;
  for (char next = 0; read(descriptor, &next, 1) == 1;) {
    if (next != '\n') {
      line.push_back(next);
      continue;
    }
    std::string answer;
    if (line.starts_with("cmd=init")) answer = "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n";
    if (line.starts_with("cmd=get_my_kvsname")) answer = "cmd=my_kvsname kvsname=kvs_7\n";
    if (line.starts_with("cmd=put kvsname=kvs_7 ")) {
      value = line.substr(line.find("value=") + 6);
      answer = "cmd=put_result rc=0 msg=success\n";
    }
    if (line.starts_with("cmd=barrier_in")) answer = "cmd=barrier_out\n";
    if (line.starts_with("cmd=get kvsname=kvs_7 ")) answer = "cmd=get_result rc=0 msg=success value=" + value + "\n";
    if (line.starts_with("cmd=finalize")) answer = "cmd=finalize_ack\n";
    EXPECT_EQ(write(descriptor, answer.data(), answer.size()), static_cast<ssize_t>(answer.size())) << line;
    line.clear();
  }
  return value;
}

TEST(FindPlacement, GetsTheKeyFromHydraOverPmi) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  std::string put;
  std::thread launcher([&] { put = serve(pair[1]); });
  const auto found = placed({{"PMI_FD", std::to_string(pair[0])}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  close(pair[0]);
  launcher.join();
  close(pair[1]);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->procs, 2U);
  EXPECT_EQ(found->job_key, 0xabcU);
  EXPECT_EQ(put, "0000000000000abc");
}

TEST(FindPlacement, LauncherThatHasEndedIsAnError) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  close(pair[1]);
  const auto found = placed({{"PMI_FD", std::to_string(pair[0])}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "the launcher does not listen on PMI_FD " + std::to_string(pair[0]));
  close(pair[0]);
}

TEST(FindPlacement, RefusesAnAnswerOfTheLauncherThatIsNotPmi) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  const std::string answer = "cmd=nonsense\n";
  ASSERT_EQ(write(pair[1], answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
  const auto found = placed({{"PMI_FD", std::to_string(pair[0])}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  EXPECT_FALSE(found);
  close(pair[0]);
  close(pair[1]);
}

}  // namespace
}  // namespace ayatori::launch
