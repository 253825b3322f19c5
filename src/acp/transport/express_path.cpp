#include "express_path.hpp"

#include <algorithm>

namespace ayatori::transport {

std::optional<Duration> ExpressPath::refused(Time now) {
  if (refused_since_ == never) refused_since_ = now;
  const Duration waited = now - refused_since_;
  if (waited < max_refusal) return std::max(first_pause, waited);
  refused_since_ = never;
  state_ = ExpressState::suspended;
  return std::nullopt;
}

ExpressPath::Due ExpressPath::deadline_passed(bool has_packet) {
  if (refused_since_ != never && has_packet) return Due::retry;
  refused_since_ = never;
  if (state_ != ExpressState::unconfirmed) return Due::nothing;
  state_ = ExpressState::suspended;
  return Due::confirm;
}

}  // namespace ayatori::transport
