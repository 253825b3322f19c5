#pragma once
/// \file
/// Carriers for tests: one that delivers in random order, one between threads, one that records what is posted.

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "ayatori/base/random.hpp"
#include "ayatori/executor/carrier.hpp"

namespace ayatori {

/// One end of a message that is posted and has not met the other end.
struct PostedEnd {
  RequestId request = 0;
  CarriedMessage message;
  bool eager = false;               ///< a send that is complete already
  std::vector<std::byte> contents;  ///< of an eager send
};

/// Sends and receives from one participant to another on one stream, in the order in which they were posted.
struct Channel {
  std::deque<PostedEnd> sends;
  std::deque<PostedEnd> receives;
  [[nodiscard]] bool has_match() const { return !sends.empty() && !receives.empty(); }
};

using ChannelKey = std::tuple<Rank, Rank, std::uint32_t>;  ///< sender, receiver, stream

inline std::vector<std::byte> gathered(const CarriedMessage& message) {
  std::vector<std::byte> bytes;
  for (const auto& piece : message.pieces) bytes.insert(bytes.end(), piece.begin(), piece.end());
  return bytes;
}

/// Copies what is sent to where it is received. False if the two ends do not fit together.
inline bool copy_message(const PostedEnd& send, const PostedEnd& receive) {
  const std::vector<std::byte> bytes = send.eager ? send.contents : gathered(send.message);
  if (bytes.size() != send.message.bytes || bytes.size() != receive.message.bytes) return false;
  std::size_t begin = 0;
  for (const auto& piece : receive.message.pieces) {
    if (piece.size() > bytes.size() - begin) return false;
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(begin), piece.size(), piece.begin());
    begin += piece.size();
  }
  return begin == bytes.size();
}

/// Carries messages between the participants of one process, one step at a time, in an order drawn from a seed: which
/// sends are eager, which message is delivered next, and when a participant hears of it.
class RandomNetwork {
 public:
  RandomNetwork(Rank participants, std::uint64_t seed) : random_(seed), completed_(participants) {
    for (Rank self = 0; self < participants; ++self) ends_.push_back(std::make_unique<End>(*this, self));
  }

  [[nodiscard]] Carrier& carrier(Rank participant) { return *ends_[participant]; }
  [[nodiscard]] Random& random() { return random_; }
  /// Grows with every message that is delivered or reported: while it stands still, nothing happens.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  [[nodiscard]] bool sizes_differed() const { return sizes_differed_; }

  /// Delivers one of the messages whose two ends are posted, if there is one.
  void deliver() {
    std::vector<Channel*> ready;
    std::vector<ChannelKey> keys;
    for (auto& [key, channel] : channels_) {
      if (!channel.has_match()) continue;
      ready.push_back(&channel);
      keys.push_back(key);
    }
    if (ready.empty()) return;
    const std::size_t chosen = random_.below(ready.size());
    const PostedEnd send = ready[chosen]->sends.front();
    const PostedEnd receive = ready[chosen]->receives.front();
    ready[chosen]->sends.pop_front();
    ready[chosen]->receives.pop_front();
    sizes_differed_ = !copy_message(send, receive) || sizes_differed_;
    if (!send.eager) completed_[std::get<0>(keys[chosen])].push_back(send.request);
    completed_[std::get<1>(keys[chosen])].push_back(receive.request);
    ++events_;
  }

 private:
  class End final : public Carrier {
   public:
    End(RandomNetwork& network, Rank self) : network_(network), self_(self) {}

    Result<> post_send(RequestId request, const CarriedMessage& message) override {
      PostedEnd end{request, message, network_.random_.below(2) == 0, {}};
      if (end.eager) {
        end.contents = gathered(message);
        network_.completed_[self_].push_back(request);
      }
      network_.channels_[{self_, message.peer, message.stream}].sends.push_back(std::move(end));
      return {};
    }

    Result<> post_receive(RequestId request, const CarriedMessage& message) override {
      network_.channels_[{message.peer, self_, message.stream}].receives.push_back({request, message, false, {}});
      return {};
    }

    Result<std::size_t> test_some(std::span<RequestId> completed) override {
      auto& mine = network_.completed_[self_];
      network_.random_.shuffle(std::span(mine));
      const std::size_t count = std::min(completed.size(), network_.random_.below(mine.size() + 1));
      for (std::size_t i = 0; i < count; ++i) {
        completed[i] = mine.back();
        mine.pop_back();
        ++network_.events_;
      }
      return count;
    }

    Result<std::size_t> wait_some(std::span<RequestId>) override { return fail("one thread cannot wait for itself"); }

   private:
    RandomNetwork& network_;
    Rank self_;
  };

  Random random_;
  std::map<ChannelKey, Channel> channels_;
  std::vector<std::vector<RequestId>> completed_;  // by participant
  std::vector<std::unique_ptr<End>> ends_;
  std::uint64_t events_ = 0;
  bool sizes_differed_ = false;
};

