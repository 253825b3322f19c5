// Placements from the variables of each launcher, and the PMI-1 protocol with a launcher that the test plays.

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include "ayatori/launch/launcher.hpp"

namespace ayatori::launch {
namespace {

using Variables = std::map<std::string, std::string>;

const JobSecret made_secret = *parse_secret("000102030405060708090a0b0c0d0eff");

Result<std::unique_ptr<Launcher>> launcher_of(const Variables& variables) {
  return find_launcher(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      [] { return Result<JobSecret>(made_secret); });
}

Result<Placement> placed(const Variables& variables) {
  auto found = launcher_of(variables);
  if (!found) return Failure(found.error());
  return (*found)->placement;
}

/// A file with a job's secret.
struct JobFile {
  std::string name = std::filesystem::temp_directory_path() / "ayatori-job-XXXXXX";

  JobFile() {
    close(mkstemp(name.data()));
    std::ofstream(name) << text_of(made_secret) << '\n';
  }
  ~JobFile() { unlink(name.c_str()); }
};

TEST(FindLauncher, ProcessWithoutALauncherIsAJobOfOne) {
  const auto found = placed({});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->procs, 1U);
  EXPECT_TRUE(found->on_one_host());
  EXPECT_EQ(found->secret, made_secret);
  EXPECT_EQ(found->job_key, public_number(made_secret));
  for (const Variables& alone : {Variables{}, Variables{{"ACP_RANK", "0"}, {"ACP_PROCS", "1"}}}) {
    EXPECT_TRUE((*launcher_of(alone))->publish({})) << "nobody asks for it";
  }
}

TEST(FindLauncher, ReadsTheVariablesOfAcprun) {
  const JobFile file;
  const auto found = placed({{"ACP_RANK", "3"}, {"ACP_PROCS", "8"}, {"ACP_JOB_FILE", file.name}});
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->rank, 3U);
  EXPECT_EQ(found->procs, 8U);
  EXPECT_EQ(found->ranks_on_host, 8U);
  EXPECT_EQ(found->first_on_host, 0U);
  EXPECT_EQ(found->secret, made_secret);
}

TEST(FindLauncher, HostsMayHaveUnequalNumbersOfRanks) {
  const JobFile file;
  Variables variables{{"ACP_RANK", "5"},
                      {"ACP_PROCS", "7"},
                      {"ACP_LOCAL_PROCS", "3"},
                      {"ACP_LOCAL_RANK", "1"},
                      {"ACP_JOB_FILE", file.name}};
  const auto found = placed(variables);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->first_on_host, 4U);
  EXPECT_EQ(found->ranks_on_host, 3U);
  EXPECT_TRUE(found->is_near(4) && found->is_near(6));
  EXPECT_FALSE(found->is_near(3) || found->on_one_host());
  variables["ACP_LOCAL_RANK"] = "0";
  EXPECT_FALSE(placed(variables)) << "ranks 5 to 7 of 7";
}

TEST(FindLauncher, FilePassesOnWhatEachRankHasPublished) {
  const JobFile file;
  const auto joined = [&](const char* rank) {
    return std::move(*launcher_of({{"ACP_RANK", rank}, {"ACP_PROCS", "2"}, {"ACP_JOB_FILE", file.name}}));
  };
  const auto first = joined("0");
  const auto second = joined("1");
  EXPECT_TRUE(first->stays());
  EXPECT_EQ(first->published(1).error().message, "rank 1 has no entry in " + file.name + " yet");
  const std::vector<std::byte> card{std::byte{7}, std::byte{0}, std::byte{255}};
  ASSERT_TRUE(second->publish(card));
  EXPECT_EQ(*first->published(1), card);
  EXPECT_EQ(joined("0")->placement.secret, made_secret) << "the secret stays";
}

