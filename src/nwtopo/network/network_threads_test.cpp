/// A network that many threads read. The preset tsan checks this for races.

#include <gtest/gtest.h>

#include <thread>

#include "ayatori/network/job.hpp"
#include "ayatori/network/levels.hpp"
#include "ayatori/network/shape.hpp"
#include "network_fixtures.hpp"

namespace ayatori {
namespace {

/// One text made by all functions that read a network.
std::string read_all(const Network& network) {
  std::string text = recognise(network).summary;
  text += std::to_string(rank_levels(network)->count);
  for (const MachineId id : network.machines_in_order()) {
    const Machine& machine = network.machine(id);
    const PortId endpoint = machine.endpoints.front();
    text += network.describe_link(endpoint) + std::to_string(network.find_machine(machine.name).value());
    text += std::to_string(network.find_guid(network.port(endpoint).guid).value());
  }
  const auto hosts = parse_hostfile("N[3-9],n11 slots=2\n0x0010000000000300\n", "hosts");
  const auto job = place_job(network, *hosts, "hosts", 0, RankOrder::network);
  for (const PortId endpoint : endpoints_of_ranks(network, *job)) text += std::to_string(endpoint) + " ";
  Random random(1);
  const auto drawn = random_job(network, 16, 2, random);
  for (const PortId endpoint : endpoints_of_ranks(network, *drawn)) text += std::to_string(endpoint) + " ";
  return text;
}

TEST(Network, MayBeReadByManyThreadsAtOnce) {
  const Network network = opened("fattree:K=6,nodes=30");
  const std::string expected = read_all(network);
  std::vector<std::string> seen(16);
  {
    std::vector<std::jthread> threads;
    for (std::string& text : seen) {
      threads.emplace_back([&] {
        for (int round = 0; round < 5; ++round) text = read_all(network);
      });
    }
  }
  for (const std::string& text : seen) EXPECT_EQ(text, expected);
}

}  // namespace
}  // namespace ayatori
