#include "frame.hpp"

#include <concepts>

#include "ayatori/transport/bytes.hpp"

namespace ayatori::fabric {

namespace {

constexpr std::uint8_t data_flag = 1;
constexpr std::uint8_t answer_flag = 2;

struct FieldWriter {
  template <std::unsigned_integral Integer>
  void operator()(Integer value) {
    writer.put(value);
  }

  transport::Writer writer;
};

/// Remembers whether something was missing.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) : rest(bytes) {}

  template <std::unsigned_integral Integer>
  void operator()(Integer& value) {
    if (rest.size() < sizeof value) {
      whole = false;
      return;
    }
    transport::Reader reader(rest);
    value = reader.take<Integer>();
    rest = reader.rest();
  }

  std::span<const std::byte> rest;
  bool whole = true;
};

/// What follows the first six bytes.
template <typename Visit, typename FrameOrConst>
void visit_fields(FrameOrConst& frame, Visit& visit) {
  if (frame.is_message()) {
    visit(frame.tag);
    visit(frame.data);
  }
  if (frame.is_long() || frame.kind == FrameKind::written) visit(frame.size);
  if (frame.is_long() || frame.kind == FrameKind::received) visit(frame.operation);
  if (frame.kind == FrameKind::written) visit(frame.data);
}

}  // namespace

std::size_t write_header(const Frame& frame, FrameHeader& header) {
  FieldWriter write{transport::Writer(header)};
  write(static_cast<std::uint8_t>(frame.kind));
  write(static_cast<std::uint8_t>((frame.has_data ? data_flag : 0) | (frame.wants_answer ? answer_flag : 0)));
  write(frame.to);
  write(frame.from);
  visit_fields(frame, write);
  // An answer to a short message names what it answers, too.
  if (frame.wants_answer && !frame.is_long()) write(frame.operation);
  return write.writer.written().size();
}

std::optional<Frame> read_frame(std::span<const std::byte> bytes) {
  FieldReader read(bytes);
  std::uint8_t kind = 0;
  std::uint8_t flags = 0;
  read(kind);
  read(flags);
  if (kind < static_cast<std::uint8_t>(FrameKind::message) || kind > static_cast<std::uint8_t>(FrameKind::written) ||
      flags > (data_flag | answer_flag)) {
    return std::nullopt;
  }
  Frame frame;
  frame.kind = static_cast<FrameKind>(kind);
  frame.has_data = (flags & data_flag) != 0;
  frame.wants_answer = (flags & answer_flag) != 0;
  if (frame.wants_answer && !frame.is_message()) return std::nullopt;
  read(frame.to);
  read(frame.from);
  visit_fields(frame, read);
  if (frame.wants_answer && !frame.is_long()) read(frame.operation);
  const bool has_payload = frame.is_message() && !frame.is_long();
  if (!read.whole || (!has_payload && !read.rest.empty())) return std::nullopt;
  frame.payload = read.rest;
  return frame;
}

}  // namespace ayatori::fabric
