#include "ayatori/udp/frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "ayatori/base/random.hpp"
#include "departures.hpp"

namespace ayatori::wires {
namespace frames_test {

using Bytes = std::vector<std::byte>;

std::vector<Bytes> read_all(FrameReader reader) {
  std::vector<Bytes> all;
  while (const auto datagram = reader.next()) all.emplace_back(datagram->begin(), datagram->end());
  EXPECT_FALSE(reader.malformed());
  return all;
}

/// What comes of a train whose segments arrive one by one.
std::vector<Bytes> in_segments(std::span<const std::byte> train, std::size_t segment) {
  std::vector<Bytes> all;
  for (; !train.empty(); train = train.subspan(std::min(segment, train.size()))) {
    std::ranges::move(read_all(FrameReader(train.first(std::min(segment, train.size())))), std::back_inserter(all));
  }
  return all;
}

Bytes random_bytes(Random& random, std::size_t size) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(Departures, FrameReaderReturnsTheDatagramsOfEachPeerInOrder) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t segment = framed_bytes(192 + random.below(seed % 2 == 0 ? 2'000 : 65'312));
    Departures departures(segment);
    std::map<transport::PeerId, std::vector<Bytes>> sent, got;
    for (int i = 0; i < 100; ++i) {
      const auto to = static_cast<transport::PeerId>(random.below(5));
      const std::size_t max_size = random.below(2) == 0 ? 100 : max_framed(segment);
      const Bytes bytes = random_bytes(random, 1 + random.below(max_size));
      const std::size_t header = random.below(bytes.size() + 1);
      if (departures.add({to, false, std::span(bytes).first(header), std::span(bytes).subspan(header)})) {
        sent[to].push_back(bytes);
      }
    }
    for (Train& train : departures.trains()) {
      ASSERT_LE(train.bytes, max_udp_payload);
      const std::span<const std::byte> bytes(train.memory.get(), train.bytes);
      for (const Bytes& datagram : read_all(FrameReader(bytes))) got[train.to].push_back(datagram);
      ASSERT_EQ(read_all(FrameReader(bytes)), in_segments(bytes, segment));
      train.gone = train.bytes;
    }
    departures.clear_departed();
    EXPECT_TRUE(departures.empty());
    EXPECT_EQ(sent, got);
  }
}

TEST(Departures, AddRefusesADatagramIfAllTrainsAreInUse) {
  const Bytes bytes(100);
  Departures departures(300);
  for (std::size_t to = 0; to < Departures::max_trains; ++to) {
    EXPECT_TRUE(departures.add({static_cast<transport::PeerId>(to), false, bytes, {}}));
  }
  EXPECT_FALSE(departures.add({99, false, bytes, {}}));
  EXPECT_TRUE(departures.add({3, false, bytes, {}})) << "this one has a train already";
}

TEST(FrameReader, NextEndsAtAFrameThatIsLongerThanTheRest) {
  Bytes train(20);
  put_frame_header(7, train.data());       // and a byte of padding
  put_frame_header(9, train.data() + 10);  // of 8 that are left
  FrameReader reader(train);
  EXPECT_EQ(reader.next()->size(), 7U);
  EXPECT_FALSE(reader.malformed());
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.malformed());
  EXPECT_FALSE(reader.next());
}

TEST(FrameReader, NextSkipsPadding) {
  Bytes train(21);
  put_frame_header(4, train.data() + 6);
  FrameReader reader(train);
  EXPECT_EQ(reader.next()->size(), 4U);
  EXPECT_FALSE(reader.next());
  EXPECT_TRUE(reader.malformed()) << "half a length";
}

}  // namespace frames_test
}  // namespace ayatori::wires
