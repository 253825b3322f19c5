#pragma once
/// \file
/// Traces of endpoints as qlog: a header and then one event a record, as JSON text sequences (RFC 7464), by
/// draft-ietf-quic-qlog-main-schema ("qlog_version" 0.3). docs/transport.md says how to read one.
///
///     QlogTrace trace("one incast", sink);
///     QlogObserver observer(trace, rank);
///     endpoint.observe(&observer);
///
/// Events that have the meaning of one of QUIC's have its name (draft-ietf-quic-qlog-quic-events); those of this
/// protocol alone start with "ayatori:". Times are milliseconds since the zero of the endpoint's clock.

#include <memory>
#include <string_view>

#include "ayatori/base/files.hpp"
#include "ayatori/transport/observer.hpp"

namespace ayatori::qlog {

using transport::PeerId;
using transport::Time;

/// A trace of any number of endpoints; the sink gets its records in the order of the calls. Not thread-safe.
class QlogTrace {
 public:
  /// Writes the header. `title` is UTF-8. The sink must outlive the trace.
  QlogTrace(std::string_view title, const Sink& sink);
  QlogTrace(const QlogTrace&) = delete;
  QlogTrace& operator=(const QlogTrace&) = delete;
  ~QlogTrace();

  /// The network dropped a datagram for this peer. `trigger` says why, for example "buffer_overflow".
  void packet_dropped(Time now, PeerId to, std::string_view trigger);

 private:
  friend class QlogObserver;
  struct Writer;
  std::unique_ptr<Writer> writer_;
};

/// Writes what one endpoint decides; its events have the "group_id" `self`.
class QlogObserver final : public transport::Observer {
 public:
  /// The trace must outlive the observer.
  QlogObserver(QlogTrace& trace, PeerId self) : trace_(trace), self_(self) {}

  void packet_sent(Time now, const transport::PacketSeen& packet) override;
  void packet_received(Time now, const transport::PacketSeen& packet) override;
  void packet_acknowledged(Time now, const transport::FlowName& flow, transport::Sequence sequence, bool late) override;
  void packet_lost(Time now, const transport::FlowName& flow, transport::Sequence sequence,
                   transport::LossReason reason) override;
  void state_changed(Time now, const transport::FlowName& flow, transport::Phase from, transport::Phase to) override;
  void state_changed(Time now, const transport::FlowName& flow, transport::CreditState from,
                     transport::CreditState to) override;
  void state_changed(Time now, const transport::FlowName& flow, transport::Activity from,
                     transport::Activity to) override;
  void state_changed(Time now, const transport::FlowName& flow, transport::ExpressState from,
                     transport::ExpressState to) override;
  void credit_received(Time now, const transport::FlowName& flow, const transport::Credit& credit) override;
  void credit_granted(Time now, const transport::FlowName& flow, std::uint32_t packets) override;
  void timer_fired(Time now, const transport::FlowName& flow, transport::Timer timer) override;
  void congestion_window_changed(Time now, const transport::FlowName& flow, std::uint32_t from,
                                 std::uint32_t to) override;

 private:
  void state_updated(Time now, const transport::FlowName& flow, std::string_view machine, std::string_view from,
                     std::string_view to);

  QlogTrace& trace_;
  PeerId self_;
};

}  // namespace ayatori::qlog
