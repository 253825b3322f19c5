#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "ayatori/base/error.hpp"
#include "ayatori/base/files.hpp"
#include "ayatori/base/ids.hpp"
#include "ayatori/base/ip_address.hpp"
#include "ayatori/base/printable.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/base/skipped_lines.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/base/tool_messages.hpp"

namespace ayatori {
namespace {

// --- errors
// -----------------------------------------------------------------------------------------------------------

Result<int> failing() { return with_cause(with_hint(fail("no host named '{}'", "n1"), "try n2"), "it is dark"); }

TEST(Fail, ErrorHasMessageCauseAndHint) {
  const auto result = failing();
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "no host named 'n1'");
  EXPECT_EQ(result.error().cause, "it is dark");
  EXPECT_EQ(result.error().hint, "try n2");
  EXPECT_EQ(result.error().blame, Error::Blame::user);
}

TEST(FailAt, MessageNamesFileAndLine) {
  const Result<> line = fail_at("hosts", 3, "expected a host");
  EXPECT_EQ(line.error().message, "hosts:3: expected a host");
  const Result<> whole = fail_at("hosts", 0, "the file is empty");
  EXPECT_EQ(whole.error().message, "hosts: the file is empty");
}

// --- text
// -------------------------------------------------------------------------------------------------------------

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  LineReader reader(text);
  while (const auto line = reader.next()) {
    lines.emplace_back(*line);
    EXPECT_EQ(reader.line(), lines.size());
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(LineReader, NextReturnsLinesWithAnyLineEnd) {
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("a"), Lines{"a"});
  EXPECT_EQ(lines_of("a\n"), Lines{"a"});
  EXPECT_EQ(lines_of("a\r\nb\n\nc"), (Lines{"a", "b", "", "c"}));
  EXPECT_EQ(lines_of("\n"), Lines{""});
}

TEST(TrimmedAndSplit, RemoveSpacesAroundEachPart) {
  EXPECT_EQ(trimmed(" \t a b \r\n"), "a b");
  EXPECT_EQ(trimmed("  "), "");
  EXPECT_TRUE(split("", ',').empty());
  EXPECT_EQ(split("a, b,,c", ','), (std::vector<std::string_view>{"a", "b", "", "c"}));
  EXPECT_EQ(split(",", ','), (std::vector<std::string_view>{"", ""}));
}

TEST(ParseUnsigned, AcceptsOnlyDigitsWithoutOverflow) {
  EXPECT_EQ(parse_unsigned<int>("042"), 42);
  EXPECT_EQ(parse_unsigned<Lid>("65535"), 65535);
  EXPECT_EQ(parse_unsigned<std::uint64_t>("ff", 16), 255U);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x1", "1.0", "65536", "99999999999999999999"}) {
    EXPECT_FALSE(parse_unsigned<Lid>(text)) << text;
  }
}

TEST(ParseGuid, AcceptsAllNotations) {
  EXPECT_EQ(parse_guid("0x0002c90300a1b2c3"), 0x0002c90300a1b2c3U);
  EXPECT_EQ(parse_guid("2c90300a1b2c3"), 0x0002c90300a1b2c3U);
  EXPECT_EQ(parse_guid("0002:c903:00a1:b2c3"), 0x0002c90300a1b2c3U);
  for (const char* text : {"", "0x", "0xg", "0x12345678901234567", "node"}) EXPECT_FALSE(parse_guid(text)) << text;
}

TEST(NaturalLess, ComparesDigitsAsNumbers) {
  EXPECT_TRUE(natural_less("n2", "n10"));
  EXPECT_FALSE(natural_less("n10", "n2"));
  EXPECT_TRUE(natural_less("a1b2", "a1b10"));
  EXPECT_TRUE(natural_less("n2", "n02") != natural_less("n02", "n2"));
  EXPECT_TRUE(natural_less("n02", "n3"));
  EXPECT_TRUE(natural_less("n99999999999999999999998", "n99999999999999999999999"));
  EXPECT_TRUE(natural_less("n", "n0"));
}

