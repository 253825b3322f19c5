#include "ayatori/network/rails.hpp"

#include <gtest/gtest.h>

#include <set>

#include "ayatori/network/builder.hpp"

namespace ayatori {
namespace {

/// Machines with so many NICs each, all on one router.
Network machines_with(const std::vector<std::uint16_t>& nic_counts) {
  NetworkBuilder builder;
  const auto router = builder.add_router("R", 1, 40);
  PortNumber port = 0;
  for (std::size_t machine = 0; machine < nic_counts.size(); ++machine) {
    for (std::uint16_t rail = 0; rail < nic_counts[machine]; ++rail) {
      const auto nic = builder.add_nic("nic", 0x1000U + 16U * port, 1, "m" + std::to_string(machine), rail);
      ++port;
      EXPECT_TRUE(builder.connect(nic, 1, router, port, {}));
    }
  }
  return builder.build().value();
}

using Pairs = std::vector<std::pair<Rank, Rank>>;

Pairs parts(const RailMap& map, Rank from, Rank to) {
  Pairs found;
  for (std::uint32_t part = 0; part < map.part_count(from, to); ++part) {
    found.push_back(map.nics_of_part(from, to, part));
  }
  return found;
}

TEST(RailMap, HasARankForEachNic) {
  const Network network = machines_with({2, 3});
  const Job job = contiguous_job(network, 2, 1).value();
  const RailMap map(network, job, RailUse::striped);
  EXPECT_EQ(map.rank_count(), 2U);
  EXPECT_EQ(map.nics().rank_count(), 5U);
  const auto endpoints = endpoints_of_ranks(network, map.nics());
  for (Rank nic = 0; nic < 5; ++nic)
    EXPECT_EQ(network.device(network.port(endpoints[nic]).device).rail, nic < 2 ? nic : nic - 2);
}

TEST(RailMap, OwnUsesTheNicsOfBothRanks) {
  const Network network = machines_with({2, 2});
  const RailMap map(network, contiguous_job(network, 2, 3).value(), RailUse::own);
  EXPECT_EQ(parts(map, 0, 4), (Pairs{{0, 3}}));
  EXPECT_EQ(parts(map, 2, 5), (Pairs{{0, 2}}));
}

TEST(RailMap, AlignedStaysOnTheRailOfTheReceiver) {
  const Network network = machines_with({2, 2, 1});
  const RailMap map(network, contiguous_job(network, 3, 2).value(), RailUse::aligned);
  EXPECT_EQ(parts(map, 0, 3), (Pairs{{1, 3}}));
  EXPECT_EQ(parts(map, 1, 2), (Pairs{{0, 2}}));
  // Machine 2 has one NIC only.
  EXPECT_EQ(parts(map, 5, 3), (Pairs{{4, 3}}));
  EXPECT_EQ(parts(map, 3, 5), (Pairs{{2, 4}}));
}

TEST(RailMap, StripedUsesEachRailThatBothMachinesHave) {
  const Network network = machines_with({3, 3, 2});
  const RailMap map(network, contiguous_job(network, 3, 1).value(), RailUse::striped);
  EXPECT_EQ(parts(map, 0, 1), (Pairs{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(parts(map, 1, 2), (Pairs{{3, 6}, {4, 7}}));
}

TEST(RailMap, MessagesWithinAMachineAreWhole) {
  const Network network = machines_with({3, 3});
  const RailMap map(network, contiguous_job(network, 2, 3).value(), RailUse::striped);
  EXPECT_EQ(parts(map, 0, 2), (Pairs{{0, 2}}));
}

TEST(RailMap, MayConnectWhatSomeMessageUses) {
  const Network network = machines_with({3, 2, 3, 1});
  const Job job = contiguous_job(network, 4, 3).value();
  for (const RailUse use : {RailUse::own, RailUse::aligned, RailUse::striped}) {
    const RailMap map(network, job, use);
    std::set<std::pair<Rank, Rank>> used;
    for (Rank from = 0; from < 12; ++from) {
      for (Rank to = 0; to < 12; ++to) {
        if (from / 3 == to / 3) continue;
        for (const auto& pair : parts(map, from, to)) used.insert(pair);
      }
    }
    for (Rank leaves = 0; leaves < 9; ++leaves) {
      for (Rank arrives = 0; arrives < 9; ++arrives) {
        EXPECT_EQ(map.may_connect(leaves, arrives), used.contains({leaves, arrives})) << leaves << " " << arrives;
      }
    }
  }
}

TEST(OnRails, SendsEachPartFromNicToNic) {
  class OneStep final : public StepSequence {
   public:
    [[nodiscard]] Rank rank_count() const override { return 2; }
    [[nodiscard]] std::size_t step_count() const override { return 1; }
    void step(std::size_t, std::vector<Message>& messages) const override { messages = {{0, 1, 10}, {1, 0, 1}}; }
  };
  const Network network = machines_with({3, 3});
  const RailMap map(network, contiguous_job(network, 2, 1).value(), RailUse::striped);
  const OneStep steps;
  const auto railed = on_rails(steps, map);
  EXPECT_EQ(railed->rank_count(), 6U);
  std::vector<Message> messages;
  railed->step(0, messages);
  ASSERT_EQ(messages.size(), 6U);
  for (Rank rail = 0; rail < 3; ++rail) {
    EXPECT_EQ(messages[rail].from, rail);
    EXPECT_EQ(messages[rail].to, 3 + rail);
    EXPECT_EQ(messages[rail].bytes, 4U);
    EXPECT_EQ(messages[3 + rail].bytes, 1U);
  }
}

/// Two chassis with a bus of 1 Gbit/s each, joined by 500 Mbit/s, and so many blades a0, …, b0, …; a0 and b0 have a
/// second NIC of 8 Gbit/s, and a switch joins these.
Network two_chassis(std::uint32_t blades) {
  NetworkBuilder builder;
  builder.begin_plane("ethernet");
  std::vector<NetworkBuilder::Handle> buses;
  for (const char* name : {"busA", "busB"}) buses.push_back(builder.add_router(name, 0, 40));
  const auto megabits = [](std::uint32_t rate) { return LinkRate{0, LaneSpeed::unknown, rate}; };
  EXPECT_TRUE(builder.connect(buses[0], 40, buses[1], 40, megabits(500)));
  for (std::size_t chassis = 0; chassis < 2; ++chassis) {
    for (std::uint32_t blade = 0; blade < blades; ++blade) {
      const std::string host = std::string(chassis == 0 ? "a" : "b") + std::to_string(blade);
      const auto nic = builder.add_nic("eth0", 0, 1, host, 0);
      EXPECT_TRUE(builder.connect(nic, 1, buses[chassis], static_cast<PortNumber>(1 + blade), megabits(1000)));
    }
  }
  builder.begin_plane("infiniband");
  const auto fast = builder.add_router("fast", 0, 4);
  for (std::size_t chassis = 0; chassis < 2; ++chassis) {
    const auto nic = builder.add_nic("ib0", 0, 1, chassis == 0 ? "a0" : "b0", 1);
    EXPECT_TRUE(builder.connect(nic, 1, fast, static_cast<PortNumber>(1 + chassis), megabits(8000)));
  }
  return builder.build().value();
}

TEST(RailMap, FastestTakesTheFastestPlaneThatBothMachinesAreOn) {
  const Network network = two_chassis(2);
  const Job job = contiguous_job(network, 4, 0).value();  // a0 a1 b0 b1
  ASSERT_EQ(job.rank_count(), 4U) << "one rank for each NIC on one plane";
  const RailMap map(network, job, RailUse::fastest);
  ASSERT_EQ(map.nics().rank_count(), 6U);  // a0: 0 1, a1: 2, b0: 3 4, b1: 5
  EXPECT_EQ(parts(map, 0, 2), (Pairs{{1, 4}}));
  EXPECT_EQ(parts(map, 0, 1), (Pairs{{0, 2}}));
  EXPECT_EQ(parts(map, 1, 3), (Pairs{{2, 5}}));
  EXPECT_EQ(parts(map, 3, 0), (Pairs{{5, 0}}));
  EXPECT_TRUE(map.may_connect(1, 4));
  EXPECT_FALSE(map.may_connect(0, 4)) << "no cable joins the planes";
}

TEST(RailMap, StripedTakesASlowPlaneOnlyWhereItHelps) {
  const Network network = two_chassis(1);
  const RailMap map(network, contiguous_job(network, 2, 0).value(), RailUse::striped);
  EXPECT_EQ(parts(map, 0, 1), (Pairs{{1, 3}})) << "half of a message by 500 Mbit/s would take longer";
}

TEST(RailMap, StripedTakesEqualPlanesTogether) {
  NetworkBuilder builder;
  for (const char* plane : {"left", "right"}) {
    builder.begin_plane(plane);
    const auto router = builder.add_router("R", 0, 2);
    for (PortNumber port = 1; port <= 2; ++port) {
      const auto rail = static_cast<std::uint16_t>(plane == std::string("left") ? 0 : 1);
      const auto nic = builder.add_nic("nic", 0, 1, "m" + std::to_string(port), rail);
      EXPECT_TRUE(builder.connect(nic, 1, router, port, {0, LaneSpeed::unknown, 1000}));
    }
  }
  const Network network = builder.build().value();
  const Job job = contiguous_job(network, 2, 0).value();
  EXPECT_EQ(parts(RailMap(network, job, RailUse::striped), 0, 1), (Pairs{{0, 2}, {1, 3}}));
  EXPECT_EQ(parts(RailMap(network, job, RailUse::fastest), 0, 1), (Pairs{{0, 2}}));
}

/// Two machines on a plane of 1 Gbit/s with a latency of 2 us a cable, and one of 8 Gbit/s with 20 us.
Network quick_and_wide(std::uint32_t wide_megabits = 8000) {
  NetworkBuilder builder;
  for (std::uint16_t rail = 0; rail < 2; ++rail) {
    builder.begin_plane(rail == 0 ? "quick" : "wide");
    const auto router = builder.add_router("R", 0, 2);
    const LinkRate rate{0, LaneSpeed::unknown, rail == 0 ? 1000 : wide_megabits};
    for (PortNumber port = 1; port <= 2; ++port) {
      const auto nic = builder.add_nic("nic", 0, 1, "m" + std::to_string(port), rail);
      EXPECT_TRUE(builder.connect(nic, 1, router, port, rate, rail == 0 ? 2000 : 20000));
    }
  }
  return builder.build().value();
}

Pairs parts_of(const RailMap& map, Bytes bytes) {
  Pairs found;
  for (std::uint32_t part = 0; part < map.part_count(0, 1, bytes); ++part) {
    found.push_back(map.nics_of_part(0, 1, part, bytes));
  }
  return found;
}

TEST(RailMap, LowestLatencyTakesTheQuickPlaneForSmallMessagesAndTheWideOneForLargeOnes) {
  // 4 us + m / 125 MB/s against 40 us + m / 1 GB/s: equal at 5.1 kB; of sizes the power of two below counts.
  const Network network = quick_and_wide();
  const Job job = contiguous_job(network, 2, 0).value();
  const RailMap map(network, job, RailUse::lowest_latency);
  EXPECT_EQ(parts_of(map, 0), (Pairs{{0, 2}}));
  EXPECT_EQ(parts_of(map, 4096), (Pairs{{0, 2}}));
  EXPECT_EQ(parts_of(map, 8192), (Pairs{{1, 3}}));
  EXPECT_EQ(parts_of(map, large_message), (Pairs{{1, 3}}));
  const auto paths = map.paths(0, 1);
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths[0].bytes, 0U);
  EXPECT_EQ(paths[1].bytes, 8192U);
  EXPECT_EQ(paths[1].parts, (Pairs{{1, 3}}));
  EXPECT_TRUE(map.may_connect(0, 2));
  EXPECT_TRUE(map.may_connect(1, 3));
  EXPECT_FALSE(map.may_connect(0, 3));
}

TEST(RailMap, LowestLatencyCountsMessageCostsOfAPlaneAndItsLinks) {
  const Network network = quick_and_wide();
  const Job job = contiguous_job(network, 2, 0).value();
  const RailMap map(network, job, RailUse::lowest_latency, {100e-6});
  EXPECT_EQ(parts_of(map, 1), (Pairs{{1, 3}}));
}

TEST(RailMap, LowestLatencyStripesWhereThatTakesLess) {
  const Network network = quick_and_wide(1000);
  const RailMap map(network, contiguous_job(network, 2, 0).value(), RailUse::lowest_latency);
  EXPECT_EQ(parts_of(map, min_striped_bytes - 1), (Pairs{{0, 2}}));
  EXPECT_EQ(parts_of(map, min_striped_bytes), (Pairs{{0, 2}, {1, 3}}));
}

TEST(RailMap, LowestLatencyIsTheLeastTimeOfAllPaths) {
  for (const std::uint32_t wide : {500U, 1500U, 3000U}) {
    const Network network = quick_and_wide(wide);
    const RailMap map(network, contiguous_job(network, 2, 0).value(), RailUse::lowest_latency);
    for (Bytes bytes = 1; bytes < Bytes{1} << 30U; bytes *= 2) {
      const auto seconds = [&](const Pairs& taken) {
        double longest = 0;
        for (const auto& [leaves, arrives] : taken) {
          const double rate = (leaves == 0 ? 1000 : wide) * 1e6 / 8;
          const auto part = static_cast<double>(bytes) / static_cast<double>(taken.size());
          longest = std::max(longest, (leaves == 0 ? 4e-6 : 40e-6) + part / rate);
        }
        return longest;
      };
      double least = std::min(seconds({{0, 2}}), seconds({{1, 3}}));
      if (bytes >= min_striped_bytes) least = std::min(least, seconds({{0, 2}, {1, 3}}));
      EXPECT_NEAR(seconds(parts_of(map, bytes)), least, 1e-12) << bytes << " bytes, " << wide << " Mbit/s";
    }
  }
}

TEST(RailMap, FastestOnOnePlaneIsOwn) {
  const Network network = machines_with({2, 3, 1});
  const Job job = contiguous_job(network, 3, 2).value();
  const RailMap own(network, job, RailUse::own);
  const RailMap fastest(network, job, RailUse::fastest);
  for (Rank from = 0; from < 6; ++from) {
    for (Rank to = 0; to < 6; ++to) EXPECT_EQ(parts(fastest, from, to), parts(own, from, to)) << from << " " << to;
  }
}

}  // namespace
}  // namespace ayatori
