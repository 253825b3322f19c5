// A train of any bytes, as the network may deliver it: the datagrams that are read must lie within it, one after the
// other, and a train made of them must give the same datagrams.

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "ayatori/udp/frames.hpp"

using namespace ayatori::wires;

namespace {

using Datagrams = std::vector<std::span<const std::byte>>;

Datagrams read_all(std::span<const std::byte> train) {
  Datagrams all;
  FrameReader reader(train);
  while (const auto datagram = reader.next()) all.push_back(*datagram);
  return all;
}

std::vector<std::byte> framed(const Datagrams& datagrams) {
  std::vector<std::byte> train;
  for (const auto& datagram : datagrams) {
    const std::size_t start = train.size();
    train.resize(start + framed_bytes(datagram.size()));
    std::ranges::copy(datagram, put_frame_header(datagram.size(), train.data() + start));
  }
  return train;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> train(reinterpret_cast<const std::byte*>(data), size);
  const Datagrams datagrams = read_all(train);
  const std::byte* end = train.data();
  for (const auto& datagram : datagrams) {
    if (datagram.empty() || datagram.data() < end + frame_header_bytes) std::abort();
    end = datagram.data() + datagram.size();
  }
  if (end > train.data() + size) std::abort();
  const auto again = framed(datagrams);
  if (!std::ranges::equal(datagrams, read_all(again), [](auto a, auto b) { return std::ranges::equal(a, b); }))
    std::abort();
  return 0;
}
