#pragma once
/// \file
/// Two carriers as one, for a communicator over several nodes: participants of this node are reached through memory,
/// all others through another carrier.

#include "ayatori/carriers/memory_carrier.hpp"

namespace ayatori {

class CombinedCarrier final : public Carrier {
 public:
  /// Both must outlive this one, and serve nobody else while an execution is under way. `far` must be able to tell
  /// whether something is complete without blocking (test_some), and make progress by being asked.
  CombinedCarrier(MemoryCarrier& near, Carrier& far) : near_(near), far_(far) {}

  [[nodiscard]] Result<> post_send(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<> post_receive(RequestId request, const CarriedMessage& message) override;
  [[nodiscard]] Result<std::size_t> test_some(std::span<RequestId> completed) override;
  /// Waits as a MemoryCarrier does, and polls both.
  [[nodiscard]] Result<std::size_t> wait_some(std::span<RequestId> completed) override;
  /// Where all of a step's messages stay on this node.
  [[nodiscard]] Result<bool> exchange(std::span<const CarriedMessage> receives,
                                      std::span<const CarriedMessage> sends) override;

 private:
  [[nodiscard]] Carrier& carrier_to(Rank participant) const;

  MemoryCarrier& near_;
  Carrier& far_;
};

}  // namespace ayatori
