#include "ayatori/combined/combined_wire.hpp"

#include <algorithm>

namespace ayatori::wires {

namespace {

/// To poll shared memory is a read, to poll a network is a system call. The limit is a time, not a number of polls:
/// after a process was stopped, its first poll must find all that has arrived (see Driver).
constexpr auto far_polls_apart = std::chrono::microseconds(2);

}  // namespace

std::size_t CombinedWire::datagram_bytes() const { return std::min(near_->datagram_bytes(), far_->datagram_bytes()); }

bool CombinedWire::send(const transport::Datagram& datagram) { return of(datagram.to).send(datagram); }

void CombinedWire::flush() {
  near_->flush();
  far_->flush();
}

std::size_t CombinedWire::poll(std::size_t max_datagrams, const std::function<void(std::span<const std::byte>)>& take) {
  const std::size_t near = near_->poll(max_datagrams, take);
  const transport::Time now = clock_.now();
  if (near == max_datagrams || now - polled_far_ < far_polls_apart) return near;
  const std::size_t far = far_->poll(max_datagrams - near, take);
  if (near + far < max_datagrams) polled_far_ = now;
  return near + far;
}

/// Both are prepared, whatever the first one returns: woken() is called for both.
Duration CombinedWire::prepare_to_sleep(Duration timeout) {
  const Duration near = near_->prepare_to_sleep(timeout);
  return std::min(near, far_->prepare_to_sleep(timeout));
}

void CombinedWire::woken() {
  near_->woken();
  far_->woken();
  polled_far_ = {};
}

void CombinedWire::add_descriptors(std::vector<pollfd>& polled) const {
  near_->add_descriptors(polled);
  far_->add_descriptors(polled);
}

void CombinedWire::withdraw() {
  near_->withdraw();
  far_->withdraw();
}

void CombinedWire::disown() {
  near_->disown();
  far_->disown();
}

}  // namespace ayatori::wires
