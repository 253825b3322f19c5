#pragma once
/// \file
/// Which sends of a queue are under way. Sends are completed in order, and only some report it (selective signalling).

#include <cstdint>

namespace ayatori::wires {

class SendRing {
 public:
  /// One of `signal_every` sends reports its completion; 1 <= signal_every <= slots.
  SendRing(std::uint32_t slots, std::uint32_t signal_every) : slots_(slots), signal_every_(signal_every) {}

  [[nodiscard]] bool full() const { return posted_ - completed_ == slots_; }

  struct Send {
    std::uint64_t number = 0;  ///< from 1 on
    std::uint32_t slot = 0;    ///< of the ring; free until post()
    bool signalled = false;
  };

  /// The next send, if the ring is not full.
  [[nodiscard]] Send next() const;
  void post() { ++posted_; }  ///< it is under way

  /// This send is completed, and with it all sends before. A late or repeated report changes nothing.
  void complete(std::uint64_t number);

  /// Whether a send is known to be completed. True for 0, which names no send.
  [[nodiscard]] bool done(std::uint64_t number) const { return number <= completed_; }

 private:
  std::uint64_t slots_;
  std::uint64_t signal_every_;
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
};

/// One of how many sends must report its completion, at most: so many that neither a slot nor one of `peers` address
/// handles is waited for for ever. The handle used longest ago is replaced; at least `peers` - 1 sends came after its
/// last one, so that one of them reports.
[[nodiscard]] std::uint32_t signal_interval(std::uint32_t slots, std::uint32_t peers);

}  // namespace ayatori::wires
