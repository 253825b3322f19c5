#include "ayatori/base/terminal_text.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/base/random.hpp"
#include "ayatori/base/text.hpp"

namespace ayatori {
namespace {

std::string shown(std::string_view text) {
  std::string storage;
  return std::string(as_shown(text, storage));
}

TEST(AsShown, WithoutMarksOfATerminalItIsTheSameText) {
  std::string storage;
  for (const std::string_view text : {"", "a\tb\nc", "a\r\nb\r\n", "a\r", "\0\x7f\x01"}) {
    EXPECT_EQ(as_shown(text, storage).data(), text.data());
  }
}

TEST(AsShown, ACarriageReturnGoesBackToTheBeginningOfTheLine) {
  EXPECT_EQ(shown("\rprompt # "), "prompt # ");
  EXPECT_EQ(shown("--More--\r        \r[1] x\n"), "[1] x   \n");
  EXPECT_EQ(shown("a\r\r\nb\r\r\n"), "a\nb\n");
  EXPECT_EQ(shown("abcdef\rxy\n"), "xycdef\n");
}

TEST(AsShown, EscapeSequencesAreGone) {
  EXPECT_EQ(shown("\x1b[0;31mred\x1b[0m \x1b[?2004hx"), "red x");
  EXPECT_EQ(shown("\x1b]0;root@n1:~\aprompt"), "prompt");
  EXPECT_EQ(shown("\x1b]2;title\x1b\\prompt\x1b(B\x1b="), "prompt");
  EXPECT_EQ(shown("old line\r\x1b[Knew"), "new");
  EXPECT_EQ(shown("old line\x1b[2K\rnew"), "new");
}

TEST(AsShown, BackspacesTakeBackWhatWasTyped) {
  EXPECT_EQ(shown("ibnetdisk\bcover"), "ibnetdiscover");
  EXPECT_EQ(shown("\b\bx\a"), "x");
  EXPECT_EQ(shown("ls\b \b\b \b"), "  ");
}

TEST(AsShown, WhatNoTerminalObeysStays) {
  EXPECT_EQ(shown("a\x1b"), "a\x1b");
  EXPECT_EQ(shown("\x1b[12"), "\x1b[12");
  EXPECT_EQ(shown("\x1b]0;never ended"), "\x1b]0;never ended");
  EXPECT_EQ(shown(std::string_view("\0\x1b[m\x1a", 5)), std::string_view("\0\x1a", 2));
}

TEST(AsShown, LinesKeepTheirNumbersAndNothingBecomesLonger) {
  constexpr std::string_view alphabet = "ab [;m0K\r\n\b\a\x1b]\\";
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    std::string text;
    for (std::uint64_t i = random.below(80); i > 0; --i) text.push_back(alphabet[random.below(alphabet.size())]);
    const std::string found = shown(text);
    EXPECT_LE(found.size(), text.size()) << "seed " << seed;
    EXPECT_EQ(std::ranges::count(found, '\n'), std::ranges::count(text, '\n')) << "seed " << seed;
  }
}

bool is_own(std::string_view line) { return line.starts_with("own"); }

/// By line of the text: '.' within the report, 'x' outside.
std::string outside(std::string_view text) {
  const ReportSpan span(text, is_own);
  std::string marks;
  LineReader lines(text);
  while (const auto line = lines.next()) marks += span.is_outside(*line) ? 'x' : '.';
  return marks;
}

TEST(ReportSpan, WhatStandsBeforeAndAfterIsOutside) {
  EXPECT_EQ(outside("banner\nown 1\nbetween\n\nown 2\r\nprompt\n$ "), "x....xx");
  EXPECT_EQ(outside("own"), ".");
  EXPECT_EQ(outside("x\nown"), "x.");
  EXPECT_EQ(outside("own\n\n\n"), ".xx");
}

TEST(ReportSpan, NothingIsOutsideOfNoReport) {
  EXPECT_EQ(outside("a\nb\n"), "..");
  EXPECT_TRUE(ReportSpan("a\nb\n", is_own).empty());
  EXPECT_TRUE(ReportSpan("", is_own).empty());
  EXPECT_FALSE(ReportSpan("own", is_own).empty());
}

}  // namespace
}  // namespace ayatori
