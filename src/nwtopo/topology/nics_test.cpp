#include "ayatori/base/random.hpp"
#include "ayatori/topology/faults.hpp"
#include "ayatori/topology/queries.hpp"
#include "ayatori/topology/subset.hpp"
#include "topology_fixtures.hpp"

namespace ayatori {
namespace {

/// Three hosts with four NICs each: rails 0 and 1 on leaves of one network, 2 on a switch that nothing else joins, and
/// 3 on an Ethernet switch. Host "gpu-2" lacks rail 1.
NetworkBuilder rails() {
  NetworkBuilder builder;
  builder.begin_plane("infiniband");
  const auto leaf0 = builder.add_router("leaf0", 0x100, 8);
  const auto leaf1 = builder.add_router("leaf1", 0x101, 8);
  const auto spine = builder.add_router("spine", 0x102, 8);
  const auto island = builder.add_router("island", 0x103, 8);
  plug(builder, leaf0, 7, spine, 1);
  plug(builder, leaf1, 7, spine, 2);
  const auto add = [&](int host, int rail, NetworkBuilder::Handle router) {
    const std::string name = fmt::format("gpu-{}", host);
    const Guid guid = 0x1070'fd03'0000'0000 + static_cast<Guid>(0x10000 * (rail + 1) + 0x100 * host);
    const auto nic =
        builder.add_nic(fmt::format("{} mlx5_{}", name, rail), guid, 1, name, static_cast<std::uint16_t>(rail));
    plug(builder, nic, 1, router, host + 1);
  };
  for (int host = 0; host < 3; ++host) {
    add(host, 0, leaf0);
    if (host != 2) add(host, 1, leaf1);
    add(host, 2, island);
  }
  builder.begin_plane("ethernet");
  const auto ethernet = builder.add_router("eth", 0x104, 8);
  for (int host = 0; host < 3; ++host) add(host, 3, ethernet);
  return builder;
}

TopologyPtr rails_topology() {
  auto builder = rails();
  return got(make_image_topology(built(builder)));
}

TEST(TopologyNic, TellsRailPlaneGuidAndDeviceName) {
  const TopologyPtr topology = rails_topology();
  expect_complete(*topology);
  const ObjectId host = topology->find("gpu-1").value();
  ASSERT_EQ(topology->nic_count(host), 4U);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const TopologyNic nic = topology->nic(host, i);
    EXPECT_EQ(nic.rail, i);
    EXPECT_EQ(nic.plane, i == 3 ? 1U : 0U);
    EXPECT_EQ(nic.guid, 0x1070'fd03'0000'0100 + 0x10000 * (i + 1));
    EXPECT_EQ(nic.device, fmt::format("mlx5_{}", i));
    EXPECT_EQ(topology->link(host, i).from_nic, i);
  }
  EXPECT_EQ(topology->nic(topology->find("gpu-2").value(), 1).rail, 2U);
  EXPECT_EQ(topology->router_guid(topology->find("spine").value()), 0x102U);
}

TEST(FindNic, FindsEachGuidAndNoOther) {
  const TopologyPtr topology = rails_topology();
  for (std::uint64_t i = 0; i < topology->machine_count(); ++i) {
    for (std::uint32_t nic = 0; nic < topology->nic_count(i); ++nic) {
      const auto found = find_nic(*topology, topology->nic(i, nic).guid);
      ASSERT_TRUE(found);
      EXPECT_EQ(found->machine, i);
      EXPECT_EQ(found->index, nic);
      EXPECT_EQ(find_by_guid(*topology, topology->nic(i, nic).guid), i);
    }
  }
  EXPECT_FALSE(find_nic(*topology, 0x102));
  EXPECT_EQ(find_by_guid(*topology, 0x102), topology->find("spine"));
  EXPECT_FALSE(find_by_guid(*topology, 0x999));
}

TEST(NicHops, GoesByTheNicsThatAreGiven) {
  const TopologyPtr topology = rails_topology();
  const ObjectId a = topology->find("gpu-0").value();
  const ObjectId b = topology->find("gpu-1").value();
  EXPECT_EQ(nic_hops(*topology, a, 0, b, 0), 2U);
  EXPECT_EQ(nic_hops(*topology, a, 0, b, 1), 4U);
  EXPECT_EQ(nic_hops(*topology, a, 2, b, 2), 2U);
  EXPECT_EQ(nic_hops(*topology, a, 0, b, 2), unreachable);
  EXPECT_EQ(nic_hops(*topology, a, 0, b, 3), unreachable);
  EXPECT_EQ(nic_hops(*topology, a, 0, a, 1), 4U);
  EXPECT_EQ(nic_hops(*topology, a, 1, a, 1), 0U);
}

TEST(NearestNic, PrefersTheSameRail) {
  const TopologyPtr topology = rails_topology();
  const ObjectId a = topology->find("gpu-0").value();
  const ObjectId b = topology->find("gpu-1").value();
  const ObjectId c = topology->find("gpu-2").value();
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_EQ(nearest_nic(*topology, a, i, b), i);
  EXPECT_EQ(nearest_nic(*topology, a, 1, c), 0U) << "rail 1 is missing: over the spine to rail 0";
  const TopologyPtr cut = got(take_out(topology, "gpu-2:mlx5_2"));
  EXPECT_EQ(nearest_nic(*cut, a, 2, c), std::nullopt);
}

TEST(NicHops, IsTheLeastOverAllNicsInAnyNetwork) {
  for (const char* source :
       {"xgft:h=2;m=3,4;w=2,2", "xgft:h=2;m=4,3;w=4,2;p=2,1", "fattree:K=2,levels=3", "torus:3x3"}) {
    const TopologyPtr topology = image_of(source);
    for (std::uint64_t a = 0; a < topology->machine_count(); ++a) {
      for (std::uint64_t b = 0; b < topology->machine_count(); ++b) {
        std::uint32_t least = a == b ? 0 : unreachable;
        for (std::uint32_t i = 0; i < topology->nic_count(a); ++i) {
          for (std::uint32_t j = 0; j < topology->nic_count(b); ++j) {
            least = std::min(least, nic_hops(*topology, a, i, b, j));
          }
        }
        ASSERT_EQ(least, hops(*topology, a, b)) << source << " " << a << " " << b;
      }
    }
  }
}

TEST(TakeOut, APortOfAMachineIsThatOfItsFirstNic) {
  const TopologyPtr topology = rails_topology();
  const ObjectId host = topology->find("gpu-1").value();
  const auto out = [&](std::string_view faults) {
    const TopologyPtr faulty = got(take_out(topology, faults));
    std::vector<std::uint32_t> nics;
    for (const TopologyLink& link : links_of(*faulty, host)) {
      if (link.state == LinkState::taken_out) nics.push_back(link.from_nic);
    }
    return nics;
  };
  using Nics = std::vector<std::uint32_t>;
  EXPECT_EQ(out("gpu-1:1"), Nics{0});
  EXPECT_EQ(out("gpu-1:mlx5_1"), Nics{1});
  EXPECT_EQ(out("gpu-1:mlx5_3:1"), Nics{3});
  EXPECT_EQ(out("gpu-1"), (Nics{0, 1, 2, 3}));
  const auto error = [&](std::string_view faults) { return take_out(topology, faults).error().message; };
  EXPECT_EQ(error("gpu-1:mlx5_9:1"), "fault 'gpu-1:mlx5_9:1': 'gpu-1' has no NIC 'mlx5_9'");
  EXPECT_EQ(error("gpu-1:mlx5_1:2"), "fault 'gpu-1:mlx5_1:2': the NIC has no cable in port 2");
}

/// GUIDs that rise evenly, that lie near each other, and that do not, in blocks of an image.
TEST(TopologyNic, KeepsAnyGuids) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Random random(seed);
    NetworkBuilder builder;
    const auto router = builder.add_router("r", 0x77, 200);
    std::vector<Guid> guids;
    std::set<Guid> used = {0x77};
    for (int i = 0; i < 150; ++i) {
      const std::uint64_t range = i < 50 ? 1 : i < 100 ? 1'000'000 : std::uint64_t{1} << 60;
      const Guid even = 0x0010'0000'0000'0000 + (static_cast<Guid>(i) << 16);
      const Guid guid = range == 1 ? even : even + ((1 + random.below(range)) << 2);
      guids.push_back(used.insert(guid).second ? guid : even);
      const auto nic = builder.add_nic("", guids.back(), 1, fmt::format("m{:03}", i), 0);
      plug(builder, nic, 1, router, i + 1);
    }
    const TopologyPtr topology = got(make_image_topology(built(builder)));
    for (std::size_t i = 0; i < guids.size(); ++i) {
      ASSERT_EQ(topology->nic(topology->find(fmt::format("m{:03}", i)).value(), 0).guid, guids[i]) << i;
    }
    EXPECT_EQ(topology->router_guid(topology->find("r").value()), 0x77U);
  }
}

}  // namespace
}  // namespace ayatori
