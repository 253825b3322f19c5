#include "ayatori/topology/host_names.hpp"

#include "ayatori/topology/queries.hpp"
#include "ayatori/topology/subset.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace host_names_test {

HostNames names(const Topology& topology, std::string_view text) {
  auto read = HostNames::parse(topology, text, "A");
  if (!read) throw std::runtime_error(read.error().message);
  return std::move(*read);
}

TEST(HostNames, MachinesAreFoundByAnyNameOfTheirLine) {
  const auto torus = make_grid_topology({.dimensions = {3}, .periodic = {true}, .rate = {}});
  const HostNames aliases =
      names(*torus, "N1 ip-10-0-0-1.ec2.internal other # N2\n10.0.0.2 n2.site\n127.0.0.1 N0 n0\n");
  for (const char* name : {"ip-10-0-0-1", "IP-10-0-0-1.ec2.internal", "other", "Other.site"}) {
    EXPECT_EQ(find_by_name(*torus, name, &aliases), 1U) << name;
    EXPECT_EQ(find_by_name(*torus, name), std::nullopt) << name;
  }
  EXPECT_EQ(find_by_name(*torus, "10.0.0.2", &aliases), 2U) << "N2 in small letters, without the domain";
  EXPECT_EQ(find_by_name(*torus, "N1", &aliases), 1U);
  EXPECT_EQ(find_by_name(*torus, "localhost", &aliases), std::nullopt);
  const auto part = got(make_subset(torus, std::vector<ObjectId>{1}));
  EXPECT_EQ(find_by_name(*part, "other", &aliases), 1U);
  EXPECT_EQ(find_by_name(*part, "10.0.0.2", &aliases), std::nullopt) << "not in the subset";
}

TEST(HostNames, AGuidIsANameOfTheMachineThatHasIt) {
  const auto tree = image_of("fattree:K=2,levels=2");
  const Guid guid = tree->nic(3, 0).guid;
  const HostNames aliases = names(*tree, fmt::format("{:#x} login\n{:#x} leaf\n", guid, tree->router_guid(8)));
  EXPECT_EQ(find_by_name(*tree, "login", &aliases), 3U);
  EXPECT_EQ(find_by_name(*tree, "leaf", &aliases), std::nullopt) << "a switch is no host";
}

TEST(HostNames, ANameOfTwoMachinesIsAnError) {
  const auto torus = make_grid_topology({.dimensions = {3}, .periodic = {true}, .rate = {}});
  const auto read = HostNames::parse(*torus, "N0 a\nN1 a\n", "A");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().message, "A:2: 'a' stands for two hosts: 'N1' and 'N0'");
  const HostNames aliases = names(*torus, "N0 x.one\nN1 x.two\n");
  EXPECT_EQ(aliases.find("x.two"), 1U);
  EXPECT_EQ(aliases.find("x"), std::nullopt) << "of two machines";
}

}  // namespace host_names_test
}  // namespace ayatori
