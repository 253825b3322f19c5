#include "ayatori/delays/delayed_cables.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ayatori {
namespace {

using Clock = std::chrono::steady_clock;

/// A device whose frames are carried, and the host that has it.
class Device {
 public:
  Device() {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    host_ = ends[0];
    cable_ = ends[1];
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  ~Device() {
    pull();
    ::close(cable_);
  }

  [[nodiscard]] int cable() const { return cable_; }
  void send(const std::string& frame) {
    pollfd full{host_, POLLOUT, 0};
    EXPECT_EQ(::poll(&full, 1, 10'000), 1);
    EXPECT_EQ(::write(host_, frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
  }
  /// Empty if none comes within ten seconds.
  std::string receive() {
    pollfd waiting{host_, POLLIN, 0};
    std::array<char, 65536> bytes{};
    if (::poll(&waiting, 1, 10'000) != 1) return {};
    const ssize_t size = ::read(host_, bytes.data(), bytes.size());
    return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(0, size))};
  }
  void pull() {
    if (host_ >= 0) ::close(std::exchange(host_, -1));
  }

 private:
  int host_ = -1;
  int cable_ = -1;
};

/// The cables are carried until one of their devices is pulled.
class Carrying {
 public:
  explicit Carrying(std::vector<DelayedCable> cables)
      : thread_([this, cables = std::move(cables)] { error_ = carry_frames(cables); }) {}
  /// What carry_frames() ended with.
  const Error& ended() {
    thread_.join();
    return error_;
  }

 private:
  Error error_;
  std::thread thread_;
};

TEST(DelayedCables, FramesComeInOrderInBothDirectionsAndNotTooEarly) {
  Device a, b;
  Carrying carrying({{a.cable(), b.cable(), 0.02}});
  const auto begin = Clock::now();
  for (int i = 0; i < 100; ++i) {
    a.send("to b " + std::to_string(i));
    b.send("to a " + std::to_string(i));
  }
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(b.receive(), "to b " + std::to_string(i));
    if (i == 0) {
      EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(20));
    }
    EXPECT_EQ(a.receive(), "to a " + std::to_string(i));
  }
  a.pull();
  EXPECT_EQ(carrying.ended().message, "a cable's end is gone");
}

TEST(DelayedCables, CablesHaveLatenciesOfTheirOwn) {
  Device a, b, c, d;
  Carrying carrying({{a.cable(), b.cable(), 0.3}, {c.cable(), d.cable(), 0.001}});
  const auto begin = Clock::now();
  a.send(std::string(60'000, 'x'));
  c.send("quick");
  EXPECT_EQ(d.receive(), "quick");
  EXPECT_EQ(b.receive().size(), 60'000U);
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(300));
  d.pull();
  carrying.ended();
}

TEST(DelayedCables, AFrameThatNobodyTakesIsLost) {
  Device a, b;
  Carrying carrying({{a.cable(), b.cable(), 0.001}});
  // b takes none of them: what does not fit into its socket is lost, and the cable goes on.
  for (int i = 0; i < 2000; ++i) a.send(std::string(1000, 'x'));
  b.send("still there");
  EXPECT_EQ(a.receive(), "still there");
  a.pull();
  EXPECT_EQ(carrying.ended().cause, "it was closed");
}

}  // namespace
}  // namespace ayatori