TEST(FindLauncher, RefusesAJobWithoutASecretOfItsOwn) {
  const auto none = launcher_of({{"ACP_RANK", "0"}, {"ACP_PROCS", "2"}});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, "ACP_RANK is set, and ACP_JOB_FILE is not: the processes of a job need a secret");
  EXPECT_FALSE(none.error().hint.empty());
  const JobFile file;
  std::filesystem::permissions(file.name, std::filesystem::perms::others_read, std::filesystem::perm_options::add);
  EXPECT_FALSE(launcher_of({{"ACP_RANK", "0"}, {"ACP_PROCS", "2"}, {"ACP_JOB_FILE", file.name}}));
}

TEST(FindLauncher, RefusesRanksThatDoNotFillHostAfterHost) {
  EXPECT_EQ(placed({{"ACP_RANK", "3"}}).error().message, "ACP_PROCS is not set");
  EXPECT_EQ(placed({{"ACP_RANK", "x"}, {"ACP_PROCS", "8"}}).error().message, "ACP_RANK is 'x', not a number");
  EXPECT_FALSE(placed({{"ACP_RANK", "8"}, {"ACP_PROCS", "8"}}));
  EXPECT_FALSE(placed({{"ACP_RANK", "0"}, {"ACP_PROCS", "0"}}));
  const Variables open_mpi = {{"OMPI_COMM_WORLD_RANK", "1"},
                              {"OMPI_COMM_WORLD_SIZE", "4"},
                              {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                              {"OMPI_COMM_WORLD_LOCAL_RANK", "2"}};
  EXPECT_EQ(placed(open_mpi).error().message,
            "rank 1 of 4 has the number 2 on its host, which has 2 ranks: ranks must fill host after host");
}

TEST(FindLauncher, OpenMpiMayNumberTheRanksOfAHostInAnyOrder) {
  const auto found = placed({{"OMPI_COMM_WORLD_RANK", "0"},
                             {"OMPI_COMM_WORLD_SIZE", "3"},
                             {"OMPI_COMM_WORLD_LOCAL_SIZE", "3"},
                             {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}});
  ASSERT_FALSE(found) << "here is no PMIx server that lists them";
  EXPECT_EQ(found.error().message,
            "Open MPI numbers the ranks of a host in an order of its own, and no PMIx server lists them");
}

Variables slurm(const char* rank, const char* local, const char* tasks, const char* variable) {
  return {{"SLURM_PROCID", rank},
          {"SLURM_NTASKS", "4"},
          {"SLURM_LOCALID", local},
          {"SLURM_STEP_ID", "0"},
          {variable, tasks}};
}

TEST(FindLauncher, ReadsTheTasksOfEachNodeThatSrunLists) {
  for (const char* variable : {"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}) {
    const auto found = placed(slurm("2", "0", "2(x2)", variable));
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->rank, 2U);
    EXPECT_EQ(found->procs, 4U);
    EXPECT_EQ(found->first_on_host, 2U);
    EXPECT_EQ(found->ranks_on_host, 2U);
    EXPECT_TRUE(placed(slurm("3", "3", "4", variable)));
    EXPECT_TRUE(placed(slurm("3", "1", "2,2", variable)));
    EXPECT_FALSE(placed(slurm("1", "0", "2(x2)", variable)));  // cyclic
    EXPECT_FALSE(placed(slurm("2", "1", "2(x2)", variable)));
  }
  EXPECT_EQ(placed(slurm("2", "0", "2", "SLURM_NTASKS_PER_NODE"))->ranks_on_host, 2U);
  const auto unequal = placed(slurm("3", "0", "3,1", "SLURM_STEP_TASKS_PER_NODE"));
  ASSERT_TRUE(unequal) << unequal.error().message;
  EXPECT_EQ(unequal->first_on_host, 3U);
  EXPECT_EQ(unequal->ranks_on_host, 1U);
  // That of the allocation, which has more tasks than the step, does not count.
  Variables step = slurm("2", "0", "2(x2)", "SLURM_STEP_TASKS_PER_NODE");
  step["SLURM_TASKS_PER_NODE"] = "8(x4)";
  EXPECT_EQ(placed(step)->ranks_on_host, 2U);
}

TEST(FindLauncher, RefusesListsOfTasksThatDoNotFit) {
  const auto message = [](const char* tasks) {
    return placed(slurm("0", "0", tasks, "SLURM_STEP_TASKS_PER_NODE")).error().message;
  };
  EXPECT_EQ(message("2(x3)"),
            "SLURM_STEP_TASKS_PER_NODE is '2(x3)', but SLURM_NTASKS is 4: they are not of the same step");
  EXPECT_EQ(message("2(x2"), "SLURM_STEP_TASKS_PER_NODE: '2(x2' is not a list of tasks per node, such as 2(x3),1");
}

TEST(FindLauncher, JobWithoutPmixHasNoSecretAndPassesNothingOn) {
  const auto found = launcher_of(slurm("2", "0", "2(x2)", "SLURM_STEP_TASKS_PER_NODE"));
  ASSERT_TRUE(found);
  EXPECT_FALSE((*found)->placement.secret);
  EXPECT_FALSE((*found)->publish({}));
  EXPECT_FALSE((*found)->published(0));
}

/// The launcher's side: answers each line until the process sends `finalize`. Returns what was put. Rank 1 is on the
/// host of rank 0, or on another one.
std::map<std::string, std::string> serve(int descriptor, bool one_host) {
  std::map<std::string, std::string> values;
  const auto word = [](const std::string& line, const std::string& name) {
    const std::size_t at = line.find(name + "=");
    if (at == std::string::npos) return std::string();
    const std::size_t begin = at + name.size() + 1;
    return line.substr(begin, line.find(' ', begin) - begin);
  };
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
      values[word(line, " key")] = word(line, " value");
      values["ayatori-host-1"] = one_host ? values["ayatori-host-0"] : "another";
      answer = "cmd=put_result rc=0 msg=success\n";
    }
    if (line.starts_with("cmd=barrier_in")) answer = "cmd=barrier_out\n";
    if (line.starts_with("cmd=get kvsname=kvs_7 ")) {
      answer = "cmd=get_result rc=0 msg=success value=" + values[word(line, " key")] + "\n";
    }
    if (line.starts_with("cmd=finalize")) answer = "cmd=finalize_ack\n";
    EXPECT_EQ(write(descriptor, answer.data(), answer.size()), static_cast<ssize_t>(answer.size())) << line;
    line.clear();
  }
  return values;
}

