#include <gtest/gtest.h>

#include <set>

#include "ayatori/sources/source.hpp"
#include "ayatori/sources/topology.hpp"
#include "ayatori/topology/grid.hpp"

namespace ayatori {
namespace {

TEST(SourceKinds, EverySynopsisOfAFormulaOpens) {
  for (const SourceKind& kind : source_kinds()) {
    EXPECT_TRUE(kind.synopsis.starts_with(kind.kind)) << kind.kind;
    if (kind.synopsis.find("FILE") != std::string_view::npos) continue;  // no formula
    const auto network = open_source(kind.synopsis);
    EXPECT_TRUE(network) << kind.synopsis;
  }
}

TEST(SourceKinds, EachKindIsListedOnce) {
  std::set<std::string_view> kinds;
  for (const SourceKind& kind : source_kinds()) EXPECT_TRUE(kinds.insert(kind.kind).second) << kind.kind;
}

TEST(OpenSource, AnUnknownKindListsTheKnownOnes) {
  const auto opened = open_source("fatree:K=6");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().message, "unknown kind of source 'fatree' in 'fatree:K=6'");
  for (const SourceKind& kind : source_kinds()) {
    EXPECT_NE(opened.error().hint.find(kind.synopsis), std::string::npos) << kind.kind;
  }
}

TEST(OpenSource, ASourceWithoutAColonIsRefused) {
  EXPECT_EQ(open_source("").error().message, "'' is not a source: expected KIND:…, or a file");
  EXPECT_EQ(open_source("fabric.txt").error().message, "'fabric.txt' is not a source: expected KIND:…, or a file");
  const auto bare = open_source("torus");
  EXPECT_EQ(bare.error().message, "the source 'torus' lacks the part after the colon");
  EXPECT_EQ(bare.error().hint, "torus:4x6x16");
}

TEST(OpenSource, ReturnsTheErrorsOfFormulas) {
  EXPECT_EQ(open_source("fattree:K=six").error().message, "fattree: 'K' must be a number from 1 to 127, not 'six'");
}

TEST(OpenSource, ReturnsTheErrorsOfFiles) {
  const auto opened = open_source("ib:/no/such/file");
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find("/no/such/file"), std::string::npos) << opened.error().message;
}

TEST(OpenFormula, OpensTheTopologyThatOpenTopologyOpens) {
  const auto formula = open_formula("torus:3x4");
  ASSERT_TRUE(formula);
  ASSERT_NE(*formula, nullptr);
  EXPECT_NE(formula_of(**formula), nullptr);
  EXPECT_EQ((*formula)->machine_count(), 12U);
}

TEST(OpenFormula, LeavesOtherSourcesAlone) {
  for (const char* source :
       {"fattree:K=2,levels=2", "ib:/no/such/file", "cache:/no/such/file", "nonsense:1", "torus"}) {
    const auto formula = open_formula(source);
    ASSERT_TRUE(formula) << source;
    EXPECT_EQ(*formula, nullptr) << source;
  }
}

TEST(OpenFormula, ReturnsTheErrorsOfTheFormula) {
  EXPECT_EQ(open_formula("torus:3xfour").error().message, open_topology("torus:3xfour").error().message);
}

}  // namespace
}  // namespace ayatori
