#include "yaml_document.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "ayatori/base/random.hpp"

namespace ayatori::slurm {
namespace yaml_document_test {

using Kind = YamlNode::Kind;

/// Without lines, in one form for each value.
std::string shown(const YamlNode& node) {
  if (node.kind == Kind::null) return "null";
  if (node.is_word()) return fmt::format("<{}>", node.text);
  std::string text = node.is_map() ? "{" : "[";
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.is_map()) text += fmt::format("<{}>:", node.keys[i].text);
    text += shown(node.items[i]) + ",";
  }
  return text + (node.is_map() ? "}" : "]");
}

std::string read(std::string_view text) {
  const auto document = parse_yaml(text, "t");
  return document ? shown(*document) : document.error().message;
}

TEST(ParseYaml, ReadsWhatPeopleWrite) {
  EXPECT_EQ(read("%YAML 1.1\n---\n# a comment\n- a: b  # another\n  c: n[01-04],x\n-\n  d: 'it''s'\n...\n"),
            "[{<a>:<b>,<c>:<n[01-04],x>,},{<d>:<it's>,},]");
  EXPECT_EQ(read("a:\n- 1\n- 2\nb:\n  - 3\nc:\nd: ~\n"), "{<a>:[<1>,<2>,],<b>:[<3>,],<c>:null,<d>:null,}");
  EXPECT_EQ(read("a: [1, 'x y', {b: c, \"d\":e}, [],\n    2, ]\r\n"), "{<a>:[<1>,<x y>,{<b>:<c>,<d>:<e>,},[],<2>,],}");
  EXPECT_EQ(read("- - a\n  - b\n- \"q\\\"\\\\\" : x#y\n"), "[[<a>,<b>,],{<q\"\\>:<x#y>,},]");
  EXPECT_EQ(read("a: http://x:80/ y\n"), "{<a>:<http://x:80/ y>,}");
  EXPECT_EQ(read(""), "null");
  const auto document = parse_yaml("# c\n- a: 1\n  b:\n    - c\n", "t");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->items[0].line, 2U);
  EXPECT_EQ(document->items[0].find("b")->items[0].line, 4U);
}

TEST(ParseYaml, NamesTheLineOfWhatItDoesNotRead) {
  const std::string_view start = "no YAML that is read here: ";
  for (const auto& [text, line, why] : std::initializer_list<std::tuple<std::string_view, int, std::string_view>>{
           {"a: [\n", 2, "a bracket is not closed"},
           {"a: [b c: d]\n", 1, "expected ',' or ']'"},
           {"a: 'b\n", 1, "a quote is not closed on its line"},
           {"a: \"\\n\"\n", 1, "of what a backslash begins only \\\", \\\\ and \\/ are read"},
           {"a: b: c\n", 1, "expected the end of the line"},
           {"a: b\n  c\n", 2, "what stands here belongs to nothing before it"},
           {"a: - b\n", 1, "a list begins on a line of its own"},
           {"a: b\na: c\n", 2, "the key 'a' is there twice"},
           {"a: 1\nb\n", 2, "expected ':' after 'b'"},
           {"a:\n\t- b\n", 2, "a tab indents this line; use spaces"},
           {"a: &b c\n", 1, "'&' begins something else in YAML; put the word into quotes"},
           {"a: |\n  text\n", 1, "'|' begins something else in YAML; put the word into quotes"},
           {"a: 1\n---\nb: 2\n", 2, "what stands here belongs to nothing before it"},
           {": a\n", 1, "expected a key"},
       }) {
    EXPECT_EQ(read(text), fmt::format("t:{}: {}{}", line, start, why)) << text;
  }
  EXPECT_EQ(read(std::string(1000, '[')), fmt::format("t:1: {}more than 100 lists and maps within each other", start));
}

YamlNode random_node(Random& random, int depth) {
  YamlNode node;
  node.kind = static_cast<Kind>(random.below(depth == 0 ? 2 : 4));
  if (node.is_word()) {
    for (std::uint64_t i = 1 + random.below(6); i > 0; --i) node.text += "aB1 -:#,[]{}'\"\\&"[random.below(16)];
  }
  if (!node.is_list() && !node.is_map()) return node;
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    node.items.push_back(random_node(random, depth - 1));
    if (node.is_map()) node.keys.push_back({.kind = Kind::word, .text = fmt::format("k{}", i)});
  }
  return node;
}

/// Writes a node in one of the ways in which YAML has it.
class RandomWriter {
 public:
  explicit RandomWriter(Random& random) : random_(random) {}

  /// On lines of their own, each indented by `indent`; the first one begins where the writer is.
  void write_block(const YamlNode& node, std::string::size_type indent) {
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (i > 0) text += std::string(indent, ' ');
      text += node.is_map() ? word(node.keys[i].text, true) + ":" : "-";
      write_value(node.items[i], indent, node.is_map());
    }
  }

  std::string text;

 private:
  bool maybe() { return random_.below(2) == 0; }

  void write_value(const YamlNode& value, std::string::size_type indent, bool of_map) {
    const bool nested = !value.items.empty() && maybe();
    if (!nested) {
      const std::string there = flow(value, !value.items.empty());
      text += (there.empty() ? "" : " ") + there + (maybe() ? " # it's \"said\"" : "") + "\n";
      if (maybe()) text += "\n  # a comment: [\n";
      return;
    }
    std::string::size_type deeper = indent + 1 + random_.below(3);
    if (of_map && value.is_list() && maybe()) deeper = indent;
    if (!of_map && maybe()) {  // "- - a", "-  b: c"
      text += std::string(deeper - indent, ' ').substr(1) + " ";
      return write_block(value, deeper + 1);
    }
    text += "\n" + std::string(deeper, ' ');
    write_block(value, deeper);
  }

  std::string flow(const YamlNode& node, bool in_brackets) {
    if (node.kind == Kind::null) return in_brackets || maybe() ? "~" : "";
    if (node.is_word()) return word(node.text, in_brackets);
    std::string made = node.is_map() ? "{" : "[";
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (i > 0) made += maybe() ? ", " : " ,\n        ";
      if (node.is_map()) made += word(node.keys[i].text, true) + ": ";
      made += flow(node.items[i], true);
    }
    return made + (node.is_map() ? "}" : "]");
  }

  std::string word(const std::string& content, bool in_brackets) {
    const bool plain =
        content.find_first_not_of(in_brackets ? "aBk0123456789" : "aBk0123456789,[]{}'\"\\&") == content.npos &&
        content.find_first_of("[]{}'\"&,\\") != 0;
    if (plain && maybe()) return content;
    std::string made = maybe() ? "'" : "\"";
    const char quote = made[0];
    for (const char c : content) {
      if (c == quote || (c == '\\' && quote == '"')) made += quote == '\'' ? '\'' : '\\';
      made += c;
    }
    return made + quote;
  }

  Random& random_;
};

TEST(ParseYaml, ReadsBackWhatIsWrittenInAnyWay) {
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    YamlNode node = random_node(random, 4);
    while (node.items.empty()) node = random_node(random, 4);
    RandomWriter writer(random);
    writer.write_block(node, 0);
    EXPECT_EQ(read(writer.text), shown(node)) << "seed " << seed << ":\n" << writer.text;
    if (HasFailure()) break;
  }
}

}  // namespace yaml_document_test
}  // namespace ayatori::slurm