TEST(FindLauncher, HydraPassesTheSecretAndAddressesOnOverPmi) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  std::map<std::string, std::string> put;
  std::thread server([&] { put = serve(pair[1], true); });
  {
    auto found = launcher_of({{"PMI_FD", std::to_string(pair[0])}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ((*found)->placement.procs, 2U);
    EXPECT_EQ((*found)->placement.secret, made_secret);
    const std::vector<std::byte> card{std::byte{0}, std::byte{255}};
    EXPECT_TRUE((*found)->publish(card));
    EXPECT_EQ(*(*found)->published(0), card);
    EXPECT_EQ((*found)->published(1).error().message, "the launcher has no address of rank 1");
  }
  close(pair[0]);
  server.join();
  close(pair[1]);
  EXPECT_EQ(put["ayatori-job-secret"], text_of(made_secret));
  EXPECT_EQ(put["ayatori-address-0"], "00ff");
}

TEST(FindLauncher, RefusesRanksThatHydraPlacesRoundRobin) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  std::thread server([&] { serve(pair[1], false); });
  {
    const auto found = placed({{"PMI_FD", std::to_string(pair[0])},
                               {"PMI_RANK", "0"},
                               {"PMI_SIZE", "4"},
                               {"MPI_LOCALNRANKS", "2"},
                               {"MPI_LOCALRANKID", "0"}});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message, "rank 1 is not on the host of rank 0: ranks must fill host after host");
  }
  close(pair[0]);
  server.join();
  close(pair[1]);
}

TEST(FindLauncher, LauncherThatHasEndedIsAnError) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  close(pair[1]);
  const auto found = placed({{"PMI_FD", std::to_string(pair[0])}, {"PMI_RANK", "0"}, {"PMI_SIZE", "2"}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "the launcher does not listen on PMI_FD " + std::to_string(pair[0]));
  close(pair[0]);
}

TEST(FindLauncher, RefusesAnAnswerOfTheLauncherThatIsNotPmi) {
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
