#include "ayatori/udp/frames.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "ayatori/base/random.hpp"
#include "departures.hpp"

namespace ayatori::wires {
namespace {

using Bytes = std::vector<std::byte>;

std::vector<Bytes> read_all(FrameReader reader) {
  std::vector<Bytes> all;
  while (const auto datagram = reader.next()) all.emplace_back(datagram->begin(), datagram->end());
  EXPECT_TRUE(reader.done());
  return all;
}

Bytes random_bytes(Random& random, std::size_t size) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(Trains, GiveBackEachPeersDatagramsInOrder) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t segment = 194 + random.below(seed % 2 == 0 ? 2'000 : 65'314);
    Departures departures(segment);
    std::map<transport::PeerId, std::vector<Bytes>> sent, got;
    for (int i = 0; i < 100; ++i) {
      const auto to = static_cast<transport::PeerId>(random.below(5));
      const std::size_t most = random.below(2) == 0 ? 100 : segment - frame_header_bytes;
      const Bytes bytes = random_bytes(random, 1 + random.below(most));
      const std::size_t header = random.below(bytes.size() + 1);
      if (departures.add({to, false, std::span(bytes).first(header), std::span(bytes).subspan(header)})) {
        sent[to].push_back(bytes);
      }
    }
    for (Train& train : departures.trains()) {
      ASSERT_LE(train.bytes, most_udp_payload);
      const std::span<const std::byte> bytes(train.memory.get(), train.bytes);
      for (const Bytes& datagram : read_all(FrameReader(bytes, segment))) got[train.to].push_back(datagram);
      train.gone = train.bytes;
    }
    departures.clear_departed();
    EXPECT_TRUE(departures.empty());
    EXPECT_EQ(sent, got);
  }
}

TEST(Trains, RefuseWhatNeedsOneTooMany) {
  const Bytes bytes(100);
  Departures departures(300);
  for (std::size_t to = 0; to < Departures::most_trains; ++to) {
    EXPECT_TRUE(departures.add({static_cast<transport::PeerId>(to), false, bytes, {}}));
  }
  EXPECT_FALSE(departures.add({99, false, bytes, {}}));
  EXPECT_TRUE(departures.add({3, false, bytes, {}})) << "this one has a train already";
}

TEST(FrameReader, GoesOnBehindASegmentThatIsWrong) {
  Bytes train(30);
  put_frame_header(9, train.data());  // one byte too long for its segment
  put_frame_header(8, train.data() + 10);
  put_frame_header(3, train.data() + 20);
  FrameReader reader(train, 10);
  EXPECT_EQ(reader.next()->size(), 8U);
  EXPECT_EQ(reader.next()->size(), 3U);
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.malformed(), 1U);
}

}  // namespace
}  // namespace ayatori::wires
