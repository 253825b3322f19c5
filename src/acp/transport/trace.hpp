#pragma once
/// \file
/// How the parts of an endpoint notify its observer.

#include "ayatori/transport/observer.hpp"

namespace ayatori::transport {

class Trace {
 public:
  void observe(Observer* observer) { observer_ = observer; }

  /// The endpoint was called at this time.
  void at(Time now) { now_ = now; }

  /// Calls notify(observer, now) if there is an observer.
  template <typename Notify>
  void notify(const Notify& notify) const {
    if (observer_ != nullptr) [[unlikely]] {
      call(notify);
    }
  }

 private:
  /// Not inlined, so that its callers keep the size and the registers that they have without an observer.
  template <typename Notify>
  [[gnu::noinline, gnu::cold]] void call(const Notify& notify) const {
    notify(*observer_, now_);
  }

  Observer* observer_ = nullptr;
  Time now_{};
};

}  // namespace ayatori::transport
