// Puts and gets of any size over a bad network, to targets with few buffers.

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "ayatori/simulated/network.hpp"

namespace ayatori::simulated {
namespace {

using namespace std::chrono_literals;
using namespace transport;

class Worker final : public Application {
 public:
  Worker(Network& network, PeerId self, const Options& options, std::size_t memory_bytes)
      : memory(memory_bytes), network_(network), endpoint_(made(self, options)) {
    network.attach(self, endpoint_);
  }

  Endpoint& endpoint() { return endpoint_; }
  std::vector<std::byte> memory;
  std::uint64_t completed_count = 0;
  std::uint64_t others = 0;  ///< operations that did not complete

 private:
  Endpoint made(PeerId self, const Options& options) {
    auto result = Endpoint::make({.self = self, .key = 1, .seed = self}, options, *this);
    if (!result) throw std::runtime_error(result.error().message);
    return std::move(*result);
  }

  std::byte* reserve(PeerId, Bytes, Urgency) override { return nullptr; }
  void deliver(PeerId, std::span<const std::byte>, std::byte*) override {}
  void release(std::byte*) override {}
  bool write(PeerId, const RemoteRange& range, std::span<const std::byte> bytes) override {
    if (range.offset + range.size > memory.size()) return false;
    std::ranges::copy(bytes, memory.begin() + static_cast<std::ptrdiff_t>(range.offset));
    return true;
  }
  std::optional<std::span<const std::byte>> read(PeerId, const RemoteRange& range) override {
    if (range.offset + range.size > memory.size()) return std::nullopt;
    return std::span<const std::byte>(memory).subspan(range.offset, range.size);
  }
  void completed(Token) override { ++completed_count; }
  void refused(Token) override { ++others; }
  void failed(Token) override { ++others; }

  Network& network_;
  Endpoint endpoint_;
};

/// Every worker writes a pattern of its own to its part of rank 0's memory, and reads it back.
void write_and_read_back(const Scenario& scenario, const Options& options, PeerId workers, std::size_t part) {
  Network network(scenario);
  Worker owner(network, 0, options, workers * part);
  std::vector<std::unique_ptr<Worker>> others;
  for (PeerId self = 1; self <= workers; ++self) {
    others.push_back(std::make_unique<Worker>(network, self, options, part));
    Random random(self);
    for (std::byte& value : others.back()->memory) value = static_cast<std::byte>(random());
  }
  const auto all_completed = [&](std::uint64_t count) {
    return network.run_until(
        [&] { return std::ranges::all_of(others, [&](const auto& one) { return one->completed_count == count; }); },
        network.now() + 60s);
  };
  for (PeerId self = 1; self <= workers; ++self) {
    Worker& worker = *others[self - 1];
    ASSERT_TRUE(worker.endpoint().put(network.now(), 0, {0, (self - 1) * part}, worker.memory, 1));
    network.wake(self);
  }
  ASSERT_TRUE(all_completed(1));
  std::vector<std::vector<std::byte>> read(workers, std::vector<std::byte>(part));
  for (PeerId self = 1; self <= workers; ++self) {
    ASSERT_TRUE(others[self - 1]->endpoint().get(network.now(), 0, {0, (self - 1) * part}, read[self - 1], 2));
    network.wake(self);
  }
  ASSERT_TRUE(all_completed(2));
  for (PeerId self = 1; self <= workers; ++self) {
    EXPECT_EQ(read[self - 1], others[self - 1]->memory);
    EXPECT_EQ(others[self - 1]->others, 0U);
  }
  EXPECT_EQ(owner.endpoint().incoming_contexts(), 0U);
}

TEST(Operations, PutsAndGetsAreRightOnABadNetwork) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Scenario scenario;
    scenario.seed = seed;
    scenario.drop = 0.2;
    scenario.duplicate = 0.1;
    scenario.reorder = 0.2;
    scenario.receive_buffers = 1 + static_cast<std::uint32_t>(seed) % 4 * 5;
    scenario.control_buffers = 8;
    Options options;
    options.datagram_bytes = 512;
    options.operations = 1 + static_cast<std::uint32_t>(seed) % 9 * 4;
    options.targets = options.initiators = 1 + static_cast<std::uint32_t>(seed) % 3;
    options.receive_buffers = scenario.receive_buffers;
    write_and_read_back(scenario, options, 1 + static_cast<PeerId>(seed) % 5, 1 + seed * 1700);
  }
}

TEST(Operations, PutsAndGetsEndAtATargetWithOneBuffer) {
  Scenario scenario;
  scenario.receive_buffers = 1;
  Options options;
  options.receive_buffers = 1;
  write_and_read_back(scenario, options, 31, 100'000);
}

}  // namespace
}  // namespace ayatori::simulated
