#include "host_pattern.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "ayatori/base/random.hpp"

namespace ayatori {
namespace host_pattern_test {

std::string host_in(std::string_view pattern, std::string_view description) {
  const auto read = compile_host_pattern(pattern);
  return read ? std::string((*read)(description).host) : "error: " + read.error().cause;
}

TEST(HostPattern, TakesTheWordsOfOtherRegularExpressions) {
  EXPECT_EQ(host_in(R"(^rack\d+/(\w+)\s)", "rack12/node_7 mlx5_1"), "node_7");
  EXPECT_EQ(host_in(R"((\D+)\d)", "node7"), "node");
  EXPECT_EQ(host_in(R"(([\w.\-]+)\s)", "a-1.b_c mlx5_0"), "a-1.b_c");
  EXPECT_EQ(host_in(R"(([^\s\]]+)\])", "[n1]"), "[n1");
  EXPECT_EQ(host_in(R"(([[:alpha:]]+)\d{2})", "ab12"), "ab");
  EXPECT_EQ(host_in(R"(x([]a]+))", "x]a]"), "]a]");
  EXPECT_EQ(host_in("(a)|b", "b"), "") << "a group that has no part in the match";
}

TEST(HostPattern, SaysWhatIsWrong) {
  EXPECT_EQ(host_in("(?:a)(b)", ""), "error: groups that begin with (? are not of POSIX");
  EXPECT_EQ(host_in("(a+?)", ""), "error: +? is not of POSIX");
  EXPECT_EQ(host_in("(a{2}?)", ""), "error: }? is not of POSIX");
  EXPECT_EQ(host_in("(a+*)", ""), "error: a repetition is repeated");
  EXPECT_EQ(host_in("(a{2}+)", ""), "error: a repetition is repeated");
  EXPECT_EQ(host_in(R"((a)\1)", ""), "error: \\1 is not taken: a group can't be repeated by its number");
  EXPECT_EQ(host_in("(a)\\", ""), "error: it ends with a backslash");
  EXPECT_EQ(host_in("([a)", ""), "error: a bracket is not closed");
  for (const std::string pattern : {"((a{200}){200})", "((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)"}) {
    EXPECT_EQ(host_in(pattern, ""), "error: its repetitions have more than 500 places") << pattern;
  }
  EXPECT_EQ(host_in("(a+)b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+", ""), "") << "one after the other they cost little";
  EXPECT_EQ(host_in("(" + std::string(1000, 'a') + ")", ""), "error: it is longer than 1000 bytes");
  EXPECT_NE(host_in("(a", "").find("error: "), std::string::npos);
}

/// A pattern, and all ends of its matches that begin at a place: what it means, without any cleverness.
struct Meaning {
  std::string pattern;
  std::function<std::set<std::size_t>(std::string_view text, std::size_t begin)> ends;
};

using IsOf = bool (*)(char);

Meaning one(std::string pattern, IsOf is_of) {
  return {std::move(pattern), [is_of](std::string_view text, std::size_t begin) {
            return begin < text.size() && is_of(text[begin]) ? std::set{begin + 1} : std::set<std::size_t>{};
          }};
}

Meaning random_one(Random& random) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const auto space = [](char c) { return c == ' '; };
  switch (random.below(9)) {
    case 0:
      return one("a", [](char c) { return c == 'a'; });
    case 1:
      return one(R"(\d)", digit);
    case 2:
      return one(R"(\w)", word);
    case 3:
      return one(R"(\s)", space);
    case 4:
      return one(R"(\D)", [](char c) { return !(c >= '0' && c <= '9'); });
    case 5:
      return one(R"([\d_])", [](char c) { return (c >= '0' && c <= '9') || c == '_'; });
    case 6:
      return one(R"([^\s\-])", [](char c) { return c != ' ' && c != '-'; });
    case 7:
      return one(R"(\.)", [](char c) { return c == '.'; });
    default:
      return one(".", [](char) { return true; });
  }
}

Meaning repeated(const Meaning& of) {
  return {"(" + of.pattern + ")*", [of](std::string_view text, std::size_t begin) {
            std::set<std::size_t> found = {begin};
            for (std::set<std::size_t> last = found; !last.empty();) {
              std::set<std::size_t> next;
              for (const std::size_t at : last) next.merge(of.ends(text, at));
              std::erase_if(next, [&](std::size_t at) { return found.contains(at); });
              found.insert(next.begin(), next.end());
              last = std::move(next);
            }
            return found;
          }};
}

Meaning random_meaning(Random& random, int depth) {
  if (depth == 0) return random_one(random);
  const Meaning a = random_meaning(random, depth - 1);
  if (random.below(4) == 0) return repeated(a);
  const Meaning b = random_meaning(random, depth - 1);
  if (random.below(3) == 0) {
    return {"(" + a.pattern + "|" + b.pattern + ")", [a, b](std::string_view text, std::size_t begin) {
              auto ends = a.ends(text, begin);
              ends.merge(b.ends(text, begin));
              return ends;
            }};
  }
  return {a.pattern + b.pattern, [a, b](std::string_view text, std::size_t begin) {
            std::set<std::size_t> ends;
            for (const std::size_t at : a.ends(text, begin)) ends.merge(b.ends(text, at));
            return ends;
          }};
}

TEST(HostPattern, FindsTheFirstAndLongestMatch) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    const Meaning meaning = random_meaning(random, 3);
    std::string text;
    for (std::uint64_t i = random.below(12); i > 0; --i) text += "aB1_-. ab"[random.below(9)];
    std::string expected;
    for (std::size_t begin = 0; begin <= text.size(); ++begin) {
      const auto ends = meaning.ends(text, begin);
      if (ends.empty()) continue;
      expected = text.substr(begin, *ends.rbegin() - begin);
      break;
    }
    EXPECT_EQ(host_in("(" + meaning.pattern + ")", text), expected)
        << "seed " << seed << ", '" << meaning.pattern << "' in '" << text << "'";
  }
}

}  // namespace host_pattern_test
}  // namespace ayatori
