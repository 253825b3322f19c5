#include "ayatori/transport/flow_state.hpp"

#include <array>

namespace ayatori::transport {

bool may_follow(Phase from, Phase to) {
  switch (from) {
    case Phase::closed:
      return to == Phase::open;
    case Phase::open:
      return to != Phase::held;  // open again by a renewal
    case Phase::retiring:
      return to != Phase::retiring;
    case Phase::held:
      return to == Phase::open || to == Phase::closed;
  }
  return false;
}

bool may_follow(CreditState from, CreditState to) {
  switch (from) {
    case CreditState::granted:
      return to != CreditState::granted;
    case CreditState::ask_due:
      return to == CreditState::asked || to == CreditState::granted;
    case CreditState::asked:
      return to != CreditState::asked;
    case CreditState::queued:
      return to == CreditState::granted || to == CreditState::ask_due;
  }
  return false;
}

bool may_follow(Activity from, Activity to) { return from != to; }

bool may_follow(ExpressState from, ExpressState to) {
  switch (from) {
    case ExpressState::off:
      return false;
    case ExpressState::allowed:
      return to == ExpressState::unconfirmed || to == ExpressState::suspended;
    case ExpressState::unconfirmed:
      return to == ExpressState::suspended;
    case ExpressState::suspended:
      return to == ExpressState::allowed;
  }
  return false;
}

std::string_view name(Phase state) {
  return std::array{"closed", "open", "retiring", "held"}.at(static_cast<std::size_t>(state));
}

std::string_view name(CreditState state) {
  return std::array{"granted", "ask_due", "asked", "queued"}.at(static_cast<std::size_t>(state));
}

std::string_view name(Activity state) {
  return std::array{"idle", "active", "probing"}.at(static_cast<std::size_t>(state));
}

std::string_view name(ExpressState state) {
  return std::array{"off", "allowed", "unconfirmed", "suspended"}.at(static_cast<std::size_t>(state));
}

}  // namespace ayatori::transport