TEST(NaturalLess, IsAStrictTotalOrder) {
  constexpr std::string_view alphabet = "0012a-\xe9";
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    Random random(seed);
    std::string text[3];
    for (std::string& t : text) {
      for (std::uint64_t i = random.below(6); i > 0; --i) t.push_back(alphabet[random.below(alphabet.size())]);
    }
    const auto& [a, b, c] = text;
    SCOPED_TRACE("seed " + std::to_string(seed) + " '" + a + "' '" + b + "' '" + c + "'");
    EXPECT_FALSE(natural_less(a, a));
    EXPECT_EQ(natural_less(a, b) + natural_less(b, a), a == b ? 0 : 1);
    EXPECT_TRUE(!(natural_less(a, b) && natural_less(b, c)) || natural_less(a, c));
  }
}

TEST(ClassifyToolMessage, RecognisesMessagesAndPrompts) {
  for (const char* line : {"src/query_smp.c:195; umad (DR path slid 0; dlid 0; 0,1 Attr 0x11:0) bad status 110",
                           "/var/tmp/BUILD/libibnetdisc/ibnetdisc.c:802; can't open MAD port ((null):0)",
                           "ibwarn: [298726] mad_rpc_open_port: client_register for mgmt 1 failed",
                           "ibroute: iberror: failed: can't resolve destination port 7", "ibpanic: [2] main: failed"}) {
    EXPECT_EQ(classify_tool_message(line), ToolMessage::failure) << line;
  }
  for (const char* line :
       {"DR path slid 0; dlid 0; 0,1 -> new remote switch {0002c902004052f8} portnum 0 base lid 2-2\"Infiniscale\"",
        "[root@test-node 1]# ibnetdiscover", "user@host:~$ ibnetdiscover > net", "sh-5.1$", "$ ibnetdiscover"}) {
    EXPECT_EQ(classify_tool_message(line),
              line == std::string_view("smw:~> ls") ? ToolMessage::none : ToolMessage::harmless)
        << line;
  }
  for (const char* line : {"", "Switch\t36 \"S-0002c90300a1b2c3\"\t\t# \"a@b\" base port 0 lid 1 lmc 0",
                           "[1]\t\"H-0002c90300a1b2c3\"[1](2c90300a1b2c4) \t\t# \"user@host mlx5_0\" lid 3 4xHDR",
                           "vendid=0x2c9", "# ibwarn", "Chassis 1 (guid 0x2c90000000000)", "Hello"}) {
    EXPECT_EQ(classify_tool_message(line), ToolMessage::none) << line;
  }
}

TEST(Printable, EscapesControlCharacters) {
  EXPECT_EQ(printable("plain é ✓"), "plain é ✓");
  EXPECT_EQ(printable("\x1b[31mred\x7f\n\t\r"), "\\x1b[31mred\\x7f\\n\\t\\r");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J \xc2\xa0"),
            "\\x9b"
            "2J \xc2\xa0");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
}

TEST(SkippedLines, WarningsEscapeAndShortenLines) {
  SkippedLines skipped("a tile");
  EXPECT_TRUE(skipped.warnings("f").empty());
  skipped.add(3, "\x1b]0;title\a");
  skipped.add(4, std::string(200, 'x'));
  const auto warnings = skipped.warnings("f");
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_EQ(warnings[0], "f:3: skipped, not a tile: \"\\x1b]0;title\\x07\"");
  EXPECT_EQ(warnings[1], "f:4: skipped, not a tile: \"" + std::string(160, 'x') + "…\"");
}

// --- random numbers
// ---------------------------------------------------------------------------------------------------

TEST(Random, SequenceOfSeedZeroIsThatOfTheReferenceImplementation) {
  // The reference implementations of SplitMix64 and xoshiro256** (prng.di.unimi.it), seed 0.
  Random random(0);
  EXPECT_EQ(random(), 0x99ec5f36cb75f2b4U);
  EXPECT_EQ(random(), 0xbf6e1f784956452aU);
  EXPECT_EQ(random(), 0x1a5f849d4933e6e0U);
}

TEST(Random, BelowIsUniform) {
  Random random(1);
  constexpr int draws = 60000;
  std::vector<int> seen(6);
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    ++seen[random.below(6)];
    const double fraction = random.fraction();
    EXPECT_GE(fraction, 0);
    EXPECT_LT(fraction, 1);
    sum += fraction;
  }
  for (const int count : seen) EXPECT_NEAR(count, draws / 6, 460);  // five standard deviations
  EXPECT_NEAR(sum / draws, 0.5, 0.006);
}

