#include "frame.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ayatori::fabric {
namespace frame_test {

std::vector<std::byte> bytes_of(const Frame& frame) {
  FrameHeader header;
  const std::size_t size = write_header(frame, header);
  std::vector<std::byte> bytes(header.begin(), header.begin() + static_cast<std::ptrdiff_t>(size));
  bytes.insert(bytes.end(), frame.payload.begin(), frame.payload.end());
  return bytes;
}

Frame example(FrameKind kind, bool wants_answer, std::span<const std::byte> payload) {
  Frame frame{.kind = kind, .has_data = true, .wants_answer = wants_answer, .to = 3, .from = 65'000};
  if (frame.is_message()) frame.tag = 0x0123'4567'89AB'CDEF;
  if (kind != FrameKind::received) frame.data = 77;
  if (frame.is_long() || kind == FrameKind::written) frame.size = std::uint64_t{1} << 35;
  if (frame.is_long() || kind == FrameKind::received || wants_answer) frame.operation = 99;
  if (frame.is_message() && !frame.is_long()) frame.payload = payload;
  return frame;
}

TEST(Frame, IsReadAsItWasWritten) {
  const std::vector<std::byte> payload(5, std::byte{42});
  for (const FrameKind kind : {FrameKind::message, FrameKind::tagged, FrameKind::long_message, FrameKind::long_tagged,
                               FrameKind::received, FrameKind::written}) {
    const Frame frame = example(kind, kind < FrameKind::received, payload);
    const auto bytes = bytes_of(frame);
    const auto read = read_frame(bytes);
    ASSERT_TRUE(read);
    EXPECT_EQ(bytes_of(*read), bytes);
    EXPECT_EQ(read->kind, kind);
    EXPECT_EQ(read->tag, frame.tag);
    EXPECT_EQ(read->data, frame.data);
    EXPECT_EQ(read->size, frame.size);
    EXPECT_EQ(read->operation, frame.operation);
    EXPECT_EQ(read->payload.size(), frame.payload.size());
  }
}

TEST(Frame, ThatIsCutIsNone) {
  for (const FrameKind kind : {FrameKind::message, FrameKind::long_tagged, FrameKind::received, FrameKind::written}) {
    const auto bytes = bytes_of(example(kind, false, {}));
    for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(read_frame(std::span(bytes).first(size)));
  }
}

TEST(Frame, OfAnotherKindIsNone) {
  auto bytes = bytes_of(example(FrameKind::message, false, {}));
  bytes[0] = std::byte{0};
  EXPECT_FALSE(read_frame(bytes));
  bytes[0] = std::byte{7};
  EXPECT_FALSE(read_frame(bytes));
  bytes[0] = std::byte{1};
  bytes[1] = std::byte{4};
  EXPECT_FALSE(read_frame(bytes));
}

}  // namespace frame_test
}  // namespace ayatori::fabric
