// Messages of channels over a bad network: each arrives once, in order, as far as its buffer goes, with tables so small
// that ends and requests run out.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "ayatori/base/random.hpp"
#include "processes_for_tests.hpp"

namespace ayatori::onesided {
namespace {

constexpr std::array<Bytes, 8> sizes = {0, 1, 15, 16, 17, 100, 700, 3000};

struct Message {
  std::vector<std::byte> sent;
  std::vector<std::byte> received;
  RequestId sending = 0;
  RequestId receiving = 0;
};

struct Channel {
  Rank sender = 0;
  Rank receiver = 0;
  ChannelId out = 0;
  ChannelId in = 0;
  std::vector<Message> messages{};
  std::size_t sends = 0;  // started …
  std::size_t receives = 0;
  std::size_t sent = 0;  // … and finished
  std::size_t received = 0;
  RequestId closing_out = 0;
  RequestId closing_in = 0;
  int closed = 0;  // ends
};

class Traffic {
 public:
  Traffic(Processes& processes, std::uint64_t seed, int channels) : processes_(processes), random_(seed) {
    for (int i = 0; i < channels; ++i) open();
  }

  /// One thing more, where there is room; whether all messages are through and all ends closed.
  bool go_on() {
    bool done = true;
    for (Channel& channel : channels_) {
      if (random_.below(2) == 0) send(channel);
      if (random_.below(2) == 0) receive(channel);
      finish(channel);
      close(channel);
      done = done && channel.closed == 2;
    }
    return done;
  }

 private:
  /// Both ends of the next channel between two, of which there may be several.
  void open() {
    Channel channel;
    channel.sender = static_cast<Rank>(random_.below(processes_.count()));
    channel.receiver =
        (channel.sender + 1 + static_cast<Rank>(random_.below(processes_.count() - 1))) % processes_.count();
    channel.out = need(processes_[channel.sender].open_channel(processes_.now(), channel.sender, channel.receiver));
    channel.in = need(processes_[channel.receiver].open_channel(processes_.now(), channel.sender, channel.receiver));
    channel.messages.resize(5 + random_.below(15));
    for (Message& message : channel.messages) {
      message.sent.resize(sizes[random_.below(sizes.size())]);
      message.received.resize(random_.below(3) > 0 ? message.sent.size() : sizes[random_.below(sizes.size())]);
      for (std::byte& value : message.sent) value = static_cast<std::byte>(random_());
    }
    channels_.push_back(std::move(channel));
  }

  /// Nothing if there is no request left.
  static RequestId taken(const Result<RequestId>& request) {
    EXPECT_TRUE(request || request.error().code == ENOSPC);
    return request.value_or(0);
  }

  void send(Channel& channel) {
    if (channel.sends == channel.messages.size()) return;
    Message& message = channel.messages[channel.sends];
    message.sending =
        taken(processes_[channel.sender].send(processes_.now(), channel.out, message.sent.data(), message.sent.size()));
    if (message.sending != 0) ++channel.sends;
  }

  void receive(Channel& channel) {
    if (channel.receives == channel.messages.size()) return;
    Message& message = channel.messages[channel.receives];
    message.receiving = taken(processes_[channel.receiver].receive(processes_.now(), channel.in,
                                                                   message.received.data(), message.received.size()));
    if (message.receiving != 0) ++channel.receives;
  }

  void finish(Channel& channel) {
    GlobalMemory& sender = processes_[channel.sender];
    GlobalMemory& receiver = processes_[channel.receiver];
    for (; channel.sent < channel.sends; ++channel.sent) {
      const RequestId request = channel.messages[channel.sent].sending;
      if (!sender.request_done(request)) break;
      EXPECT_EQ(need(sender.finish(request)), 0U);
    }
    for (; channel.received < channel.receives; ++channel.received) {
      const Message& message = channel.messages[channel.received];
      if (!receiver.request_done(message.receiving)) break;
      const Bytes size = std::min(message.sent.size(), message.received.size());
      EXPECT_EQ(need(receiver.finish(message.receiving)), size);
      EXPECT_TRUE(std::equal(message.sent.begin(), message.sent.begin() + static_cast<std::ptrdiff_t>(size),
                             message.received.begin()))
          << "message " << channel.received;
    }
  }

