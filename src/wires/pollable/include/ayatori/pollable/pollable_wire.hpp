#pragma once
/// \file
/// A wire that sleeps in ppoll(2): two of them can be waited for together.

#include <poll.h>

#include <vector>

#include "ayatori/pollable/descriptor.hpp"
#include "ayatori/transport/wire.hpp"

namespace ayatori::wires {

using transport::Duration;

class PollableWire : public transport::Wire {
 public:
  void wait(Duration longest) final;
  void interrupt() final;

  /// What has to be done before sleeping, so that what arrives from now on makes one of the descriptors ready. Returns
  /// how long the sleep may last: `longest`, less where something must be tried again, 0 if a datagram may be here.
  virtual Duration prepare_to_sleep(Duration longest) = 0;
  virtual void woken() = 0;  ///< after each prepare_to_sleep(), whatever it returned

  /// Adds what to poll.
  virtual void add_descriptors(std::vector<pollfd>& polled) const = 0;

  /// Lets nobody find it any more who did not know it before. For a process that ends without destroying it.
  virtual void withdraw() {}

  /// In a child of fork(2): closes what its parent, which goes on, must have alone. Nothing may be called after that,
  /// and it must not be destroyed: a thread that is not here may have been in the middle of something.
  virtual void disown() { bell_ = Descriptor(); }

 protected:
  /// Error: no descriptor is left.
  [[nodiscard]] static Result<Descriptor> make_bell();
  explicit PollableWire(Descriptor bell) : bell_(std::move(bell)) {}

 private:
  void sleep(Duration longest);

  Descriptor bell_;  // an eventfd: what interrupt() rings
  std::vector<pollfd> polled_;
};

}  // namespace ayatori::wires
