#include "acp_carrier.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>

namespace ayatori {

namespace {

/// Looks without an answer until a waiting process yields its core, until it sleeps, and how long it then sleeps: a put
/// into memory wakes nobody.
constexpr std::uint32_t looks_before_yield = 50;
constexpr std::uint32_t looks_before_sleep = 1000;
constexpr std::uint32_t sleep_in_us = 50;
/// So many sleeps are about a second.
constexpr std::uint32_t looks_between_questions = 10'000;

template <typename Channel>
void list(std::vector<Channel*>& active, Channel* channel) {
  if (std::find(active.begin(), active.end(), channel) == active.end()) active.push_back(channel);
}

Result<> meet() {
  if (acp_sync() != 0) return fail("acp_sync: {}", acp_error_message());
  return {};
}

}  // namespace

Result<std::unique_ptr<AcpCarrier>> AcpCarrier::make(const AcpCarrierOptions& options) {
  auto made = AcpMemory::make(options.begin, options.bytes);
  if (!made) return Failure(made.error());
  auto memory = std::make_unique<AcpMemory>(std::move(*made));
  // Of a carrier before this one nothing may be on its way when the memory is cleared, and nothing of this one before.
  if (acp_complete(ACP_HANDLE_ALL) != 0) return fail("acp_complete: {}", acp_error_message());
  if (auto met = meet(); !met) return Failure(met.error());
  auto introductions = Introductions::make(*memory);
  if (!introductions) return Failure(introductions.error());
  auto peers = PeersAlive::make(*memory);
  if (!peers) return Failure(peers.error());
  if (auto met = meet(); !met) return Failure(met.error());
  return std::unique_ptr<AcpCarrier>(new AcpCarrier(std::move(memory), std::move(*introductions), std::move(*peers)));
}

AcpCarrier::AcpCarrier(std::unique_ptr<AcpMemory> memory, Introductions introductions, PeersAlive peers)
    : memory_(std::move(memory)), introductions_(std::move(introductions)), peers_(std::move(peers)) {}

AcpCarrier::~AcpCarrier() { acp_complete(ACP_HANDLE_ALL); }

template <typename Channel>
Result<Channel*> AcpCarrier::channel_of(std::map<ChannelName, std::unique_ptr<Channel>>& channels,
                                        const CarriedMessage& message) {
  const ChannelName name{message.peer, message.stream};
  const auto known = channels.find(name);
  if (known != channels.end()) return known->second.get();
  auto made = [&] {
    if constexpr (std::is_same_v<Channel, OutgoingChannel>) {
      return OutgoingChannel::make(*memory_, name);
    } else {
      return IncomingChannel::make(*memory_, introductions_, name);
    }
  }();
  if (!made) return Failure(made.error());
  return channels.emplace(name, std::make_unique<Channel>(std::move(*made))).first->second.get();
}

Result<> AcpCarrier::post_send(RequestId request, const CarriedMessage& message) {
  const auto channel = channel_of(outgoing_, message);
  if (!channel) return Failure(channel.error());
  list(sending_, *channel);
  (*channel)->post(request, message);
  return (*channel)->progress(introductions_, completed_);
}

Result<> AcpCarrier::post_receive(RequestId request, const CarriedMessage& message) {
  const auto channel = channel_of(incoming_, message);
  if (!channel) return Failure(channel.error());
  list(receiving_, *channel);
  (*channel)->post(request, message);
  return {};
}

template <typename Channel, typename Step>
Result<> AcpCarrier::progress_of(std::vector<Channel*>& active, Step step) {
  for (Channel* channel : active) {
    if (auto gone_on = step(*channel); !gone_on) return gone_on;
  }
  std::erase_if(active, [](const Channel* channel) { return channel->idle(); });
  return {};
}

Result<> AcpCarrier::progress() {
  make_acp_progress();
  if (auto told = introductions_.progress(); !told) return told;
  const auto sent =
      progress_of(sending_, [&](OutgoingChannel& channel) { return channel.progress(introductions_, completed_); });
  if (!sent) return sent;
  return progress_of(receiving_, [&](IncomingChannel& channel) { return channel.progress(completed_); });
}

std::size_t AcpCarrier::hand_out(std::span<RequestId> completed) {
  const std::size_t count = std::min(completed.size(), completed_.size());
  std::copy_n(completed_.begin(), count, completed.begin());
  completed_.erase(completed_.begin(), completed_.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

Result<std::size_t> AcpCarrier::test_some(std::span<RequestId> completed) {
  if (completed_.empty()) {
    if (auto gone_on = progress(); !gone_on) return Failure(gone_on.error());
  }
  return hand_out(completed);
}

Result<std::size_t> AcpCarrier::wait_some(std::span<RequestId> completed) {
  for (std::uint32_t looks = 1;; ++looks) {
    const auto count = test_some(completed);
    if (!count || *count > 0) return count;
    if (looks > looks_before_sleep) {
      usleep(sleep_in_us);
    } else if (looks > looks_before_yield) {
      sched_yield();
    }
    if (looks % looks_between_questions != 0) continue;
    if (auto alive = ask_active_peers(); !alive) return Failure(alive.error());
  }
}

Result<> AcpCarrier::ask_active_peers() {
  std::vector<Rank> active;
  for (const OutgoingChannel* channel : sending_) active.push_back(channel->peer());
  for (const IncomingChannel* channel : receiving_) active.push_back(channel->peer());
  return peers_.ask(active);
}

}  // namespace ayatori