  void close(Channel& channel) {
    if (channel.sent == channel.messages.size()) close(channel, channel.sender, channel.out, channel.closing_out);
    if (channel.received == channel.messages.size()) close(channel, channel.receiver, channel.in, channel.closing_in);
  }

  void close(Channel& channel, Rank rank, ChannelId& end, RequestId& closing) {
    GlobalMemory& process = processes_[rank];
    if (end != 0 && closing == 0) closing = taken(process.close_channel(processes_.now(), end));
    if (end == 0 || closing == 0 || !process.request_done(closing)) return;
    EXPECT_EQ(need(process.finish(closing)), 0U);
    end = 0;
    ++channel.closed;
  }

  Processes& processes_;
  Random random_;
  std::vector<Channel> channels_;
};

TEST(Channels, CarryEveryMessageOnceAndInOrder) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Settings settings = narrow_settings(seed);
    settings.channels = 8;
    Processes processes(bad_network(seed), 2 + static_cast<Rank>(seed) % 3, 1, settings);
    Traffic traffic(processes, seed, 2 + static_cast<int>(seed) % 4);
    ASSERT_TRUE(processes.run_until([&] { return traffic.go_on(); }));
    for (Rank rank = 0; rank < processes.count(); ++rank) EXPECT_TRUE(processes[rank].idle()) << rank;
  }
}

/// What is still waited for when the other end closes will never come.
TEST(Channels, TellThatTheOtherEndIsClosed) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Processes processes(bad_network(seed), 2, 1, narrow_settings(seed));
    const ChannelId out = need(processes[0].open_channel(processes.now(), 0, 1));
    const ChannelId in = need(processes[1].open_channel(processes.now(), 0, 1));
    std::vector<std::byte> buffer(100);
    const RequestId waiting = need(processes[1].receive(processes.now(), in, buffer.data(), buffer.size()));
    const RequestId closing = need(processes[0].close_channel(processes.now(), out));
    ASSERT_TRUE(processes.run_until([&] { return processes[1].request_done(waiting); }));
    EXPECT_EQ(processes[1].finish(waiting).error().code, EPIPE);
    EXPECT_FALSE(processes[0].request_done(closing));
    const RequestId last = need(processes[1].close_channel(processes.now(), in));
    ASSERT_TRUE(
        processes.run_until([&] { return processes[0].request_done(closing) && processes[1].request_done(last); }));
    EXPECT_TRUE(processes[0].finish(closing) && processes[1].finish(last));
    EXPECT_EQ(processes[1].receive(processes.now(), in, buffer.data(), 1).error().code, EINVAL);
  }
}

TEST(Channels, RefuseWhatTheyAreNot) {
  Settings settings = narrow_settings(0);
  settings.channels = 2;
  Processes processes(bad_network(0), 3, 1, settings);
  const auto open = [&](Rank sender, Rank receiver) {
    return processes[0].open_channel(processes.now(), sender, receiver);
  };
  EXPECT_EQ(open(0, 0).error().code, EINVAL);
  EXPECT_EQ(open(1, 2).error().code, EINVAL);
  EXPECT_EQ(open(0, 3).error().code, EINVAL);
  const ChannelId out = need(open(0, 1));
  EXPECT_TRUE(open(2, 0));
  EXPECT_EQ(open(0, 1).error().code, ENOSPC);
  EXPECT_EQ(processes[0].receive(processes.now(), out, nullptr, 0).error().code, EINVAL);
  EXPECT_EQ(processes[0].send(processes.now(), 0, nullptr, 0).error().code, EINVAL);
  EXPECT_EQ(processes[0].finish(77).error().code, EINVAL);
}

}  // namespace
}  // namespace ayatori::onesided
