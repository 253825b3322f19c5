#pragma once
/// \file
/// How the parts of an endpoint reach its observer.

#include "ayatori/transport/observer.hpp"

namespace ayatori::transport {

class Trace {
 public:
  void observe(Observer* observer) { observer_ = observer; }

  /// The endpoint was called at this time.
  void at(Time now) { now_ = now; }

  /// Calls tell(observer, now) if there is an observer.
  template <typename Tell>
  void tell(const Tell& tell) const {
    if (observer_ != nullptr) [[unlikely]] {
      call(tell);
    }
  }

 private:
  /// Not inlined, so that the functions that tell keep the size and the registers that they have without an observer.
  template <typename Tell>
  [[gnu::noinline, gnu::cold]] void call(const Tell& tell) const {
    tell(*observer_, now_);
  }

  Observer* observer_ = nullptr;
  Time now_{};
};

}  // namespace ayatori::transport
