#include "admission.hpp"

#include <algorithm>

namespace ayatori::transport {

namespace {

/// Rationing ends when no flow waits and no loss was seen for this many leases.
constexpr int calm_leases = 16;

}  // namespace

Admission::Admission(const Options& options)
    : timing_(options.retransmission),
      open_window_(options.window),
      buffers_(options.receive_buffers),
      enabled_(options.retransmission.admission),
      total_(options.receive_buffers + in_transit),
      grant_to_packet_(options.retransmission),
      waiting_(options.incoming_contexts + options.replies),
      grants_(options.incoming_contexts + options.replies) {}

void Admission::overflowed(ContextId flow, Time now) {
  if (!enabled_) return;
  rationing_ = true;
  last_loss_ = now;
  ++lost_;
  if (grants_[flow].credit == 0) waiting_.push(flow);
}

void Admission::wants(ContextId flow) {
  if (rationing_ && grants_[flow].credit == 0) waiting_.push(flow);
}

void Admission::arrived(ContextId flow, const Packet& packet, Time now) {
  if (!rationing_) return;
  if (packet.resent) {
    ++lost_;
    last_loss_ = now;
  }
  Grant& grant = grants_[flow];
  if (grant.credit == 0) {
    // It was sent before rationing began, or on credit since taken back: queued if more follows, or credit is free.
    if (packet.more || granted_ < total_) waiting_.push(flow);
    return;
  }
  adapt();
  if (grant.fresh) grant_to_packet_.sample(now - grant.granted);
  grant.fresh = false;
  grant.missed = false;
  grant.lease_end = now + lease();
  if (--grant.left > 0) return;
  grant.left = quantum;
  if (waiting_.empty()) return;
  take_back(flow);
  if (packet.more) waiting_.push(flow);
}

void Admission::leave(ContextId flow) {
  take_back(flow);
  waiting_.remove(flow);
  grants_[flow] = {};
}

std::optional<ContextId> Admission::grant(Time now) {
  if (!rationing_) return std::nullopt;
  open_if_calm(now);
  if (waiting_.empty() || granted_ >= total_) return std::nullopt;
  const std::uint32_t fair = total_ / (holders_ + waiting_.size());
  const ContextId flow = waiting_.pop();
  give(flow, std::clamp(fair, 1U, std::min({open_window_, buffers_, total_ - granted_})), now);
  return flow;
}

void Admission::expire(ContextId flow, Time now) {
  Grant& grant = grants_[flow];
  if (grant.credit == 0 || grant.lease_end > now) return;
  if (waiting_.empty() && !grant.fresh) {
    grant.lease_end = now + lease();  // the sender knows of its credit, and nobody else wants it
    return;
  }
  // If no packet came on this credit, the grant may have been lost: the flow is queued once more.
  const bool again = grant.fresh && !grant.missed;
  take_back(flow);
  grant.missed = again;
  if (again) waiting_.push(flow);
}

void Admission::give(ContextId flow, std::uint32_t credit, Time now) {
  Grant& grant = grants_[flow];
  grant.credit = credit;
  grant.left = quantum;
  grant.fresh = true;
  grant.granted = now;
  grant.lease_end = now + lease();
  granted_ += credit;
  ++holders_;
}

void Admission::take_back(ContextId flow) {
  Grant& grant = grants_[flow];
  if (grant.credit == 0) return;
  granted_ -= grant.credit;
  --holders_;
  grant.credit = 0;
  grant.lease_end = never;
}

void Admission::adapt() {
  if (++arrived_ < judged_packets * total_) return;
  if (waiting_.empty() || lost_ > arrived_) {
    total_ = std::max(buffers_, total_ - (lost_ > arrived_ ? 1 : 0));
  } else if (4 * lost_ < 3 * arrived_) {
    total_ = std::min(total_ + 1 + total_ / 4, 16 * buffers_ + in_transit);
  }
  arrived_ = 0;
  lost_ = 0;
}

void Admission::open_if_calm(Time now) {
  if (!waiting_.empty() || now < last_loss_ + calm_leases * lease()) return;
  rationing_ = false;
  for (Grant& grant : grants_) grant = {};
  granted_ = 0;
  holders_ = 0;
}

}  // namespace ayatori::transport
