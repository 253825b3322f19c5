#include "shm_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <fstream>

#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/folder_fixtures.hpp"

namespace ayatori::wires {
namespace {

TEST(OwnShmFile, PublishedFileIsFoundUntilItsOwnerEnds) {
  const Folder folder;
  const auto path = folder.path() / "ayatori-1";
  {
    auto made = need(OwnShmFile::make(path, 5'000));
    EXPECT_EQ(open_shm_file(path).error().code, ENOENT);
    ASSERT_TRUE(made.publish());
    made.bytes()[4'999] = std::byte{42};
    const OpenShmFile found = need(open_shm_file(path));
    EXPECT_EQ(found.mapping.bytes().size(), 5'000U);
    EXPECT_EQ(found.mapping.bytes()[4'999], std::byte{42});
    EXPECT_EQ(found.inode, inode_of(path));
    remove_stale(folder.path(), "ayatori-");
    EXPECT_TRUE(std::filesystem::exists(path)) << "its owner lives";
    auto second = need(OwnShmFile::make(path, 5'000));
    EXPECT_EQ(second.publish().error().message, path.native() + ": a living process has it");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(OwnShmFile, PublishReplacesTheFileOfADeadProcess) {
  const Folder folder;
  const auto path = folder.path() / "ayatori-1";
  Child dead([&] {
    auto made = need(OwnShmFile::make(path, 5'000));
    if (made.publish()) raise(SIGKILL);
  });
  EXPECT_EQ(dead.wait(), -SIGKILL);
  ASSERT_TRUE(std::filesystem::exists(path));
  const ino_t left = inode_of(path);
  auto made = need(OwnShmFile::make(path, 5'000));
  ASSERT_TRUE(made.publish());
  EXPECT_NE(inode_of(path), left);
}

TEST(RemoveStale, RemovesFilesOfDeadProcessesAndNoOthers) {
  const Folder folder;
  std::ofstream(folder.path() / "ayatori-left") << "over";
  std::ofstream(folder.path() / "another's") << "not ours";
  remove_stale(folder.path(), "ayatori-");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "ayatori-left"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "another's"));
}

TEST(OwnShmFile, MakeReportsThatTheFolderHasNoRoom) {
  const Folder folder;
  Child limited([&] {
    // A limit on files is what a test can do to itself; a full folder fails in the same call.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10'000, 10'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto made = OwnShmFile::make(folder.path() / "ayatori-1", 1 << 20);
    const std::string expected = folder.path().native() + ": no room for 1024 KiB of shared memory";
    if (made || made.error().message != expected || made.error().hint.empty())
      throw std::runtime_error("no such error");
  });
  EXPECT_EQ(limited.wait(), 0);
}

TEST(OwnShmFile, MakeReportsThatTheFolderIsMissing) {
  const auto made = OwnShmFile::make("/nowhere/ayatori-1", 100);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "/nowhere: no shared memory can be made there");
  EXPECT_EQ(made.error().code, ENOENT);
}

}  // namespace
}  // namespace ayatori::wires
