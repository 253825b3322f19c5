#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ayatori/network/job.hpp"

namespace ayatori {
namespace {

using Names = std::vector<std::string>;

/// "a:2 b" for two hosts, the second without a number of slots; the message if it can't be read.
std::string read(std::string_view text) {
  const auto hosts = parse_hostfile(text, "hosts");
  if (!hosts) return hosts.error().message;
  Names words;
  for (const HostEntry& entry : *hosts) {
    words.push_back(entry.slots == 0 ? entry.host : fmt::format("{}:{}", entry.host, entry.slots));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string expanded(std::string_view text) {
  const auto hosts = expand_hostlist(text);
  return hosts ? fmt::format("{}", fmt::join(*hosts, " ")) : hosts.error().message;
}

TEST(ExpandHostlist, ExpandsAsSlurmDoes) {
  EXPECT_EQ(expanded("n[01-03,7]x,m"), "n01x n02x n03x n7x m");
  EXPECT_EQ(expanded("a[1-2]b[3-4]"), "a1b3 a1b4 a2b3 a2b4");
  EXPECT_EQ(expanded("n[9-11]"), "n9 n10 n11");
  EXPECT_EQ(expanded("n[099-101]"), "n099 n100 n101");
  EXPECT_EQ(expanded("[1-2]"), "1 2");
  EXPECT_EQ(expanded("a08-p1-dgx-04-c[01-02]"), "a08-p1-dgx-04-c01 a08-p1-dgx-04-c02");
  EXPECT_EQ(expanded("n[00000-00001]"), "n00000 n00001");
}

TEST(ExpandHostlist, SaysWhatIsMalformed) {
  EXPECT_EQ(expanded(""), "expected a host name");
  EXPECT_EQ(expanded("a,,b"), "expected a host name");
  EXPECT_EQ(expanded("n[1-"), "']' is missing in '[1-'");
  EXPECT_EQ(expanded("n[]"), "nothing between '[' and ']'");
  EXPECT_EQ(expanded("n[3-1]"), "the range '3-1' ends before it begins");
  EXPECT_EQ(expanded("n[a]"), "expected a range like 01-09 instead of 'a'");
  EXPECT_EQ(expanded("n[1-2-3]"), "expected a range like 01-09 instead of '1-2-3'");
  EXPECT_EQ(expanded("n[1-99999999999999999999999]"),
            "expected a range like 01-09 instead of '1-99999999999999999999999'");
  EXPECT_EQ(expanded("n]"), "'n]' is not a host name");
  EXPECT_EQ(expanded("n[[1]]"), "expected a range like 01-09 instead of '[1'");
}

TEST(ExpandHostlist, NamesMayHaveWhatIsAllowed) {
  EXPECT_EQ(expanded("gpu:1"), "'gpu:1' is not a host name");
  EXPECT_EQ(expand_hostlist("gpu:[1-2],a=b", ":=").value(), (Names{"gpu:1", "gpu:2", "a=b"}));
  EXPECT_FALSE(expand_hostlist("a#b", ":="));
}

TEST(ExpandHostlist, RefusesTooManyHostsAndTooLongNames) {
  EXPECT_EQ(expanded("n[1-4000000000]"), "the range '1-4000000000' is longer than 262144 hosts");
  EXPECT_EQ(expanded("[0-999][0-999][0-999]"), "more than 262144 hosts");
  EXPECT_EQ(expanded("[0-200000],[0-200000]"), "more than 262144 hosts");
  EXPECT_EQ(expanded(std::string(256, 'x')),
            "the host name 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…' is longer than 255 letters");
}

/// A host list as a sentence of its grammar, and what it stands for, both made by one recursive description.
struct Sentence {
  std::string text;
  Names hosts = {""};

  void append(std::string_view piece, const Names& alternatives) {
    text += piece;
    Names longer;
    for (const std::string& host : hosts) {
      for (const std::string& alternative : alternatives) longer.push_back(host + alternative);
    }
    hosts = std::move(longer);
  }
};

void append_bracket(Sentence& sentence, Random& random) {
  Names parts;
  Names numbers;
  for (std::uint64_t part = 0; part <= random.below(3); ++part) {
    const std::uint64_t first = random.below(120);
    const std::uint64_t last = first + random.below(4);
    const std::uint64_t width = 1 + random.below(4);
    parts.push_back(first == last ? fmt::format("{:0{}}", first, width)
                                  : fmt::format("{:0{}}-{:0{}}", first, width, last, width));
    for (std::uint64_t number = first; number <= last; ++number)
      numbers.push_back(fmt::format("{:0{}}", number, width));
  }
  sentence.append(fmt::format("[{}]", fmt::join(parts, ",")), numbers);
}

Sentence random_sentence(Random& random) {
  constexpr std::string_view letters = "abnode-._5";
  Sentence sentence;
  for (std::uint64_t piece = 0; piece <= random.below(3); ++piece) {
    std::string literal(1, letters[random.below(6)]);
    for (std::uint64_t i = 0; i < random.below(4); ++i) literal.push_back(letters[random.below(letters.size())]);
    sentence.append(literal, {literal});
    if (random.below(2) == 0) append_bracket(sentence, random);
  }
  return sentence;
}

TEST(ExpandHostlist, ExpandsRandomListsOfTheGrammar) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    const Sentence a = random_sentence(random);
    const Sentence b = random_sentence(random);
    Names expected = a.hosts;
    expected.insert(expected.end(), b.hosts.begin(), b.hosts.end());
    EXPECT_EQ(expanded(a.text + "," + b.text), fmt::format("{}", fmt::join(expected, " "))) << "seed " << seed;
  }
}

TEST(ParseHostfile, ReadsOpenMpi) {
  EXPECT_EQ(read("node01 slots=8 max-slots=8\nnode02 slots=4\nnode03\n"), "node01:8 node02:4 node03");
  EXPECT_EQ(read("node01 slots = 8  max_slots=16\n"), "node01:8");
  EXPECT_EQ(read("node01\tcount=2 user=me\r\n"), "node01:2");
  EXPECT_EQ(read("node01 max-slots=4\n"), "node01");
}

TEST(ParseHostfile, KeepsEachLineOfAHostThatIsListedAgain) {
  EXPECT_EQ(read("a slots=2\nb\na slots=3\n"), "a:2 b a:3");
  EXPECT_EQ(read("a\nb\na\nb\n"), "a b a b");
}

TEST(ParseHostfile, ReadsMpich) {
  EXPECT_EQ(read("node01:8\nnode02:1 binding=user:0,3\nnode03 ifname=eth1\n"), "node01:8 node02:1 node03");
}

TEST(ParseHostfile, ReadsSlurm) {
  EXPECT_EQ(read("node[01-02,09],login1\n"), "node01 node02 node09 login1");
  EXPECT_EQ(read("node[1-2]:4,x:2\n"), "node1:4 node2:4 x:2");
  EXPECT_EQ(read("node[1-2] slots=3\n"), "node1:3 node2:3");
}

TEST(ParseHostfile, ReadsNodefilesOfBatchSystems) {
  EXPECT_EQ(read("n1.cluster\nn1.cluster\nn2.cluster\n"), "n1.cluster n1.cluster n2.cluster")
      << "PBS, LSF: a line a slot";
  EXPECT_EQ(read("hostA 4 hostB 2\n"), "hostA:4 hostB:2") << "LSB_MCPU_HOSTS";
  EXPECT_EQ(read("hostA 4\nhostB\t16 \n"), "hostA:4 hostB:16");
  EXPECT_EQ(read("n1.cluster 8 all.q@n1.cluster UNDEFINED\nn2.cluster 4 all.q@n2.cluster <NULL>\n"),
            "n1.cluster:8 n2.cluster:4")
      << "Grid Engine";
  EXPECT_EQ(read("n1 8 gpu.q@n1 0,0:0,1\nn2 8 gpu.q@n2 3\n"), "n1:8 n2:8") << "Grid Engine with cores";
}

TEST(ParseHostfile, SaysWhatToWriteInsteadOfShortForms) {
  for (const std::string_view text : {"n001/0*4+n002/0*4\n", "4*hostA:2*hostB\n"}) {
    const auto hosts = parse_hostfile(text, "hosts");
    ASSERT_FALSE(hosts);
    EXPECT_TRUE(hosts.error().message.ends_with("is how PBS and LSF shorten a list of hosts")) << hosts.error().message;
    EXPECT_TRUE(hosts.error().hint.contains("$PBS_NODEFILE")) << hosts.error().hint;
  }
  EXPECT_EQ(parse_hostfile("n1 n2 n3\n", "hosts").error().hint, "one host a line, and slots=N after it for N ranks");
}

TEST(ParseHostfile, ReadsGuidsAndAnyMixture) {
  EXPECT_EQ(read("# a job\n\n0x0010000000000100\n  a:2 # two\nb slots=3#three\nc[1-2]"),
            "0x0010000000000100 a:2 b:3 c1 c2");
}

TEST(ParseHostfile, ReadsNamesBeyondAscii) {
  EXPECT_EQ(read("jätte[1-2]:4\nホスト slots=2\n"), "jätte1:4 jätte2:4 ホスト:2");
}

TEST(ParseHostfile, KeepsTheLineOfEachHost) {
  const auto hosts = parse_hostfile("# first\na\n\nb[1-2]\n", "hosts");
  ASSERT_TRUE(hosts);
  ASSERT_EQ(hosts->size(), 3U);
  EXPECT_EQ((*hosts)[0].line, 2U);
  EXPECT_EQ((*hosts)[2].line, 4U);
}

TEST(ParseHostfile, NamesFileAndLineOfErrors) {
  EXPECT_EQ(read(""), "hosts: the file is empty");
  EXPECT_EQ(read("# nothing\n\n"), "hosts: expected a host, found only comments");
  EXPECT_EQ(read("a\nb slots=0\n"), "hosts:2: expected a number of slots from 1 to 65536 instead of '0'");
  EXPECT_EQ(read("a slots=many"), "hosts:1: expected a number of slots from 1 to 65536 instead of 'many'");
  EXPECT_EQ(read("a slots="), "hosts:1: expected a number of slots from 1 to 65536 instead of ''");
  EXPECT_EQ(read("a slots"), "hosts:1: expected '=' after 'slots'");
  EXPECT_EQ(read("a b c"), "hosts:1: expected slots=N or max-slots=N instead of 'b'");
  EXPECT_EQ(read("a 8 b"), "hosts:1: expected a number of slots after 'b'");
  EXPECT_EQ(read("a 0"), "hosts:1: expected a number of slots from 1 to 65536 instead of '0'");
  EXPECT_EQ(read("a:2 2"), "hosts:1: the slots are given twice");
  EXPECT_EQ(read("a 2 slots=2"), "hosts:1: expected a number of slots after 'slots=2'");
  EXPECT_EQ(read("a:0"), "hosts:1: expected a number of slots from 1 to 65536 instead of '0'");
  EXPECT_EQ(read("a:2 slots=2"), "hosts:1: the slots are given twice");
  EXPECT_EQ(read("a slots=2 slots=2"), "hosts:1: the slots are given twice");
  EXPECT_EQ(read("a\nn[2-1]"), "hosts:2: the range '2-1' ends before it begins");
  EXPECT_EQ(read(std::string_view("\0\x7f"
                                  "ELF\x02\n",
                                  7)),
            "hosts:1: '??ELF?' is not a host name");
}

TEST(ParseHostfile, GivesHostsOrAnErrorForRandomText) {
  constexpr std::string_view alphabet = "an01[]-,:= #\tslots\n\r\0\xff";
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    std::string text;
    for (std::uint64_t i = random.below(60); i > 0; --i) text.push_back(alphabet[random.below(alphabet.size())]);
    const auto hosts = parse_hostfile(text, "hosts");
    if (!hosts) {
      EXPECT_TRUE(hosts.error().message.starts_with("hosts:")) << "seed " << seed;
    } else {
      EXPECT_FALSE(hosts->empty()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace ayatori
