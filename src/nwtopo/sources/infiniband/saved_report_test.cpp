#include "saved_report.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "ayatori/base/files.hpp"
#include "ayatori/base/random.hpp"
#include "ayatori/base/text.hpp"
#include "ayatori/infiniband/infiniband.hpp"
#include "network_text_fixtures.hpp"

namespace ayatori {
namespace saved_report_test {

constexpr std::array<std::string_view, 7> reports = {
    "2008-with-lids.txt", "early-without-lids.txt", "full-fields.txt", "grouped.txt", "ibsim.net", "ndr.txt",
    "ports-report.txt"};

std::string text_of(std::string_view name) {
  auto text = read_file(fmt::format("{}/tests/golden/infiniband/{}", AYATORI_SOURCE_DIR, name));
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

/// Either form, as open_infiniband() does.
Result<Network> read(std::string_view name, std::string_view text) {
  return name == "ports-report.txt" ? parse_ports_report(text, "log", "") : parse_ibnetdiscover(text, "log", "");
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::vector<std::string> warnings_of(const Network& network) {
  return {network.warnings().begin(), network.warnings().end()};
}

TEST(ReadSavedReport, ReadsALogOfPutty) {
  const auto network = parse_ibnetdiscover(text_of("putty-log.txt"), "log", "");
  ASSERT_TRUE(network) << network.error().message;
  EXPECT_EQ(network->router_count(), 4U);
  EXPECT_EQ(network->machines().size(), 2U);
  EXPECT_EQ(network->link_count(), 5U);
  EXPECT_EQ(warnings_of(*network),
            (std::vector<std::string>{
                "log:2: skipped, not a part of the report: \"=~=~=~=~=~=~=~=~=~=~=~= PuTTY log 2024.01.02 03:04:05 "
                "=~=~=~=~=~=~=~=~=~=~=~=\"",
                "log:55: skipped, not a part of the report: \"site-ufm-1 [ mgmt-ha-active ] (config) # \""}));
}

TEST(ReadSavedReport, ReadsATypescriptWithColoursAndTypedCommands) {
  for (const std::string_view name : reports) {
    const std::string report = replaced(text_of(name), "\n", "\r\r\n");
    const auto network = read(
        name,
        "Script started on 2024-01-02 03:04:05+09:00 [TERM=\"xterm-256color\" COLUMNS=\"80\"]\n"
        "\x1b[?2004h\x1b]0;root@head: ~\a\x1b[01;32mroot@head\x1b[00m:\x1b[01;34m~\x1b[00m# ibnetdisk\b\x1b[Kcover\r\n"
        "\x1b[?2004l\r" +
            report + "\x1b[?2004h\x1b[01;32mroot@head\x1b[00m:~# exit\r\nexit\r\n\nScript done on 2024-01-02\n");
    ASSERT_TRUE(network) << name << ": " << network.error().message;
    EXPECT_EQ(network_text(*network), network_text(*read(name, text_of(name)))) << name;
    EXPECT_EQ(network->warnings().size(), 5U) << name;
    EXPECT_EQ(network->warnings()[1], "log:2: skipped, not a part of the report: \"root@head:~# ibnetdiscover\"");
  }
}

TEST(ReadSavedReport, ReadsTheLogOfAnApplianceWithAPager) {
  for (const std::string_view name : reports) {
    const std::string paged = replaced(text_of(name), "\n[2]", "\n--More--\r        \r[2]");
    const auto network =
        read(name,
             "Using username \"admin\".\nMellanox MLNX-OS Switch Management\n\n"
             "Last login: Tue Jan  2 03:04:05 2024 from 10.0.0.1\n\n"
             "switch-1 [standalone: master] > enable\nswitch-1 [standalone: master] # fae ibnetdiscover\n" +
                 paged + "\n\rswitch-1 [standalone: master] # ");
    ASSERT_TRUE(network) << name << ": " << network.error().message;
    EXPECT_EQ(network_text(*network), network_text(*read(name, text_of(name)))) << name;
    EXPECT_EQ(network->warnings().size(), 6U) << name;
  }
}

TEST(ReadSavedReport, ReadsWhatAWebPageMadeOfAReport) {
  for (const std::string_view name : {"2008-with-lids.txt", "full-fields.txt", "grouped.txt", "ndr.txt"}) {
    const std::string text = text_of(name);
    const std::string whole = network_text(*read(name, text));
    const std::string escaped =
        replaced(replaced(replaced(replaced(text, "&", "&amp;"), "<", "&lt;"), ">", "&gt;"), "\"", "&quot;");
    const auto page = read(name, "<html>\n<h1>Our fabric</h1>\n<pre>\n" + escaped + "</pre>\n</html>\n");
    ASSERT_TRUE(page) << name << ": " << page.error().message;
    EXPECT_EQ(network_text(*page), whole) << name;
    const auto indented = read(name, "An example:\n\n       " + replaced(text, "\n", "\n       ") + "\nAs you see.\n");
    ASSERT_TRUE(indented) << name << ": " << indented.error().message;
    EXPECT_EQ(network_text(*indented), whole) << name;
    const auto curly = read(name, replaced(text, "\"", "“"));
    ASSERT_TRUE(curly) << name << ": " << curly.error().message;
    EXPECT_EQ(network_text(*curly), whole) << name;
  }
}

TEST(ReadSavedReport, WhateverStandsAroundAReportItIsReadAndShown) {
  constexpr std::array<std::string_view, 12> lines = {"Hello",
                                                      "admin@10.0.0.1's password: ",
                                                      "*** Authorized use only ***",
                                                      "n1 [ha] > ",
                                                      "%",
                                                      "exit",
                                                      "Welcome to UFM",
                                                      "64 bytes from 10.0.0.1",
                                                      "[root@n ~]#",
                                                      "Saving session...",
                                                      "ホスト名 x",
                                                      "===== 2024-01-02 ====="};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const std::string_view name = reports[random.below(reports.size())];
    const std::string report = text_of(name);
    std::array<std::string, 2> around;
    std::size_t skipped = 0;
    for (std::string& part : around) {
      for (std::uint64_t i = random.below(5); i > 0; --i, ++skipped) {
        part += fmt::format("{}{}\n{}", random.below(2) == 0 ? "\r" : "", lines[random.below(lines.size())],
                            random.below(2) == 0 ? "\n" : "");
      }
    }
    const auto network = read(name, around[0] + report + around[1]);
    ASSERT_TRUE(network) << "seed " << seed << ": " << network.error().message;
    EXPECT_EQ(network_text(*network), network_text(*read(name, report))) << "seed " << seed;
    EXPECT_EQ(network->warnings().size(), skipped) << "seed " << seed;
  }
}

TEST(ReadSavedReport, EveryTruncationOfALogIsRefusedOrLosesNothing) {
  const std::string text = text_of("putty-log.txt");
  const std::string whole = network_text(*parse_ibnetdiscover(text, "log", ""));
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string_view begun = std::string_view(text).substr(0, length);
    if (const auto network = parse_ibnetdiscover(begun, "log", "")) {
      EXPECT_EQ(network_text(*network), whole) << "cut after " << length;
    }
    // What a terminal's window had no room for.
    const std::string_view ended = std::string_view(text).substr(length);
    if (const auto network = parse_ibnetdiscover(ended, "log", "")) {
      EXPECT_EQ(network->link_count(), 5U) << "without the first " << length;
    }
  }
}

TEST(ReadSavedReport, ALineThatIsLostAmongOthersIsRefused) {
  const std::string text = "banner\n" + text_of("putty-log.txt");
  for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1) {
    const std::string_view line = std::string_view(text).substr(from, text.find('\n', from) + 1 - from);
    if (line.starts_with('[') || line.starts_with("Switch") || line.starts_with("Ca")) {
      EXPECT_FALSE(parse_ibnetdiscover(text.substr(0, from) + text.substr(from + line.size()), "log", "")) << line;
      EXPECT_FALSE(parse_ibnetdiscover(text.substr(0, from) + "\r" + "x" + text.substr(from), "log", "")) << line;
    }
    if (text.find('\n', from) == std::string::npos) break;
  }
}

TEST(ReadSavedReport, AForeignLineInTheMiddleIsNamed) {
  const std::string text =
      replaced(text_of("putty-log.txt"), "Ca  1 \"H-0002c90300000030\"", "rejoin\nCa  1 \"H-0002c90300000030\"");
  const auto network = parse_ibnetdiscover(text, "log", "");
  ASSERT_FALSE(network);
  EXPECT_EQ(network.error().message,
            "log:37: expected a Switch, Ca or Rt record, its ids or its ports, found \"rejoin\"");
  EXPECT_EQ(network.error().hint, "take the line out if the terminal printed it, not ibnetdiscover");
}

TEST(ReadSavedReport, WithoutAReportTheErrorSaysWhatToRun) {
  for (const std::string_view text :
       {"", "# nothing\n", "Hello\n", "host1\nhost2\n", "CA: n1 mlx5_0:\n   0x1 1 1[  ] ==( 4X 25.78125 Gbps)==>\n",
        "=~=~=~= PuTTY log =~=~=~=\n\rprompt # ibnetdiscover\r\n-bash: ibnetdiscover: command not found\n"}) {
    const auto network = parse_ibnetdiscover(text, "log", "");
    ASSERT_FALSE(network) << text;
    EXPECT_EQ(network.error().hint, "save what ibnetdiscover prints: ibnetdiscover > FILE") << text;
  }
}

TEST(IsInfinibandReport, KnowsReportsOfEveryAge) {
  for (const std::string_view name : reports) EXPECT_TRUE(is_infiniband_report(text_of(name))) << name;
  EXPECT_TRUE(is_infiniband_report(text_of("putty-log.txt")));
  EXPECT_FALSE(is_infiniband_report("SwitchName=a Nodes=n1\n"));
  EXPECT_FALSE(is_infiniband_report("Switch model: MQM8700\nCa va\n"));
}

}  // namespace saved_report_test
}  // namespace ayatori