TEST(Random, BelowAcceptsBoundsOfAnySize) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(random.below(1), 0U);
    EXPECT_LT(random.below((std::uint64_t{1} << 63) + 1), (std::uint64_t{1} << 63) + 1);
  }
}

TEST(Random, ShuffleProducesEveryOrder) {
  std::set<std::vector<int>> orders;
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    std::vector<int> items = {1, 2, 3, 4};
    random.shuffle(std::span(items));
    orders.insert(items);
  }
  EXPECT_EQ(orders.size(), 24U);
}

// --- files
// ------------------------------------------------------------------------------------------------------------

class Files : public testing::Test {
 protected:
  Files() { std::filesystem::create_directories(folder_); }
  ~Files() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::size_t file_count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  [[nodiscard]] unsigned permissions() const {
    struct stat status{};
    return ::stat(path_.c_str(), &status) == 0 ? status.st_mode & 0777U : 0U;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("ayatori-base-test-" + std::to_string(::getpid()));
  const std::filesystem::path path_ = folder_ / "file";
};

TEST_F(Files, ReadFileRefusesDevices) {
  EXPECT_EQ(read_file("/dev/zero").error().message, "can't read /dev/zero: it is neither a regular file nor a pipe");
}

TEST_F(Files, ReadFileDoesNotWaitForAPipeThatNobodyWritesTo) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(read_file(path_).error().message, "can't read " + path_.string() + ": it is a pipe that nobody writes to");
}

TEST_F(Files, ReadFileRefusesFilesBeyondItsLimit) {
  std::ofstream(path_) << "x";
  // A sparse file: it takes no space on the disk.
  ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(max_file_bytes + 1)), 0);
  EXPECT_EQ(read_file(path_).error().message, "can't read " + path_.string() + ": it has more than 4 GiB");
}

TEST_F(Files, ReadFileReturnsWhatWriteFileWrote) {
  std::string contents = "first line\nsecond";
  contents.push_back('\0');
  contents.append(1 << 20, 'x');
  ASSERT_TRUE(write_file(path_, contents));
  EXPECT_EQ(read_file(path_), contents);
  ASSERT_TRUE(write_file(path_, ""));
  EXPECT_EQ(read_file(path_), "");
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Files, ReadFileLeavesOutAByteOrderMark) {
  ASSERT_TRUE(write_file(path_,
                         "\xEF\xBB\xBF"
                         "host1\n"));
  EXPECT_EQ(read_file(path_), "host1\n");
  ASSERT_TRUE(write_file(path_, "\xEF\xBB\xBF"));
  EXPECT_EQ(read_file(path_), "");
}

TEST_F(Files, ReadFileRefusesUtf16) {
  for (const std::string_view mark : {"\xFF\xFE", "\xFE\xFF"}) {
    ASSERT_TRUE(write_file(path_, std::string(mark) + "h"));
    const auto text = read_file(path_);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().message, "can't read " + path_.string() + ": its text is in UTF-16, not in UTF-8");
  }
}

TEST_F(Files, WriteFileJoinsThePiecesOfItsSink) {
  std::string expected;
  ASSERT_TRUE(write_file(path_, [&](const Sink& sink) {
    for (int i = 0; i < 100000; ++i) {
      const std::string piece = std::to_string(i) + "\n";
      sink(piece);
      expected += piece;
    }
    const std::string large(1 << 20, 'y');
    sink(large);
    expected += large;
  }));
  EXPECT_EQ(read_file(path_), expected);
}

