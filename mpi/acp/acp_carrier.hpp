#pragma once
/// \file
/// Carries a player's messages by one-sided puts: libacp's, on whatever wire (paper 2, section 6.2: collectives over an
/// RDMA interface). No channel of libacp's is used, and no receiver's processor but to look at its own memory.
///
/// Small messages (1 KiB and less) go into a ring at the receiver, as words of data and flag (flagged_words.hpp); the
/// sender may fill it as far as it was told that the receiver has read. Of large ones the receiver announces where they
/// belong; they are put there, without a copy, and a count after them.
///
/// A process keeps some 6 KiB for each stream to a peer, and as much for each from one, that it has used, and
/// nothing for others.

#include <map>
#include <memory>
#include <vector>

#include "ayatori/player/carrier.hpp"
#include "incoming_channel.hpp"
#include "outgoing_channel.hpp"
#include "peers_alive.hpp"

namespace ayatori {

struct AcpCarrierOptions {
  /// The part of every process's starter memory that the carrier takes; the same in all of them, `begin` a multiple of
  /// 64. At most the first 64 MiB are used.
  Bytes begin = 0;
  Bytes bytes = Bytes{1} << 20;
};

/// Participants are the ranks of libacp's job, which is open. One carrier serves any number of programs and players,
/// one after the other, and in the same order in all processes that have a message for each other. After an error
/// it is of no more use. Not safe for concurrent use.
class AcpCarrier final : public Carrier {
 public:
  /// All processes of the job call it, and it waits for them (acp_sync), so that nobody writes to who is not ready.
  /// Completes all operations of this process before. Errors: starter memory is smaller; a rank is lost.
  [[nodiscard]] static Result<std::unique_ptr<AcpCarrier>> make(const AcpCarrierOptions& options = {});
  /// Completes all operations.
  ~AcpCarrier() override;

  /// Messages of more than 1 KiB must lie in memory that was added, or in starter memory. It must be taken back before
  /// it is freed, while no message in it is under way. Errors: libacp's.
  [[nodiscard]] Result<> add(std::span<std::byte> memory) { return memory_->add(memory); }
  void take_back(const std::byte* memory) { memory_->take_back(memory); }

  [[nodiscard]] Result<> post_send(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<> post_receive(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<std::size_t> test_some(std::span<RequestId> completed) override;
  /// Yields its core, and later sleeps, while nothing comes. Error: also a peer that died, once libacp says so
  /// (ACP_TIMEOUT).
  [[nodiscard]] Result<std::size_t> wait_some(std::span<RequestId> completed) override;

  /// Bytes of the options' that are in use.
  [[nodiscard]] Bytes memory_in_use() const { return memory_->taken(); }

 private:
  AcpCarrier(std::unique_ptr<AcpMemory> memory, Introductions introductions, PeersAlive peers);

  template <typename Channel>
  [[nodiscard]] Result<Channel*> channel_of(std::map<ChannelName, std::unique_ptr<Channel>>& channels,
                                            const CarriedMessage& message);
  [[nodiscard]] Result<> progress();
  template <typename Channel, typename Step>
  [[nodiscard]] Result<> progress_of(std::vector<Channel*>& active, Step step);
  [[nodiscard]] std::size_t hand_out(std::span<RequestId> completed);
  [[nodiscard]] Result<> ask_active_peers();

  std::unique_ptr<AcpMemory> memory_;  ///< all below point to it
  Introductions introductions_;
  PeersAlive peers_;
  std::map<ChannelName, std::unique_ptr<OutgoingChannel>> outgoing_;
  std::map<ChannelName, std::unique_ptr<IncomingChannel>> incoming_;
  std::vector<OutgoingChannel*> sending_;  ///< those that are not idle
  std::vector<IncomingChannel*> receiving_;
  std::vector<RequestId> completed_;  ///< and not handed out
};

}  // namespace ayatori
