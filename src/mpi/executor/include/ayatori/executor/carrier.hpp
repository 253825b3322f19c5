#pragma once
/// \file
/// What a Executor needs of whatever carries messages between the participants of a schedule: MPI, threads, a
/// recording.

#include <cstddef>
#include <cstdint>
#include <span>

#include "ayatori/base/error.hpp"
#include "ayatori/base/ids.hpp"

namespace ayatori {

/// Names one message that is under way. The executor chooses the number, below RankProgram::max_open_messages(), and
/// uses it again once the message is complete: a carrier can keep its own requests in an array of that size.
using RequestId = std::uint32_t;

/// One message as a carrier sees it.
struct CarriedMessage {
  Rank peer = 0;             ///< the participant at the other end
  std::uint32_t stream = 0;  ///< messages match only within a stream; a carrier over MPI uses it as the tag
  Bytes bytes = 0;           ///< the sum over `pieces`
  /// The memory to send from or to receive into, piece after piece. It stays valid until the message is complete. A
  /// message without bytes may have no piece, and must be carried nevertheless: barriers consist of such messages.
  std::span<const std::span<std::byte>> pieces;
};

/// Carries the messages of one participant. Two messages from the same sender to the same receiver on the same stream
/// match in the order in which each side posted them; others may overtake each other. A send may wait for its receive
/// (rendezvous) or complete before it (eager). Both ends of a message have the same number of bytes, but may cut them
/// into different pieces.
///
/// An error ends the execution: the executor hands it to its caller and posts nothing more.
class Carrier {
 public:
  virtual ~Carrier() = default;

  /// Starts a message and returns at once.
  [[nodiscard]] virtual Result<> post_send(RequestId request, const CarriedMessage& message) = 0;
  [[nodiscard]] virtual Result<> post_receive(RequestId request, const CarriedMessage& message) = 0;

  /// Writes the requests that became complete since they were last asked for into `completed`, as many as fit, and
  /// returns their number. Each request is reported once. Never blocks.
  [[nodiscard]] virtual Result<std::size_t> test_some(std::span<RequestId> completed) = 0;

  /// The same, but waits until there is at least one. Called only while a message is under way.
  [[nodiscard]] virtual Result<std::size_t> wait_some(std::span<RequestId> completed) = 0;

  /// For carriers to which a small message costs less than to remember it: carries all messages of a step and waits
  /// until they are complete. False: nothing was sent or received, and the caller posts the messages one by one.
  /// Called only while no message of this execution is under way. All ends of the messages may choose differently.
  [[nodiscard]] virtual Result<bool> exchange(std::span<const CarriedMessage> receives,
                                              std::span<const CarriedMessage> sends) {
    static_cast<void>(receives);
    static_cast<void>(sends);
    return false;
  }
};

}  // namespace ayatori
