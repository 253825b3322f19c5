#pragma once
/// \file
/// Paper 5's other protocol: InfiniBand's reliable connections (RC), whose server takes all its receive buffers from
/// one shared receive queue (SRQ). Network interfaces do what endpoints do elsewhere: they acknowledge, and send again.
///
///   1. A client's processor hands a message over (send_cost); its interface sends it.
///   2. If a buffer is free, the server's interface fills it and acknowledges; the client's processor sees the
///      completion (receive_cost) and goes on to the next message. The server's processor handles the buffer
///      (receive_cost) and hands it back.
///   3. If none is free, the server's interface answers "receiver not ready" (RNR NAK); the client's interface sends
///      again after `not_ready_delay`, for at most Scenario::rnr_retry times.
///   4. If a message or its answer is lost (Scenario::drop), the client's interface sends again `retry_timeout` after
///   it
///      sent, for at most `retry_count` times without an answer. The server's interface knows a copy by its sequence
///      number. The timeout should be longer than a round trip: an answer under way stops the timer.
///   5. A connection whose tries are used up breaks; its client sends nothing more ("retry exceeded").
///
/// InfiniBand Architecture Specification 1, sections 9.7.5.2.8 (RNR NAK) and 10.2.9 (shared receive queues). The
/// Scenario's duplicate, reorder, black_holes and control_buffers have no meaning here: a connection's packets stay in
/// order, and answers need no buffers.

#include "ayatori/simulated/incast.hpp"

namespace ayatori::simulated {

/// `retransmissions` are those of interfaces; duplicates can't occur. `queued` is 1, whatever `incast` says.
[[nodiscard]] IncastResult run_reliable_connections(const Incast& incast, const Scenario& scenario,
                                                    Duration not_ready_delay);

}  // namespace ayatori::simulated
