#include "yaml_document.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace ayatori::slurm {
namespace yaml_document_test {

/// In one form for each value.
std::string shown(const YamlNode& node) {
  if (!node) return "none";
  if (node.is_scalar()) return fmt::format("<{}>", node.scalar());
  std::string text = node.is_map() ? "{" : "[";
  for (const YamlNode& key : node.keys()) text += fmt::format("{}:{},", shown(key), shown(node[key.scalar()]));
  for (const YamlNode& item : node.items()) text += shown(item) + ",";
  return text + (node.is_map() ? "}" : "]");
}

std::string read(std::string_view text) {
  const auto document = YamlDocument::parse(text, "t");
  return document ? shown(document->root()) : document.error().message;
}

TEST(YamlDocument, ReadsWhatPeopleWrite) {
  EXPECT_EQ(read("%YAML 1.1\n---\n# a comment\n- a: b  # another\n  c: n[01-04],x\n-\n  d: 'it''s'\n...\n"),
            "[{<a>:<b>,<c>:<n[01-04],x>,},{<d>:<it's>,},]");
  EXPECT_EQ(read("a:\n- 1\n- 2\nb:\n  - 3\nc:\n"), "{<a>:[<1>,<2>,],<b>:[<3>,],<c>:<>,}");
  EXPECT_EQ(read("a: &x [1, {b: c}]\nd: *x\n"), "{<a>:[<1>,{<b>:<c>,},],<d>:[<1>,{<b>:<c>,},],}");
  EXPECT_EQ(read("a: |\n  two\n  lines\n"), "{<a>:<two\nlines\n>,}");
  EXPECT_EQ(read(""), "none");
}

TEST(YamlDocument, KnowsLinesAndTruth) {
  const auto document = YamlDocument::parse("# c\n- a: Yes\n  b:\n    - off\n", "t");
  ASSERT_TRUE(document);
  const YamlNode first = document->root().items().front();
  EXPECT_EQ(first.line(), 2U);
  EXPECT_EQ(first["a"].truth(), true);
  EXPECT_EQ(first["b"].items().front().line(), 4U);
  EXPECT_EQ(first["b"].items().front().truth(), false);
  EXPECT_EQ(first["b"].truth(), std::nullopt);
  EXPECT_EQ(first["missing"].line(), 0U);
}

TEST(YamlDocument, NamesTheLineOfWhatIsNoYaml) {
  EXPECT_EQ(read("a: [1\n"), "t:2: no YAML: did not find expected ',' or ']'");
  EXPECT_EQ(read("a: b: c\n"), "t:1: no YAML: mapping values are not allowed in this context");
  EXPECT_EQ(read("a: *b\n"), "t:1: no YAML: found undefined alias");
}

}  // namespace yaml_document_test
}  // namespace ayatori::slurm
