#pragma once
/// \file
/// A wire that sleeps in ppoll(2), so that one call can wait for several of them.

#include <poll.h>

#include <vector>

#include "ayatori/transport/wire.hpp"

namespace ayatori::wires {

using transport::Duration;

/// Sleeps in ppoll(2) until one of the descriptors is ready, or `timeout` has passed.
void poll_for(std::vector<pollfd>& polled, Duration timeout);

class PollableWire : public transport::Wire {
 public:
  void wait(Duration timeout) final;

  /// To be called before sleeping: from now on, one of the descriptors becomes ready when a datagram arrives. Returns
  /// how long the sleep may last: `timeout`, less if something must be tried again, 0 if a datagram may have arrived.
  virtual Duration prepare_to_sleep(Duration timeout) = 0;
  virtual void woken() = 0;  ///< to be called after each prepare_to_sleep(), whatever it returned

  /// Adds the descriptors to be polled.
  virtual void add_descriptors(std::vector<pollfd>& polled) const = 0;

  /// Removes the names by which peers find this wire; peers that have found it keep it. For a process that ends without
  /// destroying the wire.
  virtual void withdraw() {}

  /// In a child of fork(2): closes the descriptors that only the parent, which goes on, may have. After that nothing
  /// may be called, and the wire must not be destroyed: another thread of the parent may have been using it at the
  /// fork.
  virtual void disown() {}

 private:
  std::vector<pollfd> polled_;
};

}  // namespace ayatori::wires
