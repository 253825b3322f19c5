#include "ayatori/qlog/qlog.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace ayatori::qlog {

namespace {

using Json = nlohmann::ordered_json;
using transport::FlowName;
using transport::PacketSeen;

Json flow_of(const FlowName& flow) {
  return {{"peer", flow.peer},
          {"lane", flow.lane == transport::Lane::messages ? "messages" : "replies"},
          {"epoch", flow.epoch}};
}

Json packet_data(const PacketSeen& packet) {
  return {{"header", {{"packet_type", name(packet.kind)}, {"packet_number", packet.sequence}}},
          {"raw", {{"length", packet.bytes}}},
          {"is_retransmission", packet.resent},
          {"flow", flow_of(packet.flow)}};
}

double milliseconds(Time time) { return std::chrono::duration<double, std::milli>(time.time_since_epoch()).count(); }

}  // namespace

struct QlogTrace::Writer {
  explicit Writer(const Sink& chosen) : sink(chosen) {}

  /// RFC 7464, section 2.2: a record separator before each text, a line feed after it.
  void write(const Json& record) {
    text.assign(1, '\x1e');
    text += record.dump(-1, ' ', false, Json::error_handler_t::replace);
    text += '\n';
    sink(text);
  }

  void event(Time now, std::string_view group, std::string_view what, Json data) {
    write({{"time", milliseconds(now)}, {"name", what}, {"group_id", group}, {"data", std::move(data)}});
  }

  void event(Time now, PeerId self, std::string_view what, Json data) {
    event(now, std::to_string(self), what, std::move(data));
  }

  const Sink& sink;
  std::string text;
};

QlogTrace::QlogTrace(std::string_view title, const Sink& sink) : writer_(std::make_unique<Writer>(sink)) {
  const Json common{{"time_format", "relative"}, {"reference_time", 0}, {"protocol_type", {"AYATORI"}}};
  writer_->write({{"qlog_format", "JSON-SEQ"},
                  {"qlog_version", "0.3"},
                  {"title", title},
                  {"trace", {{"common_fields", common}, {"vantage_point", {{"type", "network"}}}}}});
}

QlogTrace::~QlogTrace() = default;

void QlogTrace::packet_dropped(Time now, PeerId to, std::string_view trigger) {
  writer_->event(now, "network", "transport:packet_dropped", {{"trigger", trigger}, {"to", to}});
}

void QlogObserver::packet_sent(Time now, const PacketSeen& packet) {
  trace_.writer_->event(now, self_, "transport:packet_sent", packet_data(packet));
}

void QlogObserver::packet_received(Time now, const PacketSeen& packet) {
  trace_.writer_->event(now, self_, "transport:packet_received", packet_data(packet));
}

void QlogObserver::packet_acknowledged(Time now, const FlowName& flow, transport::Sequence sequence, bool late) {
  Json data{{"packet_numbers", {sequence}}, {"late", late}, {"flow", flow_of(flow)}};
  trace_.writer_->event(now, self_, "transport:packets_acked", std::move(data));
}

void QlogObserver::packet_lost(Time now, const FlowName& flow, transport::Sequence sequence,
                               transport::LossReason reason) {
  Json data{{"header", {{"packet_number", sequence}}}, {"trigger", name(reason)}, {"flow", flow_of(flow)}};
  trace_.writer_->event(now, self_, "recovery:packet_lost", std::move(data));
}

void QlogObserver::state_updated(Time now, const FlowName& flow, std::string_view machine, std::string_view from,
                                 std::string_view to) {
  Json data{{"machine", machine}, {"old", from}, {"new", to}, {"flow", flow_of(flow)}};
  trace_.writer_->event(now, self_, "ayatori:flow_state_updated", std::move(data));
}

void QlogObserver::state_changed(Time now, const FlowName& flow, transport::Phase from, transport::Phase to) {
  state_updated(now, flow, "phase", name(from), name(to));
}

void QlogObserver::state_changed(Time now, const FlowName& flow, transport::CreditState from,
                                 transport::CreditState to) {
  state_updated(now, flow, "credit", name(from), name(to));
}

void QlogObserver::state_changed(Time now, const FlowName& flow, transport::Activity from, transport::Activity to) {
  state_updated(now, flow, "activity", name(from), name(to));
}

void QlogObserver::state_changed(Time now, const FlowName& flow, transport::ExpressState from,
                                 transport::ExpressState to) {
  state_updated(now, flow, "express", name(from), name(to));
}

void QlogObserver::credit_received(Time now, const FlowName& flow, const transport::Credit& credit) {
  Json data{{"limit", credit.limit}, {"rationed", credit.rationed}, {"queued", credit.queued}, {"flow", flow_of(flow)}};
  trace_.writer_->event(now, self_, "ayatori:credit_updated", std::move(data));
}

void QlogObserver::credit_granted(Time now, const FlowName& flow, std::uint32_t packets) {
  trace_.writer_->event(now, self_, "ayatori:credit_granted", {{"packets", packets}, {"flow", flow_of(flow)}});
}

void QlogObserver::timer_fired(Time now, const FlowName& flow, transport::Timer timer) {
  Json data{{"timer_type", name(timer)}, {"event_type", "expired"}, {"flow", flow_of(flow)}};
  trace_.writer_->event(now, self_, "recovery:loss_timer_updated", std::move(data));
}

void QlogObserver::congestion_window_changed(Time now, const FlowName& flow, std::uint32_t /*from*/, std::uint32_t to) {
  trace_.writer_->event(now, self_, "recovery:metrics_updated", {{"congestion_window", to}, {"flow", flow_of(flow)}});
}

}  // namespace ayatori::qlog
