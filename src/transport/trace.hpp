#pragma once
/// \file
/// How the parts of an endpoint reach its observer.

#include <utility>

#include "ayatori/transport/observer.hpp"

namespace ayatori::transport {

class Trace {
 public:
  void observe(Observer* observer) { observer_ = observer; }

  /// The endpoint was called at this time.
  void at(Time now) { now_ = now; }

  [[nodiscard]] bool on() const { return observer_ != nullptr; }

  /// Calls tell(observer, now) if there is an observer.
  template <typename Tell>
  void tell(Tell&& tell) const {
    if (observer_ != nullptr) [[unlikely]] {
      std::forward<Tell>(tell)(*observer_, now_);
    }
  }

 private:
  Observer* observer_ = nullptr;
  Time now_{};
};

}  // namespace ayatori::transport
