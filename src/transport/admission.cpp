#include "admission.hpp"

#include <algorithm>

namespace ayatori::transport {

namespace {

/// Losses this many leases apart are no congestion.
constexpr int calm_leases = 16;

}  // namespace

Admission::Admission(const Options& options)
    : timing_(options.retransmission),
      open_window_(options.window),
      buffers_(options.receive_buffers),
      enabled_(options.retransmission.admission),
      places_(options.receive_buffers + on_the_way),
      grant_to_packet_(options.retransmission),
      waiting_(options.incoming_contexts + options.replies),
      shares_(options.incoming_contexts + options.replies) {}

void Admission::overflowed(ContextId flow, Time now) {
  if (!enabled_) return;
  closed_ = true;
  last_loss_ = now;
  ++lost_;
  if (shares_[flow].places == 0) waiting_.push(flow);
}

void Admission::wants(ContextId flow) {
  if (closed_ && shares_[flow].places == 0) waiting_.push(flow);
}

void Admission::arrived(ContextId flow, const Packet& packet, Time now) {
  if (!closed_) return;
  if (packet.resent) {
    ++lost_;
    last_loss_ = now;
  }
  Share& share = shares_[flow];
  if (share.places == 0) {
    // It came from before the gate closed. Who sends now will probably send soon again: worth a free place.
    if (packet.more || held_ < places_) waiting_.push(flow);
    return;
  }
  adapt();
  if (share.fresh) grant_to_packet_.sample(now - share.granted);
  share.fresh = false;
  share.missed = false;
  share.lease_end = now + lease();
  if (--share.left > 0) return;
  share.left = turn;
  if (waiting_.empty()) return;
  release(flow);
  if (packet.more) waiting_.push(flow);
}

void Admission::leave(ContextId flow) {
  release(flow);
  waiting_.remove(flow);
  shares_[flow] = {};
}

std::optional<ContextId> Admission::grant(Time now) {
  if (!closed_) return std::nullopt;
  open_if_calm(now);
  if (waiting_.empty() || held_ >= places_) return std::nullopt;
  const std::uint32_t fair = places_ / (holders_ + waiting_.size());
  const ContextId flow = waiting_.pop();
  hold(flow, std::clamp(fair, 1U, std::min({open_window_, buffers_, places_ - held_})), now);
  return flow;
}

void Admission::expire(ContextId flow, Time now) {
  Share& share = shares_[flow];
  if (share.places == 0 || share.lease_end > now) return;
  // A grant that got lost looks like a sender without need: offer it once more.
  const bool again = share.fresh && !share.missed;
  release(flow);
  share.missed = again;
  if (again) waiting_.push(flow);
}

void Admission::hold(ContextId flow, std::uint32_t places, Time now) {
  Share& share = shares_[flow];
  share.places = places;
  share.left = turn;
  share.fresh = true;
  share.granted = now;
  share.lease_end = now + lease();
  held_ += places;
  ++holders_;
}

void Admission::release(ContextId flow) {
  Share& share = shares_[flow];
  if (share.places == 0) return;
  held_ -= share.places;
  --holders_;
  share.places = 0;
  share.lease_end = never;
}

void Admission::adapt() {
  if (++arrived_ < judged_packets * places_) return;
  if (waiting_.empty() || lost_ > arrived_) {
    places_ = std::max(buffers_, places_ - (lost_ > arrived_ ? 1 : 0));
  } else if (4 * lost_ < 3 * arrived_) {
    places_ = std::min(places_ + 1 + places_ / 4, 16 * buffers_ + on_the_way);
  }
  arrived_ = 0;
  lost_ = 0;
}

void Admission::open_if_calm(Time now) {
  if (!waiting_.empty() || now < last_loss_ + calm_leases * lease()) return;
  closed_ = false;
  for (Share& share : shares_) share = {};
  held_ = 0;
  holders_ = 0;
}

}  // namespace ayatori::transport
