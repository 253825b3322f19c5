#include "writing.hpp"

#include <gtest/gtest.h>

#include "ayatori/base/random.hpp"

namespace ayatori::exports {
namespace {

std::string random_bytes(Random& random) {
  std::string bytes;
  for (std::uint64_t i = random.below(12); i > 0; --i) bytes += static_cast<char>(random.below(256));
  return bytes;
}

/// A reader of the five entities and of character references, as simple as can be.
std::string unescaped(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    if (text.front() != '&') {
      plain += text.front();
      text.remove_prefix(1);
      continue;
    }
    const std::size_t end = text.find(';');
    const std::string_view name = text.substr(1, end - 1);
    if (name == "amp") plain += '&';
    if (name == "lt") plain += '<';
    if (name == "gt") plain += '>';
    if (name == "quot") plain += '"';
    if (name.starts_with('#')) plain += static_cast<char>(std::stoi(std::string(name.substr(1))));
    text.remove_prefix(end + 1);
  }
  return plain;
}

TEST(CleanUtf8, KeepsValidTextAndReplacesBrokenBytes) {
  EXPECT_EQ(clean_utf8("n1 – ラック 7 🎌"), "n1 – ラック 7 🎌");
  EXPECT_EQ(clean_utf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(clean_utf8(std::string_view("a\0b", 3)),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(clean_utf8("\xC0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // an overlong NUL
  EXPECT_EQ(clean_utf8("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // a surrogate
  EXPECT_EQ(clean_utf8("\xE3\x83"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // cut off
  EXPECT_EQ(clean_utf8("\xEF\xBF\xBE"), "\xEF\xBF\xBD");                          // not a character of XML
}

TEST(XmlText, ReadsBackAsItWas) {
  EXPECT_EQ(xml_text("<a href=\"x\">&\n</a>"), "&lt;a href=&quot;x&quot;&gt;&amp;&#10;&lt;/a&gt;");
  constexpr std::uint64_t seed = 7;
  Random random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const std::string name = random_bytes(random);
    const std::string written = xml_text(name);
    EXPECT_EQ(written.find_first_of("<>\"\n\t\r"), std::string::npos) << "seed " << seed << ", round " << i;
    ASSERT_EQ(unescaped(written), clean_utf8(name)) << "seed " << seed << ", round " << i;
    ASSERT_EQ(clean_utf8(clean_utf8(name)), clean_utf8(name)) << "seed " << seed << ", round " << i;
  }
}

TEST(DotText, EndsAtItsClosingQuote) {
  EXPECT_EQ(dot_text("a\"b\\n\nc"), R"("a\"b\\n\nc")");
  constexpr std::uint64_t seed = 8;
  Random random(seed);
  for (int i = 0; i < 20'000; ++i) {
    const std::string written = dot_text(random_bytes(random));
    ASSERT_GE(written.size(), 2U);
    std::size_t at = 1;
    while (at < written.size() && written[at] != '"') at += written[at] == '\\' ? 2 : 1;
    ASSERT_EQ(at, written.size() - 1) << "seed " << seed << ", round " << i;
  }
}

TEST(Out, HandsOutPiecesAndTheRest) {
  std::string all;
  std::size_t pieces = 0;
  const Sink sink = [&](std::string_view piece) { all += piece, ++pieces; };
  {
    Out out(sink);
    for (int i = 0; i < 30'000; ++i) out("{:05}\n", i);
  }
  EXPECT_EQ(all.size(), 180'000U);
  EXPECT_EQ(all.substr(all.size() - 6), "29999\n");
  EXPECT_GE(pieces, 2U);
}

}  // namespace
}  // namespace ayatori::exports
