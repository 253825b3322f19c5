#include "ayatori/carriers/combined_carrier.hpp"

#include "node_memory_state.hpp"

namespace ayatori {

Carrier& CombinedCarrier::carrier_to(Rank participant) const {
  return near_.reaches(participant) ? static_cast<Carrier&>(near_) : far_;
}

Result<> CombinedCarrier::post_send(RequestId request, const CarriedMessage& message) {
  return carrier_to(message.peer).post_send(request, message);
}

Result<> CombinedCarrier::post_receive(RequestId request, const CarriedMessage& message) {
  return carrier_to(message.peer).post_receive(request, message);
}

Result<std::size_t> CombinedCarrier::test_some(std::span<RequestId> completed) {
  const auto near = near_.test_some(completed);
  if (!near) return near;
  const auto far = far_.test_some(completed.subspan(*near));
  if (!far) return far;
  return *near + *far;
}

Result<std::size_t> CombinedCarrier::wait_some(std::span<RequestId> completed) {
  Backoff backoff;
  while (true) {
    const auto count = test_some(completed);
    if (!count || *count > 0) return count;
    if (auto paused = near_.memory_.pause(backoff); !paused) {
      const auto last = test_some(completed);
      if (!last || *last > 0) return last;
      return Failure(paused.error());
    }
  }
}

/// The memory's carrier refuses steps with messages to other nodes.
Result<bool> CombinedCarrier::exchange(std::span<const CarriedMessage> receives,
                                       std::span<const CarriedMessage> sends) {
  return near_.exchange(receives, sends);
}

}  // namespace ayatori
