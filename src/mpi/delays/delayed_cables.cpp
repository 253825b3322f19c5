#include "ayatori/delays/delayed_cables.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace ayatori {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_frame_bytes = 65536;
/// Frames of one end that are read before those of others.
constexpr int frames_at_once = 64;

struct Frame {
  Clock::time_point due;
  std::vector<std::byte> bytes;
};

/// A cable in one direction.
class DelayLine {
 public:
  DelayLine(int from, int to, double seconds)
      : from_(from),
        to_(to),
        delay_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))) {}

  [[nodiscard]] int from() const { return from_; }
  [[nodiscard]] std::optional<Clock::time_point> next_due() const {
    return frames_.empty() ? std::nullopt : std::optional(frames_.front().due);
  }

  /// Takes what has come to its beginning.
  Result<> read_frames(std::span<std::byte> buffer) {
    for (int i = 0; i < frames_at_once; ++i) {
      const ssize_t size = ::read(from_, buffer.data(), buffer.size());
      if (size > 0) {
        const auto frame = buffer.first(static_cast<std::size_t>(size));
        frames_.push_back({Clock::now() + delay_, {frame.begin(), frame.end()}});
      } else if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
        return {};
      } else {
        return with_cause(fail("a cable's end is gone"), size == 0 ? "it was closed" : std::strerror(errno));
      }
    }
    return {};
  }

  void write_due(Clock::time_point now) {
    for (; !frames_.empty() && frames_.front().due <= now; frames_.pop_front()) {
      const auto& bytes = frames_.front().bytes;
      [[maybe_unused]] const ssize_t taken = ::write(to_, bytes.data(), bytes.size());
    }
  }

 private:
  int from_;
  int to_;
  Clock::duration delay_;
  std::deque<Frame> frames_;
};

/// Until the first frame of all lines is due; nothing: for as long as it takes.
std::optional<timespec> pause_of(std::span<const DelayLine> lines) {
  std::optional<Clock::time_point> first;
  for (const DelayLine& line : lines) {
    if (const auto due = line.next_due(); due && (!first || *due < *first)) first = due;
  }
  if (!first) return std::nullopt;
  const auto left = std::max<std::int64_t>(0, std::chrono::nanoseconds(*first - Clock::now()).count());
  return timespec{left / 1'000'000'000, left % 1'000'000'000};
}

}  // namespace

Error carry_frames(std::span<const DelayedCable> cables) {
  std::vector<DelayLine> lines;
  for (const DelayedCable& cable : cables) {
    lines.emplace_back(cable.near, cable.far, cable.seconds);
    lines.emplace_back(cable.far, cable.near, cable.seconds);
  }
  std::vector<pollfd> ends;
  for (const DelayLine& line : lines) ends.push_back({line.from(), POLLIN, 0});
  std::vector<std::byte> buffer(max_frame_bytes);
  while (true) {
    const auto pause = pause_of(lines);
    if (::ppoll(ends.data(), ends.size(), pause ? &*pause : nullptr, nullptr) < 0 && errno != EINTR) {
      return Error{"can't wait for frames", std::strerror(errno), {}, Error::Blame::us, errno};
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (std::exchange(ends[i].revents, 0) == 0) continue;
      if (auto read = lines[i].read_frames(buffer); !read) return std::move(read.error());
    }
    const auto now = Clock::now();
    for (DelayLine& line : lines) line.write_due(now);
  }
}

}  // namespace ayatori
