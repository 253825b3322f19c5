#pragma once
/// \file
/// Copies that other processes have delegated to this one: from a third process into its own memory. Their number is
/// bounded.

#include <vector>

#include "ayatori/onesided/global_memory.hpp"
#include "core.hpp"

namespace ayatori::onesided {

class Delegations {
 public:
  Delegations(Core& core, std::uint32_t capacity) : core_(core), delegations_(capacity) {}

  /// The answer to a call of kind `copy`; its value is 1 if the copy is done already.
  [[nodiscard]] Answer accept(Rank initiator, const Call& call);
  void progress();

  void transferred(std::uint64_t delegation) { end(delegation, Status::done); }
  void refused(std::uint64_t delegation);
  void undone(std::uint64_t delegation);
  void failed(std::uint64_t delegation) { end(delegation, Status::lost); }
  void signalled(std::uint64_t delegation);

  [[nodiscard]] bool idle() const { return busy_ == 0; }

 private:
  struct Delegation {
    enum class State : std::uint8_t { free, waiting, under_way, to_signal, signalling };
    State state = State::free;
    Status status = Status::done;
    Rank initiator = 0;
    Handle handle = 0;
    Transfer transfer;
  };

  void begin(std::uint64_t number);
  void signal(std::uint64_t number);
  void end(std::uint64_t number, Status status);

  Core& core_;
  std::vector<Delegation> delegations_;
  std::uint32_t busy_ = 0;
};

}  // namespace ayatori::onesided