TEST_F(Files, WriteFileRefusesWhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const auto to_pipe = write_file(path_, "x");
  ASSERT_FALSE(to_pipe);
  EXPECT_NE(to_pipe.error().message.find("not a regular file"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_fifo(path_));
  EXPECT_FALSE(write_file(path_.parent_path(), "x"));
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Files, WriteFileWritesWhereASymbolicLinkLeads) {
  const std::filesystem::path target = path_.string() + "-target";
  std::filesystem::create_symlink(target, path_);
  ASSERT_TRUE(write_file(path_, "x"));
  EXPECT_TRUE(std::filesystem::is_symlink(path_));
  EXPECT_EQ(read_file(target), "x");
}

TEST_F(Files, WriteFileAllowsWhatTheUmaskAllows) {
  for (const mode_t mask : {mode_t{027}, mode_t{002}, mode_t{077}}) {
    const mode_t before = ::umask(mask);
    const auto written = write_file(path_, "x");
    ::umask(before);
    ASSERT_TRUE(written);
    EXPECT_EQ(permissions(), 0666U & ~mask);
    std::filesystem::remove(path_);
  }
}

TEST_F(Files, WriteFileLeavesTheirPermissionsToFilesThatItReplaces) {
  ASSERT_TRUE(write_file(path_, "old"));
  for (const mode_t mode : {0600U, 0664U, 0440U}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    ASSERT_TRUE(write_file(path_, "new"));
    EXPECT_EQ(permissions(), mode);
  }
}

TEST_F(Files, WriteFilePassesOverWhatAnotherProcessLeft) {
  const std::string prefix = path_.string() + "." + std::to_string(::getpid()) + "-";
  for (int i = 0; i < 100; ++i) std::ofstream(prefix + std::to_string(i)) << "left";
  ASSERT_TRUE(write_file(path_, "x"));
  EXPECT_EQ(read_file(path_), "x");
  EXPECT_EQ(file_count(), 101U);
}

TEST_F(Files, ReadFileReportsTheReasonOfTheSystem) {
  EXPECT_EQ(read_file(path_).error().message, "can't read " + path_.string() + ": No such file or directory");
  EXPECT_EQ(read_file(folder_).error().message, "can't read " + folder_.string() + ": it is a folder");
}

TEST_F(Files, ReadFileReadsPipes) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const std::string contents(300000, 'z');
  std::thread writer([&] { std::ofstream(path_) << contents; });
  EXPECT_EQ(read_file(path_), contents);
  writer.join();
}

TEST_F(Files, WriteFileReportsThatTheFolderIsMissing) {
  const auto result = write_file(folder_ / "missing" / "file", "new");
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().message.ends_with("missing/file: No such file or directory")) << result.error().message;
  EXPECT_EQ(file_count(), 0U);
}

TEST_F(Files, WriteFileDoesNotReplaceAFolder) {
  std::filesystem::create_directories(path_ / "inside");
  EXPECT_FALSE(write_file(path_, "new"));
  EXPECT_EQ(file_count(), 1U);
}

TEST_F(Files, WriteFileLeavesTheFileUnchangedWhenTheDiskIsFull) {
  ASSERT_TRUE(write_file(path_, "old"));
  // A limit on the size of files is how a full disk looks to one process.
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 1 << 16;
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto result = write_file(path_, std::string(1 << 20, 'n'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "can't write " + path_.string() + ": File too large");
  EXPECT_EQ(read_file(path_), "old");
  EXPECT_EQ(file_count(), 1U);
}

TEST(ParseIpAddress, TakesBothKindsAndNothingElse) {
  EXPECT_EQ(parse_ip_address("10.0.0.1"), IpAddress(0x0A000001));
  EXPECT_EQ(parse_ip_address("255.255.255.255"), IpAddress(0xFFFFFFFF));
  EXPECT_EQ(parse_ip_address("::ffff:10.0.0.1"), IpAddress(0x0A000001));
  EXPECT_EQ(parse_ip_address("fd00::1:2"),
            IpAddress(std::array<std::uint8_t, 16>{0xFD, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2}));
  for (const char* text : {"", "10.0.0", "10.0.0.1.2", "10.0.0.1 ", "10.00.0.1", "10.0.0.-1", "a.b.c.d", "1..2.3",
                           "fd00", "fd00::1::2", "fd00::1%eth0", "[fd00::1]", "12345::1"}) {
    EXPECT_EQ(parse_ip_address(text), std::nullopt) << text;
  }
}

TEST(TextOfIpAddress, IsReadAgainAsTheSameAddress) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    IpAddress address(static_cast<std::uint32_t>(random()));
    if (i % 2 == 0) {
      for (std::uint8_t& byte : address.bytes) byte = static_cast<std::uint8_t>(random.below(3) == 0 ? random() : 0);
    }
    EXPECT_EQ(parse_ip_address(text_of(address)), address) << text_of(address);
  }
  EXPECT_EQ(text_of(IpAddress(0x0A000001)), "10.0.0.1");
}

}  // namespace
}  // namespace ayatori
