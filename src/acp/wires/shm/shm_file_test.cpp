#include "ayatori/shm/shm_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <thread>

#include "ayatori/fixtures/child_fixtures.hpp"
#include "ayatori/fixtures/folder_fixtures.hpp"
#include "ayatori/shm/private_folder.hpp"

namespace ayatori::wires {
namespace {

TEST(OwnShmFile, PublishedMemoryIsFoundUntilItsOwnerEnds) {
  const Folder folder;
  const auto link = folder.path() / "ring-1";
  {
    auto made = need(OwnShmFile::make(link, 5'000));
    EXPECT_EQ(open_shared_memory(link).error().code, ENOENT);
    ASSERT_TRUE(made.publish());
    made.bytes()[4'999] = std::byte{42};
    const SharedMemory found = need(open_shared_memory(link));
    EXPECT_EQ(found.bytes().size(), 5'000U);
    EXPECT_EQ(found.bytes()[4'999], std::byte{42});
    EXPECT_EQ(found.inode, inode_of(link));
    remove_if_over(folder.path());
    EXPECT_TRUE(std::filesystem::is_symlink(link)) << "its owner lives";
    auto second = need(OwnShmFile::make(link, 5'000));
    const auto refused = second.publish();
    EXPECT_EQ(refused.error().message, link.native() + ": a living process has it");
    EXPECT_EQ(refused.error().code, EADDRINUSE);
  }
  EXPECT_FALSE(std::filesystem::is_symlink(link));
}

TEST(OwnShmFile, PublishReplacesTheLinkOfADeadProcess) {
  const Folder folder;
  const auto link = folder.path() / "ring-1";
  Child dead([&] {
    auto made = need(OwnShmFile::make(link, 5'000));
    if (made.publish()) raise(SIGKILL);
  });
  EXPECT_EQ(dead.wait(), -SIGKILL);
  ASSERT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(inode_of(link), 0U);
  auto made = need(OwnShmFile::make(link, 5'000));
  ASSERT_TRUE(made.publish());
  EXPECT_NE(inode_of(link), 0U);
}

TEST(OwnShmFile, PublishRefusesAFolderThatOthersMayEnter) {
  const Folder folder;
  for (const mode_t mode : {0777, 0750, 0701, 01777}) {
    chmod(folder.path().c_str(), mode);
    auto made = need(OwnShmFile::make(folder.path() / "ring-1", 5'000));
    const auto published = made.publish();
    ASSERT_FALSE(published);
    EXPECT_EQ(published.error().message, folder.path().native() + " must be a folder that only this user may enter");
  }
  chmod(folder.path().c_str(), 0700);
}

TEST(OwnShmFile, PublishDoesNotFollowALinkToAnotherFolder) {
  const Folder folder;
  const auto link = folder.path() / "elsewhere";
  std::filesystem::create_directory_symlink(folder.path(), link);
  auto made = need(OwnShmFile::make(link / "ring-1", 5'000));
  EXPECT_FALSE(made.publish());
}

TEST(RemoveIfOver, RemovesLinksOfDeadProcessesAndTheFolderIfNothingIsLeft) {
  const Folder folder;
  const auto job = folder.path() / "job";
  ASSERT_TRUE(make_private_folder(job));
  std::filesystem::create_symlink("/proc/0/fd/3", job / "ring-1");
  std::ofstream(job / "another's") << "not ours";
  remove_if_over(job);
  EXPECT_FALSE(std::filesystem::is_symlink(job / "ring-1"));
  EXPECT_TRUE(std::filesystem::exists(job / "another's"));
  std::filesystem::remove(job / "another's");
  remove_if_over(job);
  EXPECT_FALSE(std::filesystem::exists(job));
}

TEST(MakePrivateFolder, SucceedsWhileOthersRemoveWhatIsEmpty) {
  const Folder folder;
  const auto job = folder.path() / "job";
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) remove_if_over(job);
  });
  for (int i = 0; i < 20'000; ++i) {
    const auto made = make_private_folder(job);
    EXPECT_TRUE(made) << (made ? "" : made.error().message);
  }
  over = true;
  other.join();
}

TEST(OwnShmFile, MakeReportsThatThereIsNoMemory) {
  const Folder folder;
  Child limited([&] {
    // A limit on files is what a test can do to itself; a machine without memory fails in the same call.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{10'000, 10'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const auto made = OwnShmFile::make(folder.path() / "ring-1", 1 << 20);
    if (made || made.error().message != "1024 KiB of memory can't be shared") throw std::runtime_error("no such error");
  });
  EXPECT_EQ(limited.wait(), 0);
}

TEST(OwnShmFile, PublishReportsThatTheFolderCantBeMade) {
  auto made = need(OwnShmFile::make("/nowhere/job/ring-1", 100));
  const auto published = made.publish();
  ASSERT_FALSE(published);
  EXPECT_EQ(published.error().message, "/nowhere/job can't be made");
  EXPECT_EQ(published.error().code, ENOENT);
}

}  // namespace
}  // namespace ayatori::wires
