#include "ayatori/carriers/socket_carrier.hpp"

#include <algorithm>

#include "process_sockets_state.hpp"

namespace ayatori {

namespace {

constexpr int max_sleep_ms = 4;
/// After so many sleeps in which nothing came it checks whether a peer has ended: about a second.
constexpr int sleeps_until_check = 256;

}  // namespace

SocketCarrier::SocketCarrier(ProcessSockets& sockets, std::shared_ptr<const std::vector<Rank>> processes,
                             std::uint32_t streams)
    : sockets_(*sockets.state_),
      processes_(std::move(processes)),
      streams_(streams),
      execution_(std::make_unique<SocketExecution>()) {}

SocketCarrier::~SocketCarrier() { end_execution(); }

void SocketCarrier::begin_execution(std::uint64_t context) {
  sockets_.begin_execution(*execution_, context, streams_ > 1);
}

/// The sockets may be gone when nothing is under way.
void SocketCarrier::end_execution() {
  if (execution_->inbox != nullptr) sockets_.end_execution(*execution_);
}

Result<Rank> SocketCarrier::process_of(const CarriedMessage& message) const {
  if (message.peer >= processes_->size()) return fail("there is no participant {}", message.peer);
  return (*processes_)[message.peer];
}

Result<> SocketCarrier::post_send(RequestId request, const CarriedMessage& message) {
  const auto process = process_of(message);
  if (!process) return Failure(process.error());
  return sockets_.post_send(*execution_, *process, request, message);
}

Result<> SocketCarrier::post_receive(RequestId request, const CarriedMessage& message) {
  const auto process = process_of(message);
  if (!process) return Failure(process.error());
  return sockets_.post_receive(*execution_, *process, request, message);
}

Result<std::size_t> SocketCarrier::test_some(std::span<RequestId> completed) {
  if (auto moved = sockets_.progress(*execution_, 0); !moved) return Failure(moved.error());
  return execution_->inbox->completions().take(completed);
}

Result<std::size_t> SocketCarrier::wait_some(std::span<RequestId> completed) {
  int milliseconds = 1;
  for (int sleeps = 1;; ++sleeps) {
    const auto count = test_some(completed);
    if (!count || *count > 0) return count;
    if (sockets_.options.while_waiting) sockets_.options.while_waiting();
    if (auto moved = sockets_.progress(*execution_, milliseconds); !moved) return Failure(moved.error());
    milliseconds = std::min(2 * milliseconds, max_sleep_ms);
    if (sleeps % sleeps_until_check != 0) continue;
    if (auto alive = sockets_.check_for_ended(*execution_); !alive) return Failure(alive.error());
  }
}

}  // namespace ayatori
