#pragma once
/// \file
/// Which sends of a queue are under way. They are completed in order, and only every so many says so.

#include <cstdint>

namespace ayatori::wires {

class SendRing {
 public:
  /// One of `signal_every` sends reports its completion; 1 <= signal_every <= slots.
  SendRing(std::uint32_t slots, std::uint32_t signal_every) : slots_(slots), signal_every_(signal_every) {}

  [[nodiscard]] bool full() const { return posted_ - completed_ == slots_; }

  struct Send {
    std::uint64_t number = 0;  ///< from 1 on
    std::uint32_t slot = 0;    ///< of the ring; nobody's until it is posted
    bool signalled = false;
  };

  /// What the next send must be, if the ring is not full.
  [[nodiscard]] Send next() const;
  void post() { ++posted_; }  ///< it is under way

  /// This one is completed, and with it all before it. A report that comes late or twice changes nothing.
  void complete(std::uint64_t number);

  /// Whether a send is known to be completed. Of 0, which is none, it is.
  [[nodiscard]] bool done(std::uint64_t number) const { return number <= completed_; }

 private:
  std::uint64_t slots_;
  std::uint64_t signal_every_;
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
};

/// How many sends may go by unreported: as many as can be without waiting for ever, neither for a slot nor for one of
/// `peers` address handles. The handle used longest ago gives way; `peers` - 1 sends at least came after its last one,
/// so that one of them reports.
[[nodiscard]] std::uint32_t signal_interval(std::uint32_t slots, std::uint32_t peers);

}  // namespace ayatori::wires
