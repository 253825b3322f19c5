#include "ayatori/sealed/sealed_wire.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "ayatori/base/random.hpp"

namespace ayatori::wires {
namespace {

/// What is sent stays here, and is received from here.
struct Cable final : PollableWire {
  std::deque<std::vector<std::byte>> datagrams;
  bool full = false;

  [[nodiscard]] std::size_t datagram_bytes() const override { return 1'000; }
  [[nodiscard]] bool send(const transport::Datagram& datagram) override {
    if (full) return false;
    auto& bytes = datagrams.emplace_back(datagram.header.begin(), datagram.header.end());
    bytes.insert(bytes.end(), datagram.payload.begin(), datagram.payload.end());
    return true;
  }
  void flush() override {}
  std::size_t poll(std::size_t max, const std::function<void(std::span<const std::byte>)>& take) override {
    std::size_t count = 0;
    for (; count < max && !datagrams.empty(); ++count) {
      const auto first = std::move(datagrams.front());
      datagrams.pop_front();
      take(first);
    }
    return count;
  }
  Duration prepare_to_sleep(Duration timeout) override { return timeout; }
  void woken() override {}
  void add_descriptors(std::vector<pollfd>&) const override {}
};

struct Ends {
  explicit Ends(Rank self = 1, std::uint64_t first_number = 1) {
    auto made = std::make_unique<Cable>();
    cable = made.get();
    wire = std::make_unique<SealedWire>(
        std::move(made), SealOptions{.self = self, .procs = 2, .first_number = first_number, .remembered = 1});
  }
  std::vector<std::vector<std::byte>> received() const {
    std::vector<std::vector<std::byte>> all;
    wire->poll(1'000'000,
               [&](std::span<const std::byte> datagram) { all.emplace_back(datagram.begin(), datagram.end()); });
    return all;
  }
  Cable* cable = nullptr;
  std::unique_ptr<SealedWire> wire;
};

TEST(SealedWire, DeliversHeaderAndPayload) {
  const Ends ends;
  const std::vector<std::byte> header(30, std::byte{1});
  const std::vector<std::byte> payload(50, std::byte{2});
  EXPECT_EQ(ends.wire->datagram_bytes(), 1'000 - seal_bytes);
  ends.cable->full = true;
  EXPECT_FALSE(ends.wire->send({0, false, header, payload}));
  ends.cable->full = false;
  EXPECT_TRUE(ends.wire->send({0, false, header, payload}));
  auto expected = header;
  expected.insert(expected.end(), payload.begin(), payload.end());
  EXPECT_EQ(ends.received(), std::vector<std::vector<std::byte>>{expected});
}

TEST(SealedWire, DropsWhatIsForgedChangedReplayedOrOfNoRank) {
  const Ends ends;
  const Ends stranger(5);
  Random random(1);
  std::vector<std::vector<std::byte>> sent;
  for (int i = 0; i < 500; ++i) {
    const std::vector<std::byte> bytes(1 + random.below(200), static_cast<std::byte>(i));
    EXPECT_TRUE(ends.wire->send({0, false, {}, bytes}));
    sent.push_back(bytes);
  }
  const auto original = ends.cable->datagrams;
  for (const auto& datagram : original) {
    auto changed = datagram;
    changed[random.below(changed.size())] ^= std::byte{16};
    ends.cable->datagrams.push_front(changed);
    ends.cable->datagrams.emplace_back(datagram.begin(),
                                       datagram.begin() + static_cast<std::ptrdiff_t>(random.below(datagram.size())));
    ends.cable->datagrams.push_back(datagram);
    std::vector<std::byte> noise(random.below(300));
    for (std::byte& byte : noise) byte = static_cast<std::byte>(random());
    ends.cable->datagrams.push_back(noise);
  }
  EXPECT_TRUE(stranger.wire->send({0, false, {}, sent[0]}));
  ends.cable->datagrams.push_back(stranger.cable->datagrams.front());
  EXPECT_EQ(ends.received(), sent);
  EXPECT_EQ(ends.wire->statistics().forged, 1'500U);
  EXPECT_EQ(ends.wire->statistics().replayed, 500U);
  EXPECT_EQ(ends.wire->statistics().strangers, 1U);
}

}  // namespace
}  // namespace ayatori::wires