/// Carries messages between threads, one a participant. Whoever posts the second end of a message delivers it.
class ThreadNetwork {
 public:
  explicit ThreadNetwork(Rank participants) : completed_(participants) {
    for (Rank self = 0; self < participants; ++self) ends_.push_back(std::make_unique<End>(*this, self));
  }

  [[nodiscard]] Carrier& carrier(Rank participant) { return *ends_[participant]; }

 private:
  class End final : public Carrier {
   public:
    End(ThreadNetwork& network, Rank self) : network_(network), self_(self) {}

    Result<> post_send(RequestId request, const CarriedMessage& message) override {
      const ChannelKey key{self_, message.peer, message.stream};
      return network_.post(key, &Channel::sends, {request, message, false, {}});
    }
    Result<> post_receive(RequestId request, const CarriedMessage& message) override {
      const ChannelKey key{message.peer, self_, message.stream};
      return network_.post(key, &Channel::receives, {request, message, false, {}});
    }
    Result<std::size_t> test_some(std::span<RequestId> completed) override {
      const std::lock_guard lock(network_.mutex_);
      return take(completed);
    }
    Result<std::size_t> wait_some(std::span<RequestId> completed) override {
      std::unique_lock lock(network_.mutex_);
      network_.changed_.wait(lock, [&] { return !network_.completed_[self_].empty(); });
      return take(completed);
    }

   private:
    std::size_t take(std::span<RequestId> completed) {
      auto& mine = network_.completed_[self_];
      const std::size_t count = std::min(completed.size(), mine.size());
      std::copy_n(mine.begin(), count, completed.begin());
      mine.erase(mine.begin(), mine.begin() + static_cast<std::ptrdiff_t>(count));
      return count;
    }

    ThreadNetwork& network_;
    Rank self_;
  };

  Result<> post(const ChannelKey& key, std::deque<PostedEnd> Channel::* side, PostedEnd end) {
    const std::lock_guard lock(mutex_);
    Channel& channel = channels_[key];
    (channel.*side).push_back(std::move(end));
    if (!channel.has_match()) return {};
    const PostedEnd send = channel.sends.front();
    const PostedEnd receive = channel.receives.front();
    channel.sends.pop_front();
    channel.receives.pop_front();
    completed_[std::get<0>(key)].push_back(send.request);
    completed_[std::get<1>(key)].push_back(receive.request);
    changed_.notify_all();
    if (!copy_message(send, receive)) return fail("the two ends of a message differ in size");
    return {};
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<ChannelKey, Channel> channels_;
  std::vector<std::vector<RequestId>> completed_;  // by participant
  std::vector<std::unique_ptr<End>> ends_;
};

/// Writes down what is posted. Messages are complete when the test says so.
class RecordingCarrier final : public Carrier {
 public:
  struct Post {
    bool is_send = false;
    RequestId request = 0;
    CarriedMessage message;
  };

  std::vector<Post> posts;
  std::vector<RequestId> completed;  ///< to be reported next
  std::string refusal;               ///< if not empty, the next post fails with it
  bool completes_at_once = false;    ///< what is posted is reported as complete by the next question
  std::size_t exchanges = 0;         ///< so many steps are carried whole, before others are refused

  /// "receive from 1 on stream 0", "send to 2 on stream 0", …, since the last call.
  std::vector<std::string> take_posts() {
    std::vector<std::string> words;
    for (const Post& post : posts) {
      words.push_back(fmt::format("{} {} on stream {}", post.is_send ? "send to" : "receive from", post.message.peer,
                                  post.message.stream));
    }
    posts.clear();
    return words;
  }

  Result<> post_send(RequestId request, const CarriedMessage& message) override { return post(true, request, message); }
  Result<> post_receive(RequestId request, const CarriedMessage& message) override {
    return post(false, request, message);
  }
  Result<std::size_t> test_some(std::span<RequestId> reported) override {
    const std::size_t count = std::min(reported.size(), completed.size());
    std::copy_n(completed.begin(), count, reported.begin());
    completed.erase(completed.begin(), completed.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
  }
  Result<std::size_t> wait_some(std::span<RequestId> reported) override {
    if (completed.empty()) return fail("nothing will be complete");
    return test_some(reported);
  }
  Result<bool> exchange(std::span<const CarriedMessage> receives, std::span<const CarriedMessage> sends) override {
    if (!refusal.empty()) return fail("{}", refusal);
    if (exchanges == 0) return false;
    --exchanges;
    for (const CarriedMessage& message : receives) posts.push_back({false, 0, message});
    for (const CarriedMessage& message : sends) posts.push_back({true, 0, message});
    return true;
  }

 private:
  Result<> post(bool is_send, RequestId request, const CarriedMessage& message) {
    if (!refusal.empty()) return fail("{}", refusal);
    posts.push_back({is_send, request, message});
    if (completes_at_once) completed.push_back(request);
    return {};
  }
};

}  // namespace ayatori
